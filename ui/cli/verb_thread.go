package cli

import (
	"fmt"
	"os"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
)

// threadVerbs are vise thread and its subcommands, with the flags and the argument that they share.
type threadVerbs struct {
	*Env
	repo string
	// task is the thread that a subcommand is about; rebind moves it to the present branch.
	task   string
	rebind bool
}

func threadVerb() verb {
	v := &threadVerbs{}
	return verb{
		use: "thread", short: "Keep and show where the work was left, by repository and branch",
		long: "A thread keeps where a piece of work was left: goal, hypothesis, what is verified and what is not,\n" +
			"dead ends, the next action. It belongs to one repository and one branch: on another branch it is\n" +
			"parked, never lost. Its files lie in .aictx/tasks and are shared with AICTX.",
		shared: flags{{"repo", &v.repo, "the repository's directory (default: the one around the working directory)"}},
		verbs: subverbs(func(e *Env) { v.Env = e },
			v.start(), v.status(), v.update(), v.list(), v.show(), v.where(), v.resume(), v.close(), v.prepare(), v.finalize(), v.record(),
			v.doctor()),
	}
}

// on does run with the threads of the selected repository. source is the actor in the file's log.
func (v *threadVerbs) on(source string, run func(at *home.Repository) (answer, error)) body {
	return func(*Env) (answer, error) {
		at, done := threadsOf(v.Env, v.actor).At(v, v.repo, source)
		defer done()
		return run(at)
	}
}

// reading does run, which only reads the threads.
func (v *threadVerbs) reading(run func(at *home.Repository, s *threads.Snapshot) (answer, error)) body {
	return v.on(fromCLI, func(at *home.Repository) (r answer, err error) {
		err = at.Read(func(s *threads.Snapshot) error {
			r, err = run(at, s)
			return err
		})
		return r, err
	})
}

// does carries the command out that make returns, and answers. See threadAnswer.
func (v *threadVerbs) does(mark string, make func() (thread.Command, error)) body {
	return v.on(fromCLI, func(at *home.Repository) (answer, error) {
		c, err := make()
		if err != nil {
			return nil, err
		}
		a, err := at.Apply(v, c)
		return threadAnswer(a, mark, err)
	})
}

func threadMisuse(format string, args ...any) error {
	return model.Invalid(format, args...).WithHint("see vise thread --help")
}

// threadsOf returns the threads of the repository around the working directory, for the actor.
func threadsOf(e *Env, actor model.Actor) home.Threads {
	return home.Threads{Dir: e.dir, Now: e.now, Actor: string(actor)}
}

// linkStarted links a new thread to the current item of this run's agent. Without a home, an agent or a current item the thread has no
// link, which is not an error.
func linkStarted(e *Env, repo string, id thread.ID) []model.Text {
	if _, err := open(e); err != nil {
		return nil
	}
	var item model.WorkItem
	err := read(e, func(r model.Reader) error {
		if agent, err := agentOf(e, r); err == nil {
			item, _ = model.Focus(r, agent)
		}
		return nil
	})
	said := func(format string, args ...any) []model.Text {
		return []model.Text{model.Textf(format, args...)}
	}
	switch {
	case err != nil:
		return said("thread %s is not linked to a work item: %v", id, fault(err).Message)
	case item.ID == "":
		return nil
	}
	if _, err := sendAlso(e, item.AgentID, model.LinkThread(item.ID, repo, string(id))); err != nil {
		return said("thread %s is not linked to %s: %v", id, item.Handle, fault(err).Message)
	}
	return said("thread %s is linked to %s; vise link --remove takes that back", id, item.Handle)
}

// threads checks the threads of the repository around the working directory.
func (c *checkup) threads(e *Env) {
	in := threadsOf(e, "")
	repo := threads.At(threads.FindRoot(in.Dir))
	if _, err := os.Lstat(repo.Dirs()[0]); err != nil {
		return
	}
	r, done := in.At(e, "", "doctor")
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
