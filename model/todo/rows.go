package todo

import (
	"strings"

	"vise/model"
)

// RowRef is the todo that a row of a WorkItem's todo list speaks of: its text begins with
// the qualified id, alone or before a space or colon ("review/003", "review/003: close the
// handle"). Only a row whose todo the item links to counts; the caller asks that.
func RowRef(text model.Text) (Ref, bool) {
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
	out := make([]model.Todo, len(list))
	copy(out, list)
	for i, row := range out {
		ref, ok := RowRef(row.Text)
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
