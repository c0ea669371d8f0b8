package screen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/model/todo"
	"vise/ui/action"
	"vise/ui/text"
)

// FileTodos holds what was read of the todo files. The zero value means that there are none.
type FileTodos struct {
	// Sessions are those of the repository, the newest first.
	Sessions []FileSession
	// Todos are the todos of all sessions, ordered by priority, then the newest session first, then by number.
	Todos []*todo.Todo
	// Pending are the findings that wait for triage, as full refs in the same order.
	Pending []todo.Ref
	// Damaged are the files that could not be read as todos.
	Damaged []DamagedTodo
	// Linked are the linked todos, in the order of the links.
	Linked []LinkedTodo
	// Trouble is why a session cannot be read now, or is not shown.
	Trouble string
}

// FileSession is a session of file todos.
type FileSession struct {
	// Name is the session's name for people. Base is its directory as links name it.
	Name, Base model.Text
	Index      *todo.Index
}

// DamagedTodo is a file that could not be read, with the reason in words.
type DamagedTodo struct {
	Ref  todo.Ref
	Said string
}

// FileTodosOf puts the todos of sessions, given newest first, into one list.
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
	return model.Textf("%d sessions", len(x.Sessions))
}

// session returns the session that a full ref names.
func (x FileTodos) session(r todo.Ref) (s FileSession, within todo.Ref) {
	name, within := r.Split()
	for _, s := range x.Sessions {
		if s.Name == model.Text(name) {
			return s, within
		}
	}
	return s, within
}

// Find returns a todo by its full ref.
func (x FileTodos) Find(r todo.Ref) (todo.Todo, bool) {
	s, within := x.session(r)
	return s.Index.Find(within)
}

// Label is a todo's name for people, with its session if there are several.
func (x FileTodos) Label(r todo.Ref) string {
	if _, within := r.Split(); len(x.Sessions) == 1 {
		return within.String()
	}
	return r.String()
}

// waiting returns what a todo waits for.
func (x FileTodos) waiting(t todo.Todo) []todo.Wait {
	if s, _ := x.session(t.Full()); s.Index != nil {
		return s.Index.Waiting(t)
	}
	return nil
}

// among returns the name of the todo's session if there are several.
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
	// Missing is why it cannot be shown; empty if it can.
	Missing string
}

// Checklist returns an item's todo list in its current state. A row that names a linked todo has that todo's state.
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

// filesShown bounds the session's todos on the page. Triage shows more.
const filesShown = 100

// files returns the page of the file todos: the linked ones, then the session's.
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
			out = append(out, " "+v.NeedsYou.Paint(model.Counted(n, "finding")+" to triage: "+v.KeyOf(action.TriageOpen)))
		}
		out = append(out, v.session(w)...)
	}
	for _, d := range x.Damaged {
		out = append(out, v.Warned(d.Said, w)...)
	}
	if len(out) == 0 {
		return []string{v.Note("No file todos here. vise todo import FILE makes some of a report.")}
	}
	return out
}

// sessionHead names the session and counts its todos by status.
func (v Detail) sessionHead(w int) []string {
	name, counts := "SESSION "+v.Show(v.Files.Where()), StatusCounts(v.Files.Todos)
	if len(v.Files.Sessions) > 1 {
		name = strings.ToUpper(v.Files.Where().String())
	}
	return []string{" " + v.Accent.Paint(text.Cut(name, w-2)), v.Note(text.Cut(counts, w-2))}
}

// Open returns the todos that the page shows, as full refs: those that are not over.
func (x FileTodos) Open() []todo.Ref {
	var out []todo.Ref
	for _, t := range x.Todos {
		if !t.Status.Final() && len(out) < filesShown {
			out = append(out, t.Full())
		}
	}
	return out
}

// session returns the open todos of the sessions. The one at the cursor is selected.
func (v Detail) session(w int) []string {
	var out []string
	for _, r := range v.Files.Open() {
		t, _ := v.Files.Find(r)
		out = append(out, v.fileTodo(t, v.Files.waiting(t), v.Files.among(t), w, v.Focused && r == v.FileCursor))
	}
	if len(out) == filesShown {
		out = append(out, v.Note(v.Keyed("… {todos} in triage ({triage}) shows all")))
	}
	return out
}

// fileLine returns the line number on the page of the todo at the cursor.
func (v Detail) fileLine(w int) int {
	at := max(slices.Index(v.Files.Open(), v.FileCursor), 0)
	lines := len(v.files(w))
	for _, d := range v.Files.Damaged {
		lines -= len(v.Warned(d.Said, w))
	}
	return max(lines-len(v.session(w))+at, 0)
}

// waitHint proposes a wait if every linked todo waits for something.
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
	return v.Warned(v.Keyed("All open linked todos wait. {wait} parks the item until they can go on."), w)
}

func (v Detail) linked(l LinkedTodo, w int) string {
	if l.Missing == "" {
		return v.fileTodo(l.Todo, nil, "", w, false)
	}
	id := v.Muted.Of(v.Show(l.Link.QualifiedID) + "  ")
	return v.Strip(w, false, v.NeedsYou.Of(" "+v.Glyph.Warning+" "), id, v.Faint.Of(v.Safe(l.Missing)))
}

// fileTodo returns a file todo's line. session is its session's name if there are several.
func (f Frame) fileTodo(t todo.Todo, waits []todo.Wait, session string, w int, selected bool) string {
	mark, ink := f.fileMark(t.Status)
	note := FileWord(t.Status)
	if len(waits) > 0 {
		note = "waiting on " + strings.Join(keysOf(waits, todo.Wait.String), ", ")
	}
	if t.Status == todo.InProgress && t.AssignedTo != "" {
		note += ", " + f.Show(t.AssignedTo)
	}
	if session != "" {
		note += "  " + f.Safe(session)
	}
	return f.todoLine(w, selected, ink.Of(mark), t.Ref(), t, f.Text, ink.Of(note))
}

// todoLine returns a line of a list of file todos: mark, ref, priority, title, note.
func (f Frame) todoLine(w int, selected bool, mark Piece, r todo.Ref, t todo.Todo, title Ink, note Piece) string {
	id := text.Pad(r.String(), refCells) + " " + string(t.Priority) + "  "
	width := max(w-3-text.Width(id)-text.Width(note.Text)-3, 4)
	return f.Strip(w, selected, mark.Of(f.marker(selected)+mark.Text+" "), f.Muted.Of(id), title.Of(text.Pad(f.Show(t.Title), width)),
		note.Of("  "+note.Text))
}

const refCells = 11

// fileMark returns a status's glyph. The glyphs are those of the classes of work items.
func (f Frame) fileMark(s todo.Status) (string, Ink) {
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

// FileWord returns a status in the words that the screen uses for both items and todos.
func FileWord(s todo.Status) string {
	return cmp.Or(fileWords[s], "dropped")
}

var fileWords = map[todo.Status]string{
	todo.Pending: "needs you", todo.Ready: "ready", todo.InProgress: "working",
	todo.Blocked: "waiting", todo.Interrupted: "parked", todo.Complete: "done",
}

// StatusCounts counts todos by status: "needs you: 3 · ready: 2".
func StatusCounts(all []*todo.Todo) string {
	n := map[todo.Status]int{}
	for _, t := range all {
		n[t.Status]++
	}
	var parts []string
	for _, s := range todo.Statuses() {
		if n[s] > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", FileWord(s), n[s]))
		}
	}
	return strings.Join(parts, " · ")
}
