package todo

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
)

// door is one invocation: its common flags, and where it prints.
type door struct {
	env               Env
	repo, session, as string
	json              bool
	// ctx ends with the invocation; a verb sets it before it runs.
	ctx context.Context
}

// Command is vise todo with all its verbs. An error that it returns is an Exit: what it
// means is printed already.
func Command(env Env) *cobra.Command {
	d := &door{env: env}
	root := &cobra.Command{
		Use:   "todo",
		Short: "What exactly is to do about each finding, and who does it",
		Long: "A file todo is a Markdown file about one finding or plan task, in tmp/WORKFLOW/ID/todos/SOURCE/.\n" +
			"Its front matter alone says where it stands: pending, ready, in_progress, blocked, interrupted,\n" +
			"complete or wont_fix. Files can be edited by hand; vise changes only the lines that change.",
		SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return d.fail(usage("%q is not a verb of vise todo", args[0]))
			}
			return d.fail(usage("todo needs a verb"))
		},
	}
	flags := root.PersistentFlags()
	flags.StringVar(&d.repo, "repo", "", "the repository's directory (default: the one around the working directory)")
	flags.StringVar(&d.session, "session", "", "the session, as tmp/WORKFLOW/ID (default: the newest)")
	flags.StringVar(&d.as, "as", "", "who acts, an agent's or worker's name (default: the user)")
	flags.BoolVar(&d.json, "json", false, "print one line of JSON")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return d.fail(usage("%v", model.Text(err.Error()))) })
	root.AddCommand(d.create(), d.triage(), d.list(), d.show(), d.next(), d.start(), d.block(), d.resolve(), d.complete(),
		d.reopen(), d.interrupt(), d.resume(), d.search(), d.dedup(), d.validate(), d.graph(), d.manifest(), d.adopt(),
		d.cleanup(), d.importing(), d.log(), d.sessions(), d.promote(), d.link())
	return root
}

// wants is how many arguments a verb takes; most below 0 is any number.
type wants struct{ least, most int }

// verb makes a command that sits down at a session and prints what run replies.
func (d *door) verb(use, short string, n wants, creates bool, run func(at *desk, args []string) (outcome, error)) *cobra.Command {
	return d.bare(use, short, n, func(args []string) (outcome, error) {
		at, err := d.sit(creates)
		if err != nil {
			return outcome{}, err
		}
		defer at.Close()
		return run(at, args)
	})
}

// bare makes a command that finds its sessions itself.
func (d *door) bare(use, short string, n wants, run func(args []string) (outcome, error)) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, SilenceErrors: true, SilenceUsage: true, Args: cobra.ArbitraryArgs}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) < n.least || n.most >= 0 && len(args) > n.most {
			return d.fail(usage("%s takes %s, not %d arguments", c.Name(), use, len(args)))
		}
		d.ctx = c.Context()
		r, err := run(args)
		if err != nil {
			return d.fail(explained(err))
		}
		if err := r.print(c.Name(), d.env.Stdout, d.env.Stderr, d.json); err != nil {
			return d.fail(err)
		}
		return nil
	}
	return c
}

func (d *door) fail(err error) error { return refuse(d.env.Stdout, d.env.Stderr, d.json, err) }

func usage(format string, args ...any) error {
	return model.Refuse(model.CodeInvalid, format, args...).WithHint("see vise todo --help")
}

// filterFlags are the filters that reading verbs share.
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

// filter reads the flags. A word that means nothing is an error and never an empty list.
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
