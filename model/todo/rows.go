package todo

import (
	"strings"
	"unicode/utf8"

	"vise/model"
)

// rowRef is the todo that a row of a WorkItem's todo list speaks of: its text begins with
// the qualified id, alone or before a space or colon ("review/003", "review/003: close the
// handle"). Only a row whose todo the item links to counts; the caller asks that.
func rowRef(text model.Text) (Ref, bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text.Raw()), " ")
	word = strings.TrimSuffix(word, ":")
	source, id, ok := strings.Cut(word, "/")
	if !ok || !ValidSource(source) || !ValidID(id) {
		return "", false
	}
	return NewRef(source, id), true
}

// DeriveRows is a todo list with the state of each row that speaks of a linked todo taken
// from that todo: it is never typed twice. Rows whose todo cannot be found keep theirs.
func DeriveRows(list []model.Todo, links []model.TodoRef, find func(model.TodoRef) (Todo, bool)) []model.Todo {
	out := append([]model.Todo{}, list...)
	for i, row := range out {
		ref, ok := rowRef(row.Text)
		if !ok {
			continue
		}
		for _, l := range links {
			if Ref(l.QualifiedID) != ref {
				continue
			}
			if t, ok := find(l); ok {
				out[i].State = t.Status.Progress()
			}
			break
		}
	}
	return out
}

// ChangedRows are the rows of a derived list whose state is not the one that is known.
func ChangedRows(known, derived []model.Todo) []model.TodoRow {
	var out []model.TodoRow
	for i, t := range derived {
		if t.State != known[i].State {
			out = append(out, model.TodoRow{At: i, Text: t.Text, State: t.State})
		}
	}
	return out
}

// Progress is how a row of a WorkItem's todo list stands that refers to a todo of status s:
// such a row is derived, never typed twice.
func (s Status) Progress() model.TodoState {
	switch {
	case s.Final():
		return model.TodoCompleted
	case s == InProgress:
		return model.TodoInProgress
	}
	return model.TodoPending
}

// Linked is the ref that a link names.
func Linked(l model.TodoRef) Ref { return Ref(l.QualifiedID) }

// Undecided lists the todos that a WorkItem links to and that are not final: completing it
// asks for a decision on each. Find looks a link up; what it does not find has no state
// to decide on, and is not listed.
func Undecided(links []model.TodoRef, find func(model.TodoRef) (Todo, bool)) []Todo {
	var open []Todo
	for _, l := range links {
		if t, ok := find(l); ok && !t.Status.Final() {
			open = append(open, t)
		}
	}
	return open
}

// Promote makes the objective and the plan of a WorkItem out of a finding: its title, and
// its text up to the sections that only the todo's own life concerns.
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
