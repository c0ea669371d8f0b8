package cli

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"sync"
	"time"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
	"vise/store/todos"
	"vise/ui/console"
	"vise/watcher"
)

// fileTodos are the console's file todos: the newest session of the repository that it was
// started in, and the sessions that links name. Each is opened once, and watched.
type fileTodos struct {
	ctx  context.Context
	repo string
	now  func() time.Time
	news chan struct{}

	mu sync.Mutex // protects all below
	// own is the directory of the repository's session; empty without one.
	own      model.Text
	sessions map[model.Text]*watchedSession
	watching sync.WaitGroup
	// earlier are findings that were dismissed in other sessions, read once.
	earlier func() []file.Dismissed
	// home is where findings are promoted to; nil: they cannot be.
	home *home.Home
}

type watchedSession struct {
	*todos.Session
	snap    todos.Snapshot
	changes *watcher.Changes
}

// mostSessions bounds the sessions that are watched at once; links to more are not shown.
const mostSessions = 16

func newFileTodos(ctx context.Context, dir string, now func() time.Time) *fileTodos {
	repo := todos.RepoOf(dir)
	return &fileTodos{ctx: ctx, repo: repo, now: now, news: make(chan struct{}, 1), sessions: map[model.Text]*watchedSession{},
		earlier: sync.OnceValue(func() []file.Dismissed { return todos.Dismissed(repo) })}
}

func (r *fileTodos) close() {
	r.mu.Lock()
	for base := range r.sessions {
		r.drop(base)
	}
	r.mu.Unlock()
	r.watching.Wait()
}

// drop closes a session. The caller holds mu.
func (r *fileTodos) drop(base model.Text) {
	s := r.sessions[base]
	delete(r.sessions, base)
	s.changes.Close()
	s.Close()
	if r.own == base {
		r.own = ""
	}
}

// take begins to watch a session. Bodies are read when one is shown. The caller holds mu.
func (r *fileTodos) take(s *todos.Session) (*watchedSession, error) {
	snap, err := s.Load()
	if err != nil {
		s.Close()
		return nil, err
	}
	w := &watchedSession{Session: s, snap: snap, changes: watcher.Todos(r.ctx, s, snap)}
	r.sessions[model.Text(s.Path())] = w
	r.watching.Go(func() {
		for {
			if err := w.changes.Next(r.ctx); err != nil {
				return
			}
			r.tell()
		}
	})
	return w, nil
}

// tell says that something changed; once is enough until it was read.
func (r *fileTodos) tell() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// fresh is a session as it is now. One that was removed is let go.
func (r *fileTodos) fresh(base model.Text) (*watchedSession, error) {
	w, ok := r.sessions[base]
	if !ok {
		if len(r.sessions) >= mostSessions {
			return nil, errors.New("too many sessions are linked")
		}
		s, err := todos.OpenAt(base.Raw()) // raw: a path to open, not shown
		if err != nil {
			return nil, err
		}
		return r.take(s)
	}
	snap, err := w.Reload(w.snap)
	if err != nil {
		r.drop(base)
		return nil, err
	}
	w.snap = snap
	return w, nil
}

// mine is the repository's own session: the newest there is, until it is removed.
func (r *fileTodos) mine() (*watchedSession, error) {
	if r.own != "" {
		if w, err := r.fresh(r.own); err == nil {
			return w, nil
		}
	}
	s, err := todos.Newest(r.repo)
	if err != nil {
		return nil, err
	}
	base := model.Text(s.Path())
	if w, known := r.sessions[base]; known {
		s.Close()
		r.own = base
		return w, nil
	}
	w, err := r.take(s)
	if err == nil {
		r.own = base
	}
	return w, err
}

// Read is part of console.Files.
func (r *fileTodos) Read(_ context.Context, links []model.TodoRef) console.FilesRead {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out console.FilesRead
	switch w, err := r.mine(); {
	case err == nil:
		out.Session, out.Base, out.Todos = model.Text(w.Name()), model.Text(w.Path()), slices.Clone(w.snap.Todos)
		for _, d := range w.snap.Damaged {
			out.Damaged = append(out.Damaged, (model.Text(d.Source) + "/" + model.Text(d.File) + " is damaged: " + model.Text(d.Reason)).
				String())
		}
	case !errors.Is(err, todos.ErrNoSession) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, todos.ErrGone):
		out.Trouble = model.Text(err.Error()).String()
	}
	for _, l := range links {
		x := console.LinkedTodo{Link: l}
		w, err := r.fresh(l.TodosBase)
		found := false
		if err == nil {
			x.Todo, found = w.snap.Index().Find(file.Linked(l))
		}
		if !found {
			x.Missing = home.MissingTodo(err)
		}
		out.Linked = append(out.Linked, x)
	}
	return out
}

// searchEvery is how often a repository without a session is searched for one.
const searchEvery = 5 * time.Second

// Next is part of console.Files.
func (r *fileTodos) Next(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.news:
			return nil
		case <-time.After(searchEvery):
			if r.appeared() {
				return nil
			}
		}
	}
}

// appeared reports whether there is a session where none was.
func (r *fileTodos) appeared() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.own != "" {
		return false
	}
	found, err := todos.Discover(r.repo)
	return err == nil && len(found) > 0
}
