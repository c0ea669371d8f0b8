package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/thread"
	"vise/store"
	"vise/store/threads"
	"vise/ui/linked"
	"vise/ui/resume"
	threadverb "vise/ui/thread"
)

// room is where this run stands: the repository around the working directory, if one is.
func (a *app) room(actor model.Actor) resume.Room {
	dir, err := os.Getwd()
	if err != nil {
		dir = string(filepath.Separator)
	}
	return resume.Room{Dir: dir, Now: a.now, Actor: string(actor), Abandon: a.ending.Abandon, Anyway: a.ending.Anyway}
}

// ending is how a completion ends the threads of its item.
type ending struct {
	Abandon *resume.Abandonment
	Anyway  model.Text
}

// Threaded is a ledger whose answers the threads of a repository follow. Its answer is the
// ledger's; what the threads say is among the warnings.
type Threaded struct {
	*store.Ledger
	Room resume.Room
	// Dirs are where agents work that work elsewhere than here.
	Dirs map[model.AgentID]string
}

// Apply sends one command to the ledger, and has threads and file todos follow.
func (t Threaded) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	desk := linked.Desk{Ledger: t.Ledger, Actor: e.Actor, Agent: e.Agent, Now: t.Room.Now, NewKey: newKey}
	in, err := desk.Apply(ctx, e, t.Ledger.Apply)
	if err == nil {
		room := t.Room
		if dir := t.Dirs[cmp.Or(in.AgentID, e.Agent)]; dir != "" {
			room.Dir = dir
		}
		in.Warnings = append(slices.Clip(in.Warnings), room.After(ctx, t.Ledger, e.Command, in)...)
	}
	return in, err
}

// View reads at one revision. Trouble with the home's files comes with a code and a way out.
func (t Threaded) View(ctx context.Context, look func(model.Reader) error) error {
	err := t.Ledger.View(ctx, look)
	if known := (*model.Error)(nil); err == nil || errors.As(err, &known) || ctx.Err() != nil {
		return err
	}
	return fault(err)
}

// threadVerb is vise thread. A thread that begins while an agent has a focus is linked to
// it: a thread is where the work on an item was left.
func (a *app) threadVerb() *cobra.Command {
	room := a.room("")
	return threadverb.Command(threadverb.Env{
		Dir: room.Dir, Now: a.now, Args: a.args, Stdin: a.in, Stdout: a.out, Stderr: a.err,
		Actor: func() (string, error) {
			actor, err := a.actor()
			return string(actor), err
		},
		Started: a.linkStarted,
		Radar: func(ctx context.Context) ([]thread.Overview, error) {
			d, err := a.open()
			if isNoHome(err) {
				return room.Radar(ctx, nil), nil
			}
			if err != nil {
				return nil, err
			}
			return room.Radar(ctx, d.ledger), nil
		},
	})
}

// linkStarted links a fresh thread to the focus of the agent that this run is for. Without
// a home, an agent or a focus the thread belongs to nobody, which is fine.
func (a *app) linkStarted(ctx context.Context, repo string, id thread.ID) []model.Text {
	if _, err := a.open(); err != nil {
		return nil
	}
	var item model.WorkItem
	if err := a.read(ctx, func(r model.Reader) error {
		agent, err := a.agentOf(r)
		if err == nil {
			item, _ = model.Focus(r, agent)
		}
		return err
	}); err != nil || item.ID == "" {
		return nil
	}
	link := model.LinkWorkItem{WorkItemID: item.ID, Add: model.Links{Threads: []model.ThreadLink{{Repo: model.Text(repo), TaskID: model.Text(id)}}}}
	if _, err := a.apply(ctx, mutation{}, item.AgentID, link); err != nil {
		return []model.Text{model.Text(fmt.Sprintf("thread %s is not linked to %s: %v", id, item.Handle, fault(err).Message))}
	}
	return []model.Text{model.Text(fmt.Sprintf("thread %s is linked to %s; vise unlink takes that back", id, item.Handle))}
}

// threads looks at the Work State of the repository around the working directory.
func (c *checkup) threads(ctx context.Context, a *app) {
	room := a.room("")
	repo := threads.At(threads.FindRoot(room.Dir))
	if _, err := os.Lstat(repo.Dirs()[0]); err != nil {
		return
	}
	desk, done := room.Sit(ctx, "", "doctor")
	defer done()
	found, err := desk.Findings()
	if err != nil {
		c.note("threads", err, "")
		return
	}
	k := check{Name: "threads", OK: len(found) == 0, Message: "sound in " + model.Text(repo.Root()).String()}
	if !k.OK {
		k.Message = fmt.Sprintf("%d findings in %s; the first: %s %s: %s", len(found), model.Text(repo.Root()), found[0].Kind, found[0].Thread, model.Text(found[0].Message))
		k.Hint = "vise thread doctor shows each repair, and applies it on yes"
	}
	c.Checks = append(c.Checks, k)
	c.count()
}
