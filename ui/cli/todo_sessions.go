package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/todos"
)

// todoSession is an open session, and the actor.
type todoSession struct {
	*todos.Session
	app   *app
	repo  string
	actor file.Actor
	// among means that the repository has other sessions.
	among bool
}

// readSession is a session and its todos.
type readSession struct {
	*todoSession
	snap  todos.Snapshot
	index *file.Index
}

func (at *todoSession) read(load func(*todos.Session) (todos.Snapshot, error)) (*readSession, error) {
	snap, err := load(at.Session)
	return &readSession{at, snap, snap.Index()}, err
}

// known reads a session's todos for commands that only read. It keeps the result in the home, if there is one.
func (v *todoVerbs) known(s *todos.Session) (todos.Snapshot, error) {
	dir, err := v.app.homeDir()
	if err != nil {
		return s.Load()
	}
	return s.LoadKnown(knownTodos(dir))
}

// knownTodos is the directory in a home that keeps what was read from file todos.
func knownTodos(dir string) string { return filepath.Join(dir, "state", "todos") }

// find returns the todo that a word names.
func (at *readSession) find(word string) (file.Todo, error) { return at.snap.Resolve(at.index, word) }

func (v *todoVerbs) on(s *todos.Session) *todoSession {
	return &todoSession{Session: s, app: v.app, repo: v.dir(), actor: v.actor()}
}

// open opens the named session, else the only one. It makes a session only with create, and only if the session was named.
func (v *todoVerbs) open(create bool) (*todoSession, error) {
	if v.all {
		return nil, todoMisuse("this verb works on one session at a time: say which with --session")
	}
	if v.session != "" {
		how := todos.Open
		if create {
			how = todos.OpenNew
		}
		s, err := v.named(v.session, how)
		return v.on(s), err
	}
	all, err := v.several()
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		err = whichSession(all, "")
		closeAll(all)
		return nil, err
	}
	return all[0], nil
}

// wide opens the sessions for an act on whole sessions: all of them with --all, else the one that open returns.
func (v *todoVerbs) wide() ([]*todoSession, error) {
	all, err := v.several()
	if err != nil || v.all || len(all) == 1 {
		return all, err
	}
	err = whichSession(all, ", or --all for every one")
	closeAll(all)
	return nil, err
}

// eachSession calls do with every session that wide opens.
func (v *todoVerbs) eachSession(do func(at *todoSession) error) error {
	all, err := v.wide()
	if err != nil {
		return err
	}
	defer closeAll(all)
	for _, at := range all {
		if err := do(at); err != nil {
			return fmt.Errorf("session %s: %w", at.Rel, err)
		}
	}
	return nil
}

// several opens the named session, else all of the repository, newest first.
func (v *todoVerbs) several() ([]*todoSession, error) {
	if v.session != "" {
		s, err := v.named(v.session, todos.Open)
		if err != nil {
			return nil, err
		}
		return []*todoSession{v.on(s)}, nil
	}
	found, err := todos.OpenAll(v.dir())
	if err == nil && len(found) == 0 {
		err = todos.ErrNoSession
	}
	var all []*todoSession
	for _, s := range found {
		at := v.on(s)
		at.among = len(found) > 1
		all = append(all, at)
	}
	return all, err
}

// holding opens the session of the todo that word names, and returns the todo's name in it. If there are several sessions, the word must
// name the session, as in "reviews/abc123/review/001", or only one session may have such a todo.
func (v *todoVerbs) holding(word string) (*todoSession, string, error) {
	name, within := file.Ref(word).Split()
	if name != "" {
		s, err := todos.OpenNamed(v.dir(), name)
		if err != nil {
			return nil, "", noSuchSession(err)
		}
		at := v.on(s)
		at.among = true
		return at, string(within), nil
	}
	all, err := v.several()
	if err != nil {
		return nil, "", err
	}
	if len(all) == 1 {
		return all[0], word, nil
	}
	var hit *todoSession
	var names []string
	for _, at := range all {
		s, err := at.read(v.known)
		var t file.Todo
		if err == nil {
			t, err = s.find(word)
		}
		id := t.Full()
		if err != nil {
			id = file.NewRef(at.Name(), word)
			if fault(err).Code == model.CodeNotFound {
				continue
			}
		}
		hit, names = at, append(names, id.String())
	}
	closeAll(slices.DeleteFunc(slices.Clone(all), func(at *todoSession) bool { return at == hit && len(names) == 1 }))
	switch len(names) {
	case 0:
		return nil, "", model.Refuse(model.CodeNotFound, "no todo is called %q in any of %d sessions", model.Text(word), len(all)).At("id").
			WithHint("vise todo list shows the todos")
	case 1:
		return hit, word, nil
	}
	return nil, "", model.Refuse(model.CodeAmbiguous, "%d sessions have a todo %q", len(names), model.Text(word)).At("id").
		WithHint("say which: %s", strings.Join(names, ", "))
}

// whichSession returns an error that asks which of several sessions is meant.
func whichSession(all []*todoSession, or string) error {
	names := make([]string, len(all))
	for i, at := range all {
		names[i] = strings.TrimSuffix(at.Rel, "/todos")
	}
	return model.Refuse(model.CodeAmbiguous, "the repository has %d sessions", len(all)).At("session").
		WithHint("say which with --session%s; the newest first: %s", or, strings.Join(names, ", "))
}

