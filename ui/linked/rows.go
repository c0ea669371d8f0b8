package linked

import (
	"context"

	"vise/model"
	file "vise/model/todo"
)

// Ledger is what this room asks of the ledger.
type Ledger interface {
	View(context.Context, func(model.Reader) error) error
	Apply(context.Context, model.Envelope) (model.Receipt, error)
	Resolve(ctx context.Context, ref string) (model.ItemID, error)
}

// Derive is a todo list with the rows that speak of linked todos as their files stand.
func (f *Files) Derive(list []model.Todo, links []model.TodoRef) []model.Todo {
	if len(links) == 0 {
		return list
	}
	return file.DeriveRows(list, links, f.Find)
}

// Note has the ledger know how the rows of an open item stand that speak of linked todos.
// e says who looked; its key is what a key of the note is made from. What cannot be noted
// now is noted by the next who looks.
func (f *Files) Note(ctx context.Context, l Ledger, e model.Envelope, id model.ItemID) {
	var item model.WorkItem
	err := l.View(ctx, func(r model.Reader) error {
		item, _ = r.Item(id)
		return nil
	})
	if err != nil || item.State != model.Open || len(item.Links.TodoRefs) == 0 {
		return
	}
	rows := changed(item.TodoList, f.Derive(item.TodoList, item.Links.TodoRefs))
	if len(rows) == 0 {
		return
	}
	e.Key += "-rows"
	e.Command = model.RefreshTodos{WorkItemID: id, Rows: rows}
	_, _ = l.Apply(ctx, e)
}

// changed are the rows whose state is not the one that was known.
func changed(known, now []model.Todo) []model.TodoRow {
	var out []model.TodoRow
	for i, t := range now {
		if t.State != known[i].State {
			out = append(out, model.TodoRow{At: i, Text: t.Text, State: t.State})
		}
	}
	return out
}
