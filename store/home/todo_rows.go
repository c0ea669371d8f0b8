package home

import (
	"context"

	"vise/model"
	file "vise/model/todo"
)

// Derive is a todo list with the rows that speak of linked todos as their files are now.
func (f *TodoFiles) Derive(list []model.Todo, links []model.TodoRef) []model.Todo {
	if len(links) == 0 {
		return list
	}
	return file.DeriveRows(list, links, f.Find)
}

// RefreshTodos has the ledger know how the rows of an open item stand that speak of linked
// todos. by is who asks; what cannot be noted now is noted by the next who asks.
func (h *Home) RefreshTodos(ctx context.Context, by model.Envelope, id model.ItemID) error {
	item, err := h.item(ctx, id)
	if err != nil || len(item.Links.TodoRefs) == 0 {
		return err
	}
	files := NewTodoFiles()
	defer files.Close()
	return h.refreshTodos(ctx, files, by, item)
}

func (h *Home) refreshTodos(ctx context.Context, files *TodoFiles, by model.Envelope, item model.WorkItem) error {
	if item.State != model.Open || len(item.Links.TodoRefs) == 0 {
		return nil
	}
	rows := file.ChangedRows(item.TodoList, files.Derive(item.TodoList, item.Links.TodoRefs))
	if len(rows) == 0 {
		return nil
	}
	by.Key += "-rows"
	by.Command = model.RefreshTodos{WorkItemID: item.ID, Rows: rows}
	_, err := h.send(ctx, by)
	return err
}

// item is an item as it stands; one that is not there is the rules' to refuse.
func (h *Home) item(ctx context.Context, id model.ItemID) (w model.WorkItem, err error) {
	err = h.ledger.View(ctx, func(r model.Reader) error {
		w, _ = r.Item(id)
		return nil
	})
	return w, err
}
