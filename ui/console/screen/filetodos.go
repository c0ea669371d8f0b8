package screen

import (
	"cmp"
	"fmt"
	"strings"

	"vise/model"
	"vise/model/todo"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// FileTodos are what was read of the todo files. The zero value is: there are none.
type FileTodos struct {
	// Session is how people speak of the session; empty when there is none. Base is its
	// directory as links name it.
	Session, Base model.Text
	// Todos are the session's in list order, most urgent first.
	Todos []todo.Todo
	// Damaged are files that could not be read as todos, each with its reason in words.
	Damaged []string
	// Linked are what the links name, in their order.
	Linked []LinkedTodo
	// Trouble is why the session cannot be read now.
	Trouble string
}

// LinkedTodo is a todo that an item links to.
type LinkedTodo struct {
	Link model.TodoRef
	Todo todo.Todo
	// Missing is why it cannot be shown; empty when it can.
	Missing string
}

// Pending are the findings that wait for triage.
func (x FileTodos) Pending() []todo.Todo {
	return todo.Filter{Status: []todo.Status{todo.Pending}}.Select(x.Todos)
}

// Checklist is an item's todo list as it stands: a row that names a linked todo has that
// todo's state.
func (x FileTodos) Checklist(d model.Detail) []model.Todo {
	if len(d.Links.TodoRefs) == 0 {
		return d.TodoList
	}
	return todo.DeriveRows(d.TodoList, d.Links.TodoRefs, func(l model.TodoRef) (todo.Todo, bool) {
		for _, x := range x.Linked {
			if x.Link == l && x.Missing == "" {
				return x.Todo, true
			}
		}
		return todo.Todo{}, false
	})
}

// filesShown bounds the session's todos on the page; triage and the board show more.
const filesShown = 100

// files is the page of the file todos: those linked, then the session's.
func (v Detail) files(w int) []string {
	x := v.Files
	var out []string
	if len(x.Linked) > 0 {
		out = append(out, " "+v.Accent.Paint("LINKED TO THIS ITEM"))
		for _, l := range x.Linked {
			out = append(out, v.linked(l, w))
		}
		out = append(append(out, v.waitHint(w)...), "")
	}
	if x.Trouble != "" {
		out = append(out, v.Warned(x.Trouble, w)...)
	}
	if x.Session != "" {
		out = append(out, v.sessionHead(w)...)
		if n := len(x.Pending()); n > 0 {
			s := fmt.Sprintf("%d %s triage: %s", n, Plural(n, "finding needs", "findings need"), v.Keys.KeyOf(action.TriageOpen))
			out = append(out, " "+v.NeedsYou.Paint(s))
		}
		out = append(out, v.session(w)...)
	}
	for _, s := range x.Damaged {
		out = append(out, v.Warned(s, w)...)
	}
	if len(out) == 0 {
		return []string{" " + v.Muted.Paint("No file todos here. vise todo import FILE makes some of a report.")}
	}
	return out
}

// sessionHead names the session and says how many todos stand where.
func (v Detail) sessionHead(w int) []string {
	name, counts := "SESSION "+v.Show(v.Files.Session), StatusCounts(v.Files.Todos)
	if text.Width(name)+text.Width(counts)+4 <= w {
		return []string{text.Sides(" "+v.Accent.Paint(name), v.Muted.Paint(counts+" "), w)}
	}
	return []string{" " + v.Accent.Paint(text.Cut(name, w-2)), " " + v.Muted.Paint(text.Cut(counts, w-2))}
}

// session are the session's open todos.
func (v Detail) session(w int) []string {
	index := todo.NewIndex(v.Files.Todos)
	var out []string
	for _, t := range v.Files.Todos {
		if t.Status.Final() {
			continue
		}
		if len(out) == filesShown {
			return append(out, " "+v.Muted.Paint("… b in triage (T) shows all"))
		}
		out = append(out, v.fileTodo(t, index.Waiting(t), w, false))
	}
	return out
}

// waitHint proposes a wait when every linked todo waits on something.
func (v Detail) waitHint(w int) []string {
	open, waiting := 0, 0
	index := todo.NewIndex(v.Files.Todos)
	for _, l := range v.Files.Linked {
		if l.Missing != "" || l.Todo.Status.Final() {
			continue
		}
		open++
		if l.Todo.Status == todo.Blocked || l.Link.TodosBase == v.Files.Base && len(index.Waiting(l.Todo)) > 0 {
			waiting++
		}
	}
	if open == 0 || waiting < open {
		return nil
	}
	return v.Warned(v.Keys.Keyed("All open linked todos wait. {wait} parks the item until they can go on."), w)
}

func (v Detail) linked(l LinkedTodo, w int) string {
	if l.Missing == "" {
		return v.fileTodo(l.Todo, nil, w, false)
	}
	id := v.Muted.Of(v.Show(l.Link.QualifiedID) + "  ")
	return v.Strip(w, false, v.NeedsYou.Of(" "+v.Glyph.Warning+" "), id, v.Faint.Of(v.Safe(l.Missing)))
}

// fileTodo is a file todo on a line.
func (f Frame) fileTodo(t todo.Todo, waits []todo.Wait, w int, selected bool) string {
	mark, ink := f.fileMark(t.Status)
	note := FileWord(t.Status)
	if len(waits) > 0 {
		words := make([]string, len(waits))
		for i, x := range waits {
			words[i] = x.String()
		}
		note = "waiting on " + strings.Join(words, ", ")
	}
	if t.Status == todo.InProgress && t.AssignedTo != "" {
		note += ", " + f.Show(t.AssignedTo)
	}
	head := f.marker(selected) + mark + " "
	id := text.Pad(t.Ref().String(), refCells) + " " + string(t.Priority) + "  "
	width := max(w-text.Width(head)-text.Width(id)-text.Width(note)-3, 8)
	return f.Strip(w, selected, ink.Of(head), f.Muted.Of(id), f.Text.Of(text.Pad(f.Show(t.Title), width)), ink.Of("  "+note))
}

const refCells = 11

// fileMark is a status's glyph, as the classes of work items have theirs.
func (f Frame) fileMark(s todo.Status) (string, widget.Ink) {
	switch s {
	case todo.Pending:
		return f.Glyph.NeedsYou, f.NeedsYou
	case todo.InProgress:
		return f.Glyph.InProgress, f.Current
	case todo.Blocked:
		return f.Glyph.Blocked, f.Blocked
	case todo.Interrupted:
		return f.Glyph.Changed, f.Blocked
	case todo.Complete, todo.WontFix:
		return f.Glyph.Done, f.Done
	}
	return f.Glyph.Queued, f.Queued
}

// FileWord is a status in the words of the screen, which items and todos share.
func FileWord(s todo.Status) string {
	return cmp.Or(fileWords[s], "dropped")
}

var fileWords = map[todo.Status]string{
	todo.Pending: "needs you", todo.Ready: "ready", todo.InProgress: "working",
	todo.Blocked: "waiting", todo.Interrupted: "parked", todo.Complete: "done",
}

// StatusCounts are how many todos stand where: "3 need you · 2 ready".
func StatusCounts(all []todo.Todo) string {
	n := map[todo.Status]int{}
	for _, t := range all {
		n[t.Status]++
	}
	var parts []string
	for _, s := range todo.Statuses() {
		word := FileWord(s)
		if s == todo.Pending {
			word = Plural(n[s], "needs you", "need you")
		}
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[s], word))
		}
	}
	return strings.Join(parts, " · ")
}
