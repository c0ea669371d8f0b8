package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
	"vise/store/todos"
)

// todoVerbs are vise todo and its subcommands, with the flags that they share.
type todoVerbs struct {
	app               *app
	repo, session, as string
	all, anywhere     bool
}

func (a *app) todoVerb() *cobra.Command {
	v := &todoVerbs{app: a}
	c := &cobra.Command{
		Use:   "todo",
		Short: "Work on findings that are kept as Markdown files",
		Long: "A file todo is a Markdown file about one finding or plan task, in tmp/WORKFLOW/ID/todos/SOURCE/.\n" +
			"Its front matter alone says where it stands: pending, ready, in_progress, blocked, interrupted,\n" +
			"complete or wont_fix. Files can be edited by hand; vise changes only the lines that change.",
	}
	flags := c.PersistentFlags()
	flags.StringVar(&v.repo, "repo", "", "the repository's directory (default: the one around the working directory)")
	flags.StringVar(&v.session, "session", "", "the session, as tmp/WORKFLOW/ID (default: all to look at, the only one to act on)")
	flags.BoolVar(&v.all, "all", false, "act on every session of the repository: cleanup, next --claim, triage --all-p3, resume")
	flags.BoolVar(&v.anywhere, "anywhere", false, "let --session lie elsewhere in the repository")
	flags.StringVar(&v.as, "as", "", "who acts, an agent's or worker's name (default: the user, on a terminal)")
	c.AddCommand(v.create(), v.triage(), v.list(), v.show(), v.next(), v.start(), v.block(), v.resolve(), v.complete(),
		v.reopen(), v.interrupt(), v.resume(), v.validate(), v.cleanup(), v.importing(), v.log(), v.sessions(), v.promote(), v.link())
	exemplify(c, todoExamples)
	return a.group(c)
}

// verb makes a command on one whole session. creates lets it make that session.
func (v *todoVerbs) verb(use, short string, creates bool,
	run func(ctx context.Context, at *todoSession, args []string) (answer, error)) *cobra.Command {
	return v.bare(use, short, func(ctx context.Context, args []string) (answer, error) {
		at, err := v.open(creates)
		if err != nil {
			return answer{}, err
		}
		defer at.Close()
		return run(ctx, at, args)
	})
}

// onTodo makes a command on the todo in its first argument, in the session that holds the todo.
func (v *todoVerbs) onTodo(use, short string,
	run func(ctx context.Context, at *todoSession, args []string) (answer, error)) *cobra.Command {
	return v.bare(use, short, func(ctx context.Context, args []string) (answer, error) {
		at, word, err := v.holding(args[0])
		if err != nil {
			return answer{}, err
		}
		defer at.Close()
		return run(ctx, at, append([]string{word}, args[1:]...))
	})
}

// change makes a command that changes one todo and shows the changed todo.
func (v *todoVerbs) change(use, short string, run func(at *todoSession, args []string) (file.Todo, error)) *cobra.Command {
	return v.onTodo(use, short, func(_ context.Context, at *todoSession, args []string) (answer, error) {
		t, err := run(at, args)
		return at.one(t, err)
	})
}

// bare makes a command that finds its sessions itself.
func (v *todoVerbs) bare(use, short string, run func(context.Context, []string) (answer, error)) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short}
	return v.app.acting(c, func(ctx context.Context, args []string) (answer, error) {
		a, err := run(ctx, args)
		return a, howToGive(c, err)
	})
}

// howToGive says how the command takes what a todo lacks.
func howToGive(c *cobra.Command, err error) error {
	var r *file.Refusal
	if !errors.As(err, &r) || len(r.Missing) == 0 {
		return err
	}
	name := map[string]string{"resolution_reason": "reason", "dependencies": "on", "assigned_to": "as"}[r.Missing[0]]
	if c.Flags().Lookup(name) != nil {
		r.Hint = "say it with --" + name
	} else {
		r.Hint = "usage: " + usageLine(c)
	}
	return err
}

