package cli

import (
	"context"
	"fmt"
	"os"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/threads"
)

// threads are those of the repository around the working directory, for who acts.
func (a *app) threads(actor model.Actor) home.Threads {
	return home.Threads{Dir: a.dir, Now: a.now, Actor: string(actor)}
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
