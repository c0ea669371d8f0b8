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
	if item, err := itemOf(ctx, l, id); err == nil {
		f.note(ctx, l, e, item)
	}
}

// note is Note of an item that was read just now.
func (f *Files) note(ctx context.Context, l Ledger, e model.Envelope, item model.WorkItem) {
	if item.State != model.Open || len(item.Links.TodoRefs) == 0 {
		return
	}
	rows := file.ChangedRows(item.TodoList, f.Derive(item.TodoList, item.Links.TodoRefs))
	if len(rows) == 0 {
		return
	}
	e.Key += "-rows"
	e.Command = model.RefreshTodos{WorkItemID: item.ID, Rows: rows}
	_, _ = l.Apply(ctx, e)
}

// itemOf is an item as it stands; one that is not there is the core's to refuse.
func itemOf(ctx context.Context, l Ledger, id model.ItemID) (w model.WorkItem, err error) {
	err = l.View(ctx, func(r model.Reader) error {
		w, _ = r.Item(id)
		return nil
	})
	return w, err
}
