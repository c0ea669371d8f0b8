package todo

import (
	"strings"
	"unicode/utf8"

	"vise/model"
)

// rowRef returns the file todo that a row of a WorkItem's todo list names. The text begins with the qualified id, alone or before a space
// or colon ("review/003", "review/003: close the handle"). The row counts only if the item links to that file todo, which the caller must
// check.
func rowRef(text model.Text) (Ref, bool) {
	word, _, _ := strings.Cut(strings.TrimSpace(text.Raw()), " ")
	word = strings.TrimSuffix(word, ":")
	source, id, ok := strings.Cut(word, "/")
	if !ok || !ValidSource(source) || !ValidID(id) {
		return "", false
	}
	return NewRef(source, id), true
}

// DeriveRows returns a todo list in which each row for a linked file todo has that file todo's state, so that nobody enters it twice. A row
// whose file todo cannot be found keeps its state.
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
