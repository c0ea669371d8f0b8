// Package linked is the file todos that work items link to, for every door alike: how the
// rows that speak of them stand, and what becomes of the open ones when an item is
// completed (mental model, rules 1 and 5).
//
// Reading order: files.go (finding the files), rows.go (the derived rows), decide.go (what
// can be decided), settle.go (carrying it out beside a command).
package linked

import (
	"errors"
	"io/fs"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// Files find the file todos that links name. Each session is opened and read once.
type Files struct {
	read map[model.Text]session
}

type session struct {
	*todos.Session
	index *file.Index
	err   error
}

// NewFiles has read nothing yet. Close lets its sessions go.
func NewFiles() *Files { return &Files{map[model.Text]session{}} }

// Close lets the sessions go that were opened.
func (f *Files) Close() {
	for _, s := range f.read {
		if s.Session != nil {
			s.Close()
		}
	}
}

func (f *Files) session(base model.Text) session {
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
func (f *Files) Find(l model.TodoRef) (file.Todo, bool) {
	s := f.session(l.TodosBase)
	if s.err != nil {
		return file.Todo{}, false
	}
	return s.index.Find(file.Linked(l))
}

// missing says in words why Find does not find.
func (f *Files) missing(l model.TodoRef) string { return Missing(f.session(l.TodosBase).err) }

// Missing says in words why the file of a link cannot be shown, after err of its session.
func Missing(err error) string {
	switch {
	case err == nil:
		return "its file is gone"
	case errors.Is(err, todos.ErrGone), errors.Is(err, fs.ErrNotExist):
		return "its session was removed"
	}
	return "it cannot be read: " + model.Text(err.Error()).String()
}

// Todo is a file todo that an item links to, as its file stands.
type Todo struct {
	Todo   file.Ref    `json:"todo"`
	Base   model.Text  `json:"todos_base"`
	Status file.Status `json:"status,omitempty"`
	Title  model.Text  `json:"title,omitempty"`
	// Missing is why the file cannot be shown.
	Missing string `json:"missing,omitempty"`
}

// Todos are the file todos that links name.
func (f *Files) Todos(refs []model.TodoRef) []Todo {
	var out []Todo
	for _, l := range refs {
		x := Todo{Todo: file.Linked(l), Base: l.TodosBase}
		if t, ok := f.Find(l); ok {
			x.Status, x.Title = t.Status, t.Title
		} else {
			x.Missing = f.missing(l)
		}
		out = append(out, x)
	}
	return out
}
