package thread

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/reply"
)

// door is one invocation: its flags, and where it prints.
type door struct {
	env  Env
	repo string
	json bool
}

// Command is vise thread with all its verbs. An error that it returns is an Exit: what it
// means is printed already.
func Command(env Env) *cobra.Command {
	d := &door{env: env}
	root := &cobra.Command{
		Use:   "thread",
		Short: "Where was the work left, in this repository, on this branch",
		Long: "A thread keeps where a piece of work was left: goal, hypothesis, what is verified and what is not,\n" +
			"dead ends, the next action. It belongs to one repository and one branch: on another branch it is\n" +
			"parked, never lost. Its files lie in .aictx/tasks and are shared with AICTX.",
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			return d.fail(usage("thread needs a verb"))
		},
		Args: cobra.ArbitraryArgs,
	}
	root.PersistentFlags().StringVar(&d.repo, "repo", "", "the repository's directory (default: the one around the working directory)")
	root.PersistentFlags().BoolVar(&d.json, "json", false, "print one line of JSON")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		d.json = d.json || slices.Contains(env.Args, "--json")
		return d.fail(usage("%v", model.Text(err.Error())))
	})
	root.AddCommand(d.start(), d.status(), d.update(), d.list(), d.show(), d.resume(), d.close(),
		d.prepare(), d.finalize(), d.record(), d.doctor())
	return root
}

// verb makes a command that sits down at the repository and prints what run replies.
func (d *door) verb(use, short, source string, args int, run func(ctx context.Context, at *desk, args []string) (outcome, error)) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, SilenceErrors: true, SilenceUsage: true}
	c.RunE = func(c *cobra.Command, given []string) error {
		if len(given) != args {
			return d.fail(usage("%s takes %d arguments, not %d", c.Name(), args, len(given)))
		}
		ctx := c.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		at, done, err := d.env.sit(ctx, d.repo, source)
		if err != nil {
			return d.fail(err)
		}
		defer done()
		r, err := run(ctx, at, given)
		if err != nil {
			return d.fail(err)
		}
		r.verb = c.Name()
		return d.printed(r.print(d.env.Stdout, d.env.Stderr, d.json))
	}
	return c
}

func (d *door) fail(err error) error {
	return reply.Refuse(d.env.Stdout, d.env.Stderr, d.json, err, nil)
}

// printed turns an error of the output itself, a closed pipe, into a refusal.
func (d *door) printed(err error) error {
	if err == nil {
		return nil
	}
	return d.fail(err)
}

func usage(format string, args ...any) error {
	return model.Refuse(model.CodeInvalid, format, args...).WithHint("see vise thread --help")
}
