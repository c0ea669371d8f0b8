package home

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// TodoFiles find the file todos that links name. Each session is opened and read once.
type TodoFiles struct {
	read map[model.Text]todoSession
}

type todoSession struct {
	*todos.Session
	index *file.Index
	err   error
}

// NewTodoFiles has read nothing yet. Close lets its sessions go.
func NewTodoFiles() *TodoFiles { return &TodoFiles{map[model.Text]todoSession{}} }

// Close lets the sessions go that were opened.
func (f *TodoFiles) Close() {
	for _, s := range f.read {
		if s.Session != nil {
			s.Close()
		}
	}
}

func (f *TodoFiles) session(base model.Text) todoSession {
	s, known := f.read[base]
	if known {
		return s
	}
	if s.Session, s.err = todos.OpenAt(base.Raw()); s.err == nil { // raw: a path to open, not shown
		var snap todos.Snapshot
		snap, s.err = s.Load()
		s.index = snap.Index()
	}
	f.read[base] = s
	return s
}

// Find is the todo that a link names.
func (f *TodoFiles) Find(l model.TodoRef) (file.Todo, bool) {
	s := f.session(l.TodosBase)
	if s.err != nil {
		return file.Todo{}, false
	}
	return s.index.Find(file.Linked(l))
}

// missing says in words why Find does not find.
func (f *TodoFiles) missing(l model.TodoRef) string { return MissingTodo(f.session(l.TodosBase).err) }

// MissingTodo says in words why the file of a link cannot be shown, after err of its session.
func MissingTodo(err error) string {
	switch {
	case err == nil:
		return "its file is gone"
	case errors.Is(err, todos.ErrGone), errors.Is(err, fs.ErrNotExist):
		return "its session was removed"
	}
	return "it cannot be read: " + model.Text(err.Error()).String()
}

// LinkedTodo is a file todo that an item links to, as its file stands.
type LinkedTodo struct {
	Todo   file.Ref    `json:"todo"`
	Base   model.Text  `json:"todos_base"`
	Status file.Status `json:"status,omitempty"`
	Title  model.Text  `json:"title,omitempty"`
	// Missing is why the file cannot be shown.
	Missing string `json:"missing,omitempty"`
}

// Todos are the file todos that links name.
func (f *TodoFiles) Todos(refs []model.TodoRef) []LinkedTodo {
	var out []LinkedTodo
	for _, l := range refs {
		x := LinkedTodo{Todo: file.Linked(l), Base: l.TodosBase}
		if t, ok := f.Find(l); ok {
			x.Status, x.Title = t.Status, t.Title
		} else {
			x.Missing = f.missing(l)
		}
		out = append(out, x)
	}
	return out
}

// Derive is a todo list with the rows that speak of linked todos as their files are now.
func (f *TodoFiles) Derive(list []model.Todo, links []model.TodoRef) []model.Todo {
	if len(links) == 0 {
		return list
	}
	return file.DeriveRows(list, links, f.Find)
}

// RefreshTodos has the ledger know how the rows of an open item stand that speak of linked
// todos. by names who asks; what cannot be noted now is noted by the next who asks.
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
	by.Key, by.Command = NewKey(), model.RefreshTodos{WorkItemID: item.ID, Rows: rows}
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

// Promote makes a work item of a finding in the session at base: its title and text become
// objective and plan, and the item links to it. by is who does, and for which agent; without
// a key one and the same finding becomes an item once. A finding that is over is refused.
func (h *Home) Promote(ctx context.Context, by model.Envelope, base string, t file.Todo, body string) (model.ItemID, error) {
	if t.Status.Final() {
		return "", model.Refuse(model.CodeRefused, "%s is %s: there is nothing to work on", t.Ref(), t.Status).At("id").
			WithHint("vise todo reopen %s gives it back", t.Ref())
	}
	objective, plan := file.Promote(t, body)
	// raw: hashed, not shown
	sum := sha256.Sum256([]byte(base + "\x00" + t.Ref().Raw() + "\x00" + objective.Raw() + "\x00" + plan.Raw()))
	by.Key, by.Command = cmp.Or(by.Key, "promote-"+hex.EncodeToString(sum[:16])), model.CreateWorkItem{Objective: objective, Plan: plan}
	in, err := h.Apply(ctx, by)
	if err != nil {
		return "", err
	}
	links := model.Links{TodoRefs: []model.TodoRef{{TodosBase: model.Text(base), QualifiedID: model.Text(t.Ref())}}}
	by.Key, by.Command = NewKey(), model.LinkWorkItem{WorkItemID: in.WorkItemID, Add: links}
	if _, err := h.Apply(ctx, by); err != nil {
		return in.WorkItemID, fmt.Errorf("%s was made, and is not linked yet: %w", in.WorkItemID, err)
	}
	return in.WorkItemID, nil
}
