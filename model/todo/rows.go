package todo

import (
	"strings"
	"unicode/utf8"

	"vise/model"
)

// Named returns the links that a word names: a qualified id ("review/003"), with or without its session ("reviews/abc123/review/003") or
// the path before it. In several sessions a short id can name several todos.
func Named(links []model.TodoRef, word string) (named []model.TodoRef) {
	for _, l := range links {
		within := strings.HasSuffix("/"+path(l), "/"+strings.TrimPrefix(word, "/"))
		if strings.Contains(word, "/") && within || Ref(word) == LinkedFull(l) {
			named = append(named, l)
		}
	}
	return named
}

// path is a todo's full id behind the path of its repository.
func path(l model.TodoRef) string {
	return strings.TrimSuffix(l.TodosBase.Raw(), "/todos") + "/" + l.QualifiedID.Raw() // raw: a path to compare
}

// inSession is the most slashes of a full id: /tmp/WORKFLOW/ID/review/001.
const inSession = 5

// LinkedFull returns the full id of a linked todo, as Todo.Full does.
func LinkedFull(l model.TodoRef) Ref {
	full := path(l)
	if i := strings.LastIndex(full, "/tmp/"); i >= 0 && strings.Count(full[i:], "/") <= inSession {
		return Ref(full[i+len("/tmp/"):])
	}
	return NewRef("todos", l.QualifiedID.Raw()) // raw: a Ref is shown safely
}

// DeriveRows returns a todo list in which each row for a linked file todo has that file todo's state, so that nobody enters it twice.
// Such a row begins with an id that names one link, alone or before a space or colon ("review/003: close the handle"). A row whose file
// todo cannot be found keeps its state.
func DeriveRows(list []model.Todo, links []model.TodoRef, find func(model.TodoRef) (Todo, bool)) []model.Todo {
	out := append([]model.Todo{}, list...)
	for i, row := range out {
		word, _, _ := strings.Cut(strings.TrimSpace(row.Text.Raw()), " ")
		named := Named(links, strings.TrimSuffix(word, ":"))
		if len(named) != 1 {
			continue
		}
		if t, ok := find(named[0]); ok {
			out[i].State = t.Status.Progress()
		}
	}
	return out
}

// ChangedRows returns the rows of a derived list whose state differs from the known one.
func ChangedRows(known, derived []model.Todo) []model.TodoRow {
	var out []model.TodoRow
	for i, t := range derived {
		if t.State != known[i].State {
			out = append(out, model.TodoRow{At: i, Text: t.Text, State: t.State})
		}
	}
	return out
}

// Progress returns the state of a row in a WorkItem's todo list that refers to a file todo of status s.
func (s Status) Progress() model.TodoState {
	switch {
	case s.Final():
		return model.TodoCompleted
	case s == InProgress:
		return model.TodoInProgress
	}
	return model.TodoPending
}

// Linked returns the ref that a link names.
func Linked(l model.TodoRef) Ref { return Ref(l.QualifiedID) }

// Undecided returns the file todos that a WorkItem links to and that are not final. Completing the item requires a decision on each. find
// looks up a link. A link that it does not find needs no decision and is not listed.
func Undecided(links []model.TodoRef, find func(model.TodoRef) (Todo, bool)) []Todo {
	var open []Todo
	for _, l := range links {
		if t, ok := find(l); ok && !t.Status.Final() {
			open = append(open, t)
		}
	}
	return open
}

// Promote makes the objective and the plan of a WorkItem from a finding: its title, and its text before the sections about the file todo's
// own life.
func Promote(t Todo, body string) (objective, plan model.Text) {
	title := []rune(OneLine(strings.ToValidUTF8(t.Title.Raw(), string(utf8.RuneError))))
	if len(title) > model.MaxObjective {
		title = title[:model.MaxObjective]
	}
	for _, own := range []string{"\n## Work Log", "\n## Status History"} {
		body, _, _ = strings.Cut(body, own)
	}
	return model.Text(title), model.Text(strings.TrimSpace(body) + "\n")
}
