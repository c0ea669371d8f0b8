package cli

import (
	"fmt"
	"slices"
	"strings"

	"vise/model"
	file "vise/model/todo"
	"vise/store/files"
	"vise/store/todos"
)

// todoSession is an open session.
type todoSession struct {
	*todos.Session
	v *todoVerbs
	// among means that the repository has other sessions.
	among bool
	// snap are the todos, as read last.
	snap todos.Snapshot
}

// read reads the todos, also their bodies if asked to.
func (at *todoSession) read(bodies bool) (err error) {
	at.snap, err = at.Load(bodies)
	return err
}

// todo reads the todos, also their bodies if asked to, and returns the one with an id.
func (at *todoSession) todo(id string, bodies bool) (t file.Todo, err error) {
	if err = at.read(bodies); err == nil {
		t, err = at.snap.Resolve(id)
	}
	return t, err
}

// open opens the named session, which it makes if it is not there, else the only one.
func (v *todoVerbs) open() (*todoSession, error) {
	if v.all {
		return nil, todoMisuse("this verb works on one session at a time: say which with --session")
	}
	if v.session != "" {
		return v.named(todos.OpenNew)
	}
	all, err := v.wide()
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// wide opens the sessions for an act on whole sessions: all of them with --all, else the named one or the only one.
func (v *todoVerbs) wide() ([]*todoSession, error) {
	all, err := v.several()
	if err != nil || v.all || len(all) == 1 {
		return all, err
	}
	defer closeAll(all)
	names := make([]string, len(all))
	for i, at := range all {
		names[i] = strings.TrimSuffix(at.Rel, "/todos")
	}
	return nil, model.Refuse(model.CodeAmbiguous, "the repository has %d sessions", len(all)).At("session",
		"say which with --session, or --all if the verb takes it; the newest first: %s", strings.Join(names, ", "))
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
func (v *todoVerbs) several() (all []*todoSession, err error) {
	if v.session != "" {
		at, err := v.named(todos.Open)
		if err != nil {
			return nil, err
		}
		return []*todoSession{at}, nil
	}
	found, err := todos.OpenAll(v.repository())
	if err == nil && len(found) == 0 {
		err = todos.ErrNoSession
	}
	for _, s := range found {
		all = append(all, &todoSession{Session: s, v: v, among: len(found) > 1})
	}
	return all, err
}

// holding opens the session of the todo that word names, and returns the todo's name in it. If there are several sessions, the word must
// name the session, as in "reviews/abc123/review/001", or only one session may have such a todo.
func (v *todoVerbs) holding(word string) (*todoSession, string, error) {
	if name, within := file.Ref(word).Split(); name != "" {
		s, err := todos.OpenNamed(v.repository(), name)
		return &todoSession{Session: s, v: v, among: true}, string(within), noSuchSession(err)
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
		t, err := at.todo(word, false)
		id := t.Full()
		if err != nil {
			id = file.NewRef(at.Name(), word)
			if fault(err).Code == model.CodeNotFound {
				continue
			}
		}
		hit, names = at, append(names, id.String())
	}
	if len(names) == 1 {
		closeAll(slices.DeleteFunc(all, func(at *todoSession) bool { return at == hit }))
		return hit, word, nil
	}
	closeAll(all)
	if len(names) == 0 {
		return nil, "", notFound("no todo is called %q in any of %d sessions", word, len(all)).At("id",
			"vise todo list shows the todos")
	}
	return nil, "", model.Refuse(model.CodeAmbiguous, "%d sessions have a todo %q", len(names), model.Text(word)).At("id",
		"say which: %s", strings.Join(names, ", "))
}

func closeAll(all []*todoSession) {
	for _, at := range all {
		at.Close()
	}
}

// named opens the session that --session names.
func (v *todoVerbs) named(open func(repo, rel string) (*todos.Session, error)) (*todoSession, error) {
	rel, err := todos.Normalize(v.repository(), v.session, v.anywhere)
	if err != nil {
		return nil, misuse("session", "%s", err.Error()).
			WithHint("pass tmp/WORKFLOW/ID, or say --anywhere")
	}
	s, err := open(v.repository(), rel)
	return &todoSession{Session: s, v: v}, noSuchSession(err)
}

// noSuchSession adds to the error for a missing session how to list the existing ones.
func noSuchSession(err error) error {
	if !files.IsGone(err) {
		return err
	}
	return notFound("%s", err.Error()).At("session",
		"vise todo sessions lists those that are there")
}

// readingTodos is what a command reads: the selected sessions and their todos.
type readingTodos struct {
	sessions []*todoSession
	filter   file.Filter
}

// look reads the named session, else all of the repository. It filters by the flags f unless they are nil.
func (v *todoVerbs) look(bodies bool, f *filterFlags) (at readingTodos, err error) {
	at.sessions, err = v.several()
	var sources []string
	for _, s := range at.sessions {
		if err == nil {
			err = s.read(bodies)
			sources = append(sources, s.snap.Sources...)
		}
	}
	if err == nil && f != nil {
		at.filter, err = f.filter(sources)
	}
	if err != nil {
		at.close()
	}
	return at, err
}

func (at readingTodos) close() { closeAll(at.sessions) }

// rel returns the session that was read. It is empty if there are several.
func (at readingTodos) rel() string {
	if len(at.sessions) == 1 {
		return at.sessions[0].Rel
	}
	return ""
}

// of returns the session that holds a todo.
func (at readingTodos) of(t *file.Todo) *todoSession {
	return at.sessions[slices.IndexFunc(at.sessions, func(s *todoSession) bool { return s.Name() == t.Session })]
}

// lists are the todos of each session.
func (at readingTodos) lists() (all [][]file.Todo) {
	for _, s := range at.sessions {
		all = append(all, s.snap.Todos)
	}
	return all
}

// todos returns the todos of all sessions that the filter accepts, in one list.
func (at readingTodos) todos() []*file.Todo {
	return slices.DeleteFunc(file.Merge(at.lists()...), func(t *file.Todo) bool { return !at.filter.Admits(*t) })
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
					said = append(said, fmt.Sprintf("%s: %s %s (%s)", s.label(t.Ref()), n.Field, safe(n.Message), n.Rule))
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

// todoGistOf counts the file todos of the repository around the working directory. It is nil if there is none.
func todoGistOf(e *Env) *todoGist {
	at, err := (&todoVerbs{Env: e}).look(false, nil)
	if err != nil {
		return nil
	}
	defer at.close()
	return &todoGist{len(at.sessions), file.Count(at.lists()...)}
}

func (p *page) todoGist(g *todoGist) {
	if g != nil {
		p.line("file todos, sessions %d: %s; vise todo list", g.Sessions, g.Summary)
	}
}

// label returns a todo's name for people. It includes the session if there are others.
func (at *todoSession) label(r file.Ref) file.Ref {
	if at.among {
		return file.NewRef(at.Name(), r.Raw())
	}
	return r
}
