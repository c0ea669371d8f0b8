package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/model/todo"
	"vise/ui/action"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// FileTodos are what was read of the todo files. The zero value is: there are none.
type FileTodos struct {
	// Sessions are those of the repository, the newest first.
	Sessions []FileSession
	// Todos are those of all sessions: by priority, the newest session first, by number.
	Todos []*todo.Todo
	// Pending are the findings that wait for triage, as full refs in that order.
	Pending []todo.Ref
	// Damaged are files that could not be read as todos.
	Damaged []DamagedTodo
	// Linked are what the links name, in their order.
	Linked []LinkedTodo
	// Trouble is why a session cannot be read now, or is not shown.
	Trouble string
}

// FileSession is a session of file todos.
type FileSession struct {
	// Name is how people speak of it, Base is its directory as links name it.
	Name, Base model.Text
	Index      *todo.Index
}

// DamagedTodo is a file that could not be read, with its reason in words.
type DamagedTodo struct {
	Ref  todo.Ref
	Said string
}

// FileTodosOf puts the todos of sessions, the newest first, into one list.
func FileTodosOf(sessions ...FileSession) FileTodos {
	x := FileTodos{Sessions: sessions}
	var all [][]todo.Todo
	for _, s := range sessions {
		all = append(all, s.Index.All())
	}
	x.Todos = todo.Merge(all...)
	for _, t := range x.Todos {
		if t.Status == todo.Pending {
			x.Pending = append(x.Pending, t.Full())
		}
	}
	return x
}

// Where names the sessions for people.
func (x FileTodos) Where() model.Text {
	switch len(x.Sessions) {
	case 0:
		return ""
	case 1:
		return x.Sessions[0].Name
	}
	return model.Text(fmt.Sprintf("%d sessions", len(x.Sessions)))
}

// session is the one that a full ref names.
func (x FileTodos) session(r todo.Ref) (s FileSession, within todo.Ref) {
	name, within := r.Split()
	for _, s := range x.Sessions {
		if s.Name == model.Text(name) {
			return s, within
		}
	}
	return s, within
}

// Find finds a todo by its full ref.
func (x FileTodos) Find(r todo.Ref) (todo.Todo, bool) {
	s, within := x.session(r)
	return s.Index.Find(within)
}

// Label is what people call a todo: with its session where there are several.
func (x FileTodos) Label(r todo.Ref) string {
	if _, within := r.Split(); len(x.Sessions) == 1 {
		return within.String()
	}
	return r.String()
}

// waiting is what a todo waits on.
func (x FileTodos) waiting(t todo.Todo) []todo.Wait {
	if s, _ := x.session(t.Full()); s.Index != nil {
		return s.Index.Waiting(t)
	}
	return nil
}

// among is the todo's session, where there are several.
func (x FileTodos) among(t todo.Todo) string {
	if len(x.Sessions) < 2 {
		return ""
	}
	return t.Session
}

// holds reports whether a link names a todo of one of the sessions.
func (x FileTodos) holds(l model.TodoRef) bool {
	return slices.ContainsFunc(x.Sessions, func(s FileSession) bool { return s.Base == l.TodosBase })
}

// LinkedTodo is a todo that an item links to.
type LinkedTodo struct {
	Link model.TodoRef
	Todo todo.Todo
	// Missing is why it cannot be shown; empty when it can.
	Missing string
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
	if len(x.Sessions) > 0 {
		out = append(out, v.sessionHead(w)...)
		if n := len(x.Pending); n > 0 {
			s := fmt.Sprintf("%d %s triage: %s", n, Plural(n, "finding needs", "findings need"), v.Keys.KeyOf(action.TriageOpen))
			out = append(out, " "+v.NeedsYou.Paint(s))
		}
		out = append(out, v.session(w)...)
	}
	for _, d := range x.Damaged {
		out = append(out, v.Warned(d.Said, w)...)
	}
	if len(out) == 0 {
		return []string{" " + v.Muted.Paint("No file todos here. vise todo import FILE makes some of a report.")}
	}
	return out
}

// sessionHead names the session and says how many todos stand where.
func (v Detail) sessionHead(w int) []string {
	name, counts := "SESSION "+v.Show(v.Files.Where()), StatusCounts(v.Files.Todos)
	if len(v.Files.Sessions) > 1 {
		name = strings.ToUpper(v.Files.Where().String())
	}
	if text.Width(name)+text.Width(counts)+4 <= w {
		return []string{text.Sides(" "+v.Accent.Paint(name), v.Muted.Paint(counts+" "), w)}
	}
	return []string{" " + v.Accent.Paint(text.Cut(name, w-2)), " " + v.Muted.Paint(text.Cut(counts, w-2))}
}

// Open are the todos that the page shows, as full refs: those that are not over.
func (x FileTodos) Open() []todo.Ref {
	var out []todo.Ref
	for _, t := range x.Todos {
		if !t.Status.Final() && len(out) < filesShown {
			out = append(out, t.Full())
		}
	}
	return out
}

// session are the open todos of the sessions; what the keys are about is selected.
func (v Detail) session(w int) []string {
	var out []string
	for _, r := range v.Files.Open() {
		t, _ := v.Files.Find(r)
		out = append(out, v.fileTodo(t, v.Files.waiting(t), v.Files.among(t), w, v.Focused && r == v.FileCursor))
	}
	if len(out) == filesShown {
		out = append(out, " "+v.Muted.Paint("… b in triage (T) shows all"))
	}
	return out
}

// fileLine is the line of the page on which the todo at the cursor stands.
func (v Detail) fileLine(w int) int {
	at := max(slices.Index(v.Files.Open(), v.FileCursor), 0)
	lines := len(v.files(w))
	for _, d := range v.Files.Damaged {
		lines -= len(v.Warned(d.Said, w))
	}
	return max(lines-len(v.session(w))+at, 0)
}

// waitHint proposes a wait when every linked todo waits on something.
func (v Detail) waitHint(w int) []string {
	open, waiting := 0, 0
	for _, l := range v.Files.Linked {
		if l.Missing != "" || l.Todo.Status.Final() {
			continue
		}
		open++
		if l.Todo.Status == todo.Blocked || v.Files.holds(l.Link) && len(v.Files.waiting(l.Todo)) > 0 {
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
		return v.fileTodo(l.Todo, nil, "", w, false)
	}
	id := v.Muted.Of(v.Show(l.Link.QualifiedID) + "  ")
	return v.Strip(w, false, v.NeedsYou.Of(" "+v.Glyph.Warning+" "), id, v.Faint.Of(v.Safe(l.Missing)))
}

// fileTodo is a file todo on a line; session is named where there are several.
func (f Frame) fileTodo(t todo.Todo, waits []todo.Wait, session string, w int, selected bool) string {
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
	if session != "" {
		note += "  " + f.Safe(session)
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
func StatusCounts(all []*todo.Todo) string {
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
