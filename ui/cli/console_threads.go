package cli

import (
	"context"
	"os"
	"os/exec"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
	"vise/ui/agents"
	"vise/ui/console"
	"vise/watcher"
)

// threadView shows the console the threads of the repository around it, and the threads that items link to.
type threadView struct {
	home.Threads
	*watcher.Changes
	home *home.Home
}

func newThreadView(ctx context.Context, h *home.Home) threadView {
	in := h.Threads(model.Operator)
	return threadView{in, watcher.Threads(ctx, threads.At(threads.FindRoot(in.Dir))), h}
}

// Card is part of console.Threads.
func (v threadView) Card(ctx context.Context, links model.Links) thread.Card {
	card := v.Threads.Card(ctx, links.Threads)
	dir := links.OwnWorktree()
	if dir == "" {
		return card
	}
	list, err := v.Git.List(ctx, dir)
	if i := threads.IndexOf(list, dir); err == nil && i > 0 {
		v.Git.Compare(ctx, &list[i], list[0], agents.ProjectFiles(dir))
		card.Worktree = list[i]
	}
	return card
}

// All is part of console.Threads.
func (v threadView) All(ctx context.Context) []thread.Overview { return v.List(ctx, v.home) }

// Act is part of console.Threads. It links a new thread to its item.
func (v threadView) Act(ctx context.Context, a console.ThreadAct) ([]model.Text, error) {
	r, done := v.At(ctx, a.Repo.Raw(), "console") // raw: handed on, not shown
	defer done()
	answer, err := r.Apply(ctx, a.Command)
	if err != nil || a.Item == "" {
		return answer.Warnings(), err
	}
	_, err = v.home.Apply(ctx, model.Envelope{Key: newKey(), Actor: model.Operator,
		Command: model.LinkThread(a.Item, r.Repo.Root(), string(answer.Thread.ID))})
	if err != nil {
		return append(answer.Warnings(), "the thread is there, and not linked: "+model.Text(fault(err).Message)), nil
	}
	return answer.Warnings(), nil
}

// Record is part of console.Threads.
func (v threadView) Record(repo model.Text, argv []string) (*exec.Cmd, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := exec.Command(program, append([]string{"thread", "record", "--stay", "--"}, argv...)...)
	c.Dir = repo.Raw() // raw: handed on, not shown
	return c, nil
}
