package home

import (
	"errors"
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
