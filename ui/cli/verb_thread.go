package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
)

// threadVerbs are vise thread and its subcommands, with the flag that they share.
type threadVerbs struct {
	app  *app
	repo string
}

func (a *app) threadVerb() *cobra.Command {
	v := &threadVerbs{app: a}
	c := &cobra.Command{
		Use:   "thread",
		Short: "Keep and show where the work was left, by repository and branch",
		Long: "A thread keeps where a piece of work was left: goal, hypothesis, what is verified and what is not,\n" +
			"dead ends, the next action. It belongs to one repository and one branch: on another branch it is\n" +
			"parked, never lost. Its files lie in .aictx/tasks and are shared with AICTX.",
	}
	c.PersistentFlags().StringVar(&v.repo, "repo", "", "the repository's directory (default: the one around the working directory)")
	c.AddCommand(v.start(), v.status(), v.update(), v.list(), v.show(), v.resume(), v.close(),
		v.prepare(), v.finalize(), v.record(), v.doctor())
	exemplify(c, threadExamples)
	return a.group(c)
}

// verb makes a command on the threads of the selected repository. source is the actor in the file's log.
func (v *threadVerbs) verb(use, short, source string, run func(ctx context.Context, at *home.Repository, args []string) (answer,
	error)) *cobra.Command {
	return v.app.acting(&cobra.Command{Use: use, Short: short}, func(ctx context.Context, args []string) (answer, error) {
		at, done := v.app.threads(v.app.actor).At(ctx, v.repo, source)
		defer done()
		return run(ctx, at, args)
	})
}

// reading makes a command that only reads the threads.
func (v *threadVerbs) reading(use, short string,
	run func(at *home.Repository, s *threads.Snapshot, args []string) (answer, error)) *cobra.Command {
	return v.verb(use, short, fromCLI, func(_ context.Context, at *home.Repository, args []string) (r answer, err error) {
		err = at.Read(func(s *threads.Snapshot) error {
			r, err = run(at, s, args)
			return err
		})
		return r, err
	})
}

func threadMisuse(format string, args ...any) error {
	return model.Refuse(model.CodeInvalid, format, args...).WithHint("see vise thread --help")
}

// threads returns the threads of the repository around the working directory, for the actor.
func (a *app) threads(actor model.Actor) home.Threads {
	return home.Threads{Dir: a.dir, Now: a.now, Actor: string(actor)}
}

// linkStarted links a new thread to the current item of this run's agent. Without a home, an agent or a current item the thread has no
// link, which is not an error.
func (a *app) linkStarted(ctx context.Context, repo string, id thread.ID) []model.Text {
	if _, err := a.open(); err != nil {
		return nil
	}
	var item model.WorkItem
	err := a.read(ctx, func(r model.Reader) error {
		if agent, err := a.agentOf(r); err == nil {
			item, _ = model.Focus(r, agent)
		}
		return nil
	})
	if err != nil {
		return []model.Text{model.Text(fmt.Sprintf("thread %s is not linked to a work item: %v", id, fault(err).Message))}
	}
	if item.ID == "" {
		return nil
	}
	link := model.LinkWorkItem{WorkItemID: item.ID,
		Add: model.Links{Threads: []model.ThreadLink{{Repo: model.Text(repo), TaskID: model.Text(id)}}}}
	if _, err := sendAlso(a, item.AgentID, link); err != nil {
		return []model.Text{model.Text(fmt.Sprintf("thread %s is not linked to %s: %v", id, item.Handle, fault(err).Message))}
	}
	return []model.Text{model.Text(fmt.Sprintf("thread %s is linked to %s; vise unlink takes that back", id, item.Handle))}
}

// threads checks the threads of the repository around the working directory.
func (c *checkup) threads(ctx context.Context, a *app) {
	in := a.threads("")
	repo := threads.At(threads.FindRoot(in.Dir))
	if _, err := os.Lstat(repo.Dirs()[0]); err != nil {
		return
	}
	r, done := in.At(ctx, "", "doctor")
	defer done()
	found, err := r.Findings()
	if err != nil {
		c.note("threads", err, "")
		return
	}
	said := "sound in " + model.Text(repo.Root()).String()
	if len(found) > 0 {
		said = fmt.Sprintf("%d findings in %s; the first: %s %s: %s", len(found), model.Text(repo.Root()),
			found[0].Kind, found[0].Thread, model.Text(found[0].Message))
	}
	c.add("threads", len(found) == 0, said, "vise thread doctor shows each repair, and applies it on yes")
}
