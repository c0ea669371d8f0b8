package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

// threadVerbs are vise thread and its verbs, with the flag that they share.
type threadVerbs struct {
	app  *app
	repo string
}

func (a *app) threadVerb() *cobra.Command {
	v := &threadVerbs{app: a}
	c := &cobra.Command{
		Use:   "thread",
		Short: "Where was the work left, in this repository, on this branch",
		Long: "A thread keeps where a piece of work was left: goal, hypothesis, what is verified and what is not,\n" +
			"dead ends, the next action. It belongs to one repository and one branch: on another branch it is\n" +
			"parked, never lost. Its files lie in .aictx/tasks and are shared with AICTX.",
		Args: noSuchVerb,
	}
	c.PersistentFlags().StringVar(&v.repo, "repo", "", "the repository's directory (default: the one around the working directory)")
	c.AddCommand(v.start(), v.status(), v.update(), v.list(), v.show(), v.resume(), v.close(),
		v.prepare(), v.finalize(), v.record(), v.doctor())
	return a.verb(c, func(context.Context, []string) (answer, error) { return answer{}, threadMisuse("thread needs a verb") })
}

// verb makes a command on the threads of the repository that is meant. source is who the
// file's log names.
func (v *threadVerbs) verb(use, short, source string, run func(ctx context.Context, at *home.Repository, args []string) (answer, error)) *cobra.Command {
	return v.app.verb(&cobra.Command{Use: use, Short: short}, func(ctx context.Context, args []string) (answer, error) {
		in, err := v.threads()
		if err != nil {
			return answer{}, err
		}
		at, done := in.At(ctx, v.repo, source)
		defer done()
		return run(ctx, at, args)
	})
}

// threads are those of this run, for who acts.
func (v *threadVerbs) threads() (home.Threads, error) {
	actor, err := v.app.actor()
	return v.app.threads(actor), err
}

func threadMisuse(format string, args ...any) error {
	return model.Refuse(model.CodeInvalid, format, args...).WithHint("see vise thread --help")
}
