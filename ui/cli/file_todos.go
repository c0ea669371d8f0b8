package cli

import (
	"errors"
	"io/fs"

	"vise/model"
	file "vise/model/todo"
	"vise/store/files/todos"
)

// fileTodos find the file todos that links name. Each session is opened and read once.
type fileTodos struct {
	read map[model.Text]fileSession
}

type fileSession struct {
	*todos.Session
	index *file.Index
	err   error
}

func newFileTodos() *fileTodos { return &fileTodos{map[model.Text]fileSession{}} }

func (f *fileTodos) close() {
	for _, s := range f.read {
		if s.Session != nil {
			s.Close()
		}
	}
}

func (f *fileTodos) session(base model.Text) fileSession {
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

// find is the todo that a link names.
func (f *fileTodos) find(l model.TodoRef) (file.Todo, bool) {
	s := f.session(l.TodosBase)
	if s.err != nil {
		return file.Todo{}, false
	}
	return s.index.Find(file.Linked(l))
}

// missing says in words why find does not find.
func (f *fileTodos) missing(l model.TodoRef) string { return missingWord(f.session(l.TodosBase).err) }

func missingWord(err error) string {
	switch {
	case err == nil:
		return "its file is gone"
	case errors.Is(err, todos.ErrGone), errors.Is(err, fs.ErrNotExist):
		return "its session was removed"
	}
	return "it cannot be read: " + model.Text(err.Error()).String()
}

// linkedTodo is a file todo that an item links to, as its file stands.
type linkedTodo struct {
	Todo   file.Ref    `json:"todo"`
	Base   model.Text  `json:"todos_base"`
	Status file.Status `json:"status,omitempty"`
	Title  model.Text  `json:"title,omitempty"`
	// Missing is why the file cannot be shown.
	Missing string `json:"missing,omitempty"`
}

func linkedTodos(refs []model.TodoRef, files *fileTodos) []linkedTodo {
	var out []linkedTodo
	for _, l := range refs {
		x := linkedTodo{Todo: file.Linked(l), Base: l.TodosBase}
		if t, ok := files.find(l); ok {
			x.Status, x.Title = t.Status, t.Title
		} else {
			x.Missing = files.missing(l)
		}
		out = append(out, x)
	}
	return out
}

func (p *page) linked(list []linkedTodo) {
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line("%s", p.muted("file todos"))
	for _, x := range list {
		if x.Missing != "" {
			p.line("  %s  %s", x.Todo, x.Missing)
			continue
		}
		p.line("  %s  %s  %s", x.Todo, model.Text(x.Status), x.Title)
	}
}
