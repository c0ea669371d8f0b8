package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
	"vise/store/todos"
	"vise/ui/console"
	"vise/watcher"
)

// fileTodos are the console's file todos: the sessions of the repository in which it was started, and the sessions that links name. Each
// session is opened once and watched.
type fileTodos struct {
	ctx  context.Context
	repo string
	now  func() time.Time
	news chan struct{}

	mu sync.Mutex // protects the fields below
	// own are the directories of the repository's sessions, newest first.
	own      []model.Text
	sessions map[model.Text]*watchedSession
	watching sync.WaitGroup
	thrifty  sync.Once
	// home receives promoted findings.
	home *home.Home
	// editor opens a file at a line.
	editor func(path string, line int) (*exec.Cmd, error)
}

type watchedSession struct {
	*todos.Session
	snap    todos.Snapshot
	changes *watcher.Changes
}

// From this many todos on, the garbage collector runs earlier, because the todos live as long as the console.
const (
	manyTodos = 2000
	manyShare = 40 // percent, as GOGC
)

// mostSessions is the most sessions that are watched at once. Older sessions are not shown.
const mostSessions = 64

func newFileTodos(ctx context.Context, dir string, now func() time.Time) *fileTodos {
	repo := todos.RepoOf(dir)
	return &fileTodos{ctx: ctx, repo: repo, now: now, news: make(chan struct{}, 1), sessions: map[model.Text]*watchedSession{}}
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
}

// take begins to watch a session. A todo's body is read when it is shown. The caller holds mu.
func (r *fileTodos) take(s *todos.Session) (*watchedSession, error) {
	look, err := s.Look()
	snap := todos.Snapshot{}
	if err == nil {
		snap, err = s.Reload(snap)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	w := &watchedSession{Session: s, snap: snap, changes: watcher.Todos(r.ctx, s, look)}
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

// tell reports that something changed. One report is enough until it is read.
func (r *fileTodos) tell() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

// fresh returns a session as it is now. It closes a session that was removed.
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

// ours returns the repository's sessions as they are now, newest first. left is the number of older sessions that are not returned. trouble
// is why a session cannot be read.
func (r *fileTodos) ours() (all []*watchedSession, left int, trouble error) {
	found, err := todos.Discover(r.repo)
	if err != nil {
		return nil, 0, err
	}
	left = max(len(found)-mostSessions, 0)
	r.own = nil
	files := 0
	for _, f := range found[:len(found)-left] {
		files += f.Files
	}
	if files >= manyTodos {
		r.thrifty.Do(func() { debug.SetGCPercent(manyShare) })
	}
	for _, f := range found[:len(found)-left] {
		base := model.Text(filepath.Join(r.repo, filepath.FromSlash(f.Rel)))
		w, err := r.fresh(base)
		switch {
		case err == nil:
			all, r.own = append(all, w), append(r.own, base)
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, todos.ErrGone):
			trouble = err
		}
	}
	return all, left, trouble
}

// holding returns the session that a full ref names, and the todo's ref in that session.
func (r *fileTodos) holding(ref file.Ref) (*watchedSession, file.Ref, error) {
	if len(r.own) == 0 {
		_, _, _ = r.ours()
	}
	name, within := ref.Split()
	for _, base := range r.own {
		if w := r.sessions[base]; w != nil && w.Name() == name {
			w, err := r.fresh(base)
			return w, within, err
		}
	}
	return nil, within, todos.ErrGone
}

// Read is part of console.Files.
func (r *fileTodos) Read(_ context.Context, links []model.TodoRef) console.FilesRead {
	r.mu.Lock()
	defer r.mu.Unlock()
	all, left, err := r.ours()
	var sessions []console.FileSession
	var damaged []console.DamagedTodo
	for _, w := range all {
		sessions = append(sessions, console.FileSession{Name: model.Text(w.Name()), Base: model.Text(w.Path()), Index: w.snap.Index})
		for i := range w.snap.Damaged {
			d := &w.snap.Damaged[i]
			said := model.Text(d.Source) + "/" + model.Text(d.File) + " is damaged: " + model.Text(d.Reason)
			damaged = append(damaged, console.DamagedTodo{Ref: file.NewRef(w.Name(), d.Ref().Raw()), Said: said.String()})
		}
	}
	out := console.FilesOf(sessions...)
	out.Damaged = damaged
	switch {
	case err != nil:
		out.Trouble = safe(err.Error())
	case left > 0:
		out.Trouble = fmt.Sprintf("%d older sessions are not shown: vise todo list shows all", left)
	}
	for _, l := range links {
		x := console.LinkedTodo{Link: l}
		w, err := r.fresh(l.TodosBase)
		found := false
		if err == nil {
			x.Todo, found = w.snap.Index.Find(file.Linked(l))
		}
		if !found {
			x.Missing = home.MissingTodo(err)
		}
		out.Linked = append(out.Linked, x)
	}
	return out
}

// searchEvery is how often a repository is searched for new sessions.
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

// appeared reports whether there are more or fewer sessions than were read.
func (r *fileTodos) appeared() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, err := todos.Discover(r.repo)
	return err == nil && min(len(found), mostSessions) != len(r.own)
}