func todoMisuse(format string, args ...any) error {
	return model.Refuse(model.CodeInvalid, format, args...).WithHint("see vise todo --help")
}

// dir returns the selected repository.
func (v *todoVerbs) dir() string {
	if v.repo == "" {
		return todos.RepoOf(v.app.dir)
	}
	return absolute(v.app.dir, v.repo)
}

// actor returns the actor as file todos name it: the operator is the user.
func (v *todoVerbs) actor() file.Actor {
	if v.as != "" {
		return file.Actor{Name: model.Text(v.as), Operator: v.as == file.User}
	}
	return home.FileActor(v.app.actor)
}

// move returns a move to a status, by this actor, now.
func (at *todoSession) move(to file.Status, reason string) file.Move {
	return file.Move{To: to, Actor: at.actor, At: at.app.now().UTC(), Reason: model.Text(reason), Owner: at.actor.Name}
}

// hostName returns this machine's name in leases.
func hostName() string {
	name, _ := os.Hostname()
	return name
}

func (at *todoSession) alive() file.Probe { return todos.Processes(hostName()) }

// stale returns the abandoned todos.
func (at *todoSession) stale(x *file.Index) (map[file.Ref]*file.Stale, error) {
	limits, err := at.app.todoLimits()
	if err != nil {
		return nil, err
	}
	out := map[file.Ref]*file.Stale{}
	for _, s := range file.FindStale(x, at.app.now(), limits, at.Life(hostName(), at.alive()), at.alive()) {
		out[s.Todo] = &s
	}
	return out, nil
}

// view returns an item's view from the ledger.
func (a *app) view(ctx context.Context, id model.ItemID) (model.View, error) {
	return readOne(a, func(r model.Reader) (model.View, error) { return home.ViewOf(r, id), nil })
}

// find returns the item that a handle, an id or the beginning of an id names.
func (a *app) find(ctx context.Context, ref string) (model.View, error) {
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return model.View{}, err
	}
	return a.view(ctx, id)
}

// todoLimits returns the ages from which a file todo is stale.
func (a *app) todoLimits() (file.Thresholds, error) {
	s, err := a.settings("todos", "todos: {stale: {in_progress: 24h, blocked: 72h, interrupted: 24h}}")
	x := s.Todos.Stale
	return file.Thresholds{InProgress: x.InProgress.Duration(), Blocked: x.Blocked.Duration(), Interrupted: x.Interrupted.Duration()}, err
}

// filterFlags are the filter flags that the reading commands share.
type filterFlags struct {
	status, priority, source, tags []string
	assigned                       string
}

func (f *filterFlags) add(c *cobra.Command, withStatus bool) {
	if withStatus {
		c.Flags().StringSliceVar(&f.status, "status", nil, "only these statuses")
	}
	c.Flags().StringSliceVar(&f.priority, "priority", nil, "only these priorities: p1, p2, p3")
	c.Flags().StringSliceVar(&f.source, "source", nil, "only these sources")
	c.Flags().StringSliceVar(&f.tags, "tags", nil, "only what carries all of these tags")
	c.Flags().StringVar(&f.assigned, "assigned", "", "only what is assigned to this worker")
}

// filter reads the flags. An unknown word is an error, never an empty list.
func (f *filterFlags) filter(sources []string) (file.Filter, error) {
	out, err := file.ParseFilter(f.status, f.priority, f.source, f.tags, f.assigned)
	if err != nil {
		return out, err
	}
	return out, out.KnownSources(sources)
}

func texts(words []string) []model.Text {
	var out []model.Text
	for _, w := range words {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, model.Text(w))
		}
	}
	return out
}

func refs(words []string) []file.Ref {
	var out []file.Ref
	for _, w := range words {
		if r := file.Ref(strings.TrimSpace(w)); r != "" && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}
