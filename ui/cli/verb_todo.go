package cli

import (
	"os"
	"slices"
	"strings"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
	"vise/store/todos"
)

// todoVerbs are vise todo and its subcommands, with the flags and the argument that they share.
type todoVerbs struct {
	*Env
	repo, session, as string
	all, anywhere     bool
	// id is the todo that a subcommand is about.
	id string
}

func todoVerb() verb {
	v := &todoVerbs{}
	return verb{
		use: "todo", short: "Work on findings that are kept as Markdown files",
		long: "A file todo is a Markdown file about one finding or plan task, in tmp/WORKFLOW/ID/todos/SOURCE/.\n" +
			"Its front matter alone says where it stands: pending, ready, in_progress, blocked, interrupted,\n" +
			"complete or wont_fix. Files can be edited by hand; vise changes only the lines that change.",
		shared: flags{
			{"repo", &v.repo, "the repository's directory (default: the one around the working directory)"},
			{"session", &v.session, "the session, as tmp/WORKFLOW/ID (default: all to look at, the only one to act on)"},
			{"all", &v.all, "act on every session of the repository: cleanup, next --claim, triage --all-p3, resume"},
			{"anywhere", &v.anywhere, "let --session lie elsewhere in the repository"},
			{"as", &v.as, "who acts, an agent's or worker's name (default: the user, on a terminal)"},
		},
		verbs: subverbs(func(e *Env) { v.Env = e },
			v.create(), v.triage(), v.list(), v.show(), v.next(), v.start(), v.block(), v.resolve(), v.complete(), v.reopen(),
			v.interrupt(), v.resume(), v.validate(), v.cleanup(), v.importing(), v.log(), v.sessions(), v.promote(), v.link()),
	}
}

// inSession does run with one session.
func (v *todoVerbs) inSession(run func(at *todoSession) (answer, error)) body {
	return func(*Env) (answer, error) {
		at, err := v.open()
		if err != nil {
			return nil, err
		}
		defer at.Close()
		return run(at)
	}
}

// onTodo does run with the session of the todo that the argument names. v.id is then the todo's name there.
func (v *todoVerbs) onTodo(run func(at *todoSession) (answer, error)) body {
	return func(*Env) (answer, error) {
		at, id, err := v.holding(v.id)
		if err != nil {
			return nil, err
		}
		defer at.Close()
		v.id = id
		return run(at)
	}
}

// change makes one change of the todo that the argument names, and shows the changed todo.
func (v *todoVerbs) change(m *file.Move, judge file.Judgement) body {
	return v.onTodo(func(at *todoSession) (answer, error) { return at.one(at.Change(v.id, v.by(*m), judge)) })
}

func todoMisuse(format string, args ...any) error {
	return model.Invalid(format, args...).WithHint("see vise todo --help")
}

// repository returns the selected repository.
func (v *todoVerbs) repository() string {
	if v.repo == "" {
		return todos.RepoOf(v.dir)
	}
	return absolute(v.dir, v.repo)
}

// by returns a move by the actor, now. Files name the operator the user.
func (v *todoVerbs) by(m file.Move) file.Move {
	if m.Actor = home.FileActor(v.Env.actor); v.as != "" {
		m.Actor = file.Actor{Name: model.Text(v.as), Operator: v.as == file.User}
	}
	m.At, m.Owner = v.now().UTC(), m.Actor.Name
	return m
}

// hostName returns this machine's name in leases.
func hostName() string {
	name, _ := os.Hostname()
	return name
}

func alive() file.Probe { return todos.Processes(hostName()) }

// find returns the item that a handle, an id or the beginning of an id names.
func find(e *Env, ref string) (model.View, error) {
	id, err := resolve(e, ref)
	if err != nil {
		return model.View{}, err
	}
	return readOne(e, func(r model.Reader) (model.View, error) { return home.ViewOf(r, id), nil })
}

// todoLimits returns the ages from which a file todo is stale.
func todoLimits(e *Env) (file.Thresholds, error) {
	s, err := settings(e, "todos", "todos: {stale: {in_progress: 24h, blocked: 72h, interrupted: 24h}}")
	x := s.Todos.Stale
	return file.Thresholds{InProgress: x.InProgress.Duration(), Blocked: x.Blocked.Duration(), Interrupted: x.Interrupted.Duration()}, err
}

// filterFlags are the filter flags that the reading commands share.
type filterFlags struct {
	status, priority, source, tags commas
	assigned                       string
}

func (f *filterFlags) flags() flags {
	return flags{
		{"priority", &f.priority, "only these priorities: p1, p2, p3"},
		{"source", &f.source, "only these sources"},
		{"tags", &f.tags, "only what carries all of these tags"},
		{"assigned", &f.assigned, "only what is assigned to this worker"},
	}
}

// filter reads the flags. An unknown word is an error, never an empty list.
func (f *filterFlags) filter(sources []string) (file.Filter, error) {
	out, err := file.ParseFilter(f.status, f.priority, f.source, f.tags, f.assigned)
	if err != nil {
		return out, err
	}
	return out, out.KnownSources(sources)
}

// wordsOf returns the words of a flag, each once.
func wordsOf[T ~string](words []string) (out []T) {
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" && !slices.Contains(out, T(w)) {
			out = append(out, T(w))
		}
	}
	return out
}