func closeAll(all []*todoSession) {
	for _, at := range all {
		at.Close()
	}
}

// named opens the session that --session or an argument names.
func (v *todoVerbs) named(dir string, open func(repo, rel string) (*todos.Session, error)) (*todos.Session, error) {
	repo := v.dir()
	rel, err := todos.Normalize(repo, dir, v.anywhere)
	if err != nil {
		return nil, model.Refuse(model.CodeInvalid, "%s", err.Error()).At("session").
			WithHint("pass tmp/WORKFLOW/ID, or say --anywhere")
	}
	s, err := open(repo, rel)
	return s, noSuchSession(err)
}

// noSuchSession adds to the error for a missing session how to list the existing ones.
func noSuchSession(err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return model.Refuse(model.CodeNotFound, "%s", model.Text(err.Error())).At("session").
		WithHint("vise todo sessions lists those that are there")
}

// readingTodos is what a command reads: the selected sessions and their todos.
type readingTodos struct {
	sessions []*readSession
	filter   file.Filter
}

// reading makes a command that only reads: the named session, else all of the repository. It reads with load, and filters by the flags f
// unless they are nil.
func (v *todoVerbs) reading(use, short string, load func(*todos.Session) (todos.Snapshot, error), f *filterFlags,
	run func(at readingTodos, args []string) (answer, error)) *cobra.Command {
	return v.bare(use, short, func(_ context.Context, args []string) (answer, error) {
		at, err := v.look(load, f)
		if err != nil {
			return answer{}, err
		}
		defer at.close()
		return run(at, args)
	})
}

func (v *todoVerbs) look(load func(*todos.Session) (todos.Snapshot, error), f *filterFlags) (at readingTodos, err error) {
	all, err := v.several()
	var sources []string
	for _, s := range all {
		var r *readSession
		if r, err = s.read(load); err != nil {
			break
		}
		at.sessions, sources = append(at.sessions, r), append(sources, r.snap.Sources...)
	}
	if err == nil && f != nil {
		at.filter, err = f.filter(sources)
	}
	if err != nil {
		closeAll(all)
	}
	return at, err
}

func (at readingTodos) close() {
	for _, s := range at.sessions {
		s.Close()
	}
}

// rel returns the session that was read. It is empty if there are several.
func (at readingTodos) rel() string {
	if len(at.sessions) == 1 {
		return at.sessions[0].Rel
	}
	return ""
}

// where names for people what was read.
func (at readingTodos) where() string {
	if n := len(at.sessions); n > 1 {
		return fmt.Sprintf("%d sessions", n)
	}
	return at.rel()
}

// of returns the session that holds a todo.
func (at readingTodos) of(t *file.Todo) *readSession {
	return at.sessions[slices.IndexFunc(at.sessions, func(s *readSession) bool { return s.Name() == t.Session })]
}

// todos returns the todos of all sessions that the filter accepts, in one list.
func (at readingTodos) todos() []*file.Todo {
	var all [][]file.Todo
	for _, s := range at.sessions {
		all = append(all, s.snap.Todos)
	}
	return slices.DeleteFunc(file.Merge(all...), func(t *file.Todo) bool { return !at.filter.Admits(*t) })
}

// damaged returns the files of all sessions that cannot be read.
func (at readingTodos) damaged() []todos.Damage {
	out := []todos.Damage{}
	for _, s := range at.sessions {
		out = append(out, s.snap.Damaged...)
	}
	return out
}

// warnings returns the warnings about the files: damage, and words that were read as other words.
func (at readingTodos) warnings() []model.Warning {
	said := damageLines(at.damaged())
	for _, s := range at.sessions {
		for _, t := range s.snap.Todos {
			for _, n := range t.Notes {
				if n.Severity == file.Warn {
					said = append(said, fmt.Sprintf("%s: %s %s (%s)", s.label(t), n.Field, safe(n.Message), n.Rule))
				}
			}
		}
	}
	return todoWarnings(said...)
}

// todoGist counts the repository's file todos by status.
type todoGist struct {
	Sessions int         `json:"sessions"`
	Summary  file.Counts `json:"summary"`
}

// todoGist counts the file todos of the repository around the working directory. It is nil if there is none.
func (a *app) todoGist() *todoGist {
	at, err := (&todoVerbs{app: a}).look((*todos.Session).Load, nil)
	if err != nil {
		return nil
	}
	defer at.close()
	var all [][]file.Todo
	for _, s := range at.sessions {
		all = append(all, s.snap.Todos)
	}
	return &todoGist{len(at.sessions), file.Count(all...)}
}

func (p *page) todoGist(g *todoGist) {
	if g != nil {
		p.line("file todos, sessions %d: %s; vise todo list", g.Sessions, g.Summary)
	}
}

// row returns a todo as commands show it.
func (at *readSession) row(t file.Todo) row {
	r := rowOf(t, at.index).brief()
	r.name = at.label(t)
	return r
}

// label returns a todo's name for people. It includes the session if there are others.
func (at *todoSession) label(t file.Todo) file.Ref {
	if at.among {
		return t.Full()
	}
	return t.Ref()
}
