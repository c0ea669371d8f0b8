package home

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// Ending says how the threads of a completed item end.
type Ending struct {
	// Abandon: the work is given up, and its threads end as abandoned.
	Abandon *Abandonment
	// Anyway is the reason for completing the item although its threads speak against it.
	Anyway model.Text
}

// Abandonment gives the reason for giving up work.
type Abandonment struct {
	Reason model.Text
	// DeadEnd records the attempt as a dead end, with the reason.
	DeadEnd bool
}

// of returns the status that a thread gets instead of want.
func (e Ending) of(want thread.Wanted) thread.Wanted {
	if e.Abandon != nil && want.Status == thread.Resolved {
		want = thread.Wanted{Status: thread.Abandoned}
		if e.Abandon.DeadEnd {
			want.GivenUp = e.Abandon.Reason
		}
	}
	if want.Status.Ended() {
		want.Anyway = e.Anyway
	}
	return want
}

// follow sets the threads of items to match the items after a command. Without threads it does not ask git. Problems and news come back as
// warnings.
func (t Threads) follow(ctx context.Context, items []itemThreads, end Ending) (warnings []model.Warning) {
	if len(items) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, followLimit)
	defer cancel()
	for _, p := range byRepository(t.root(), items) {
		r, done := t.At(ctx, p.root, "work_item")
		for _, x := range p.items {
			x.want = end.of(x.want)
			warnings = append(warnings, r.mark(ctx, x)...)
		}
		done()
	}
	return warnings
}

func notFollowed(what string, err error) model.Warning {
	return model.Warning{Kind: model.WarnThreadNotFollowed, Message: fmt.Sprintf("%s: %v", what, model.Text(err.Error()))}
}

// mark sets an item's threads to the wanted status.
func (r *Repository) mark(ctx context.Context, x itemThreads) []model.Warning {
	targets, warnings := r.targets(x)
	for _, id := range targets {
		a, err := r.Apply(ctx, thread.Follow{Thread: id, Wanted: x.want})
		if err != nil {
			warnings = append(warnings, notFollowed("thread "+string(id)+" did not follow", err))
			continue
		}
		a.Check.Warning = "" // HEAD moves with the work, which is no news at each command
		for _, said := range a.Warnings() {
			warnings = append(warnings, model.Warning{Kind: model.WarnThread, Message: fmt.Sprintf("%s: %v", id, said)})
		}
		if x.want.Status.Ended() {
			warnings = append(warnings, openGaps(a.Thread)...)
		}
	}
	return warnings
}

// openGaps lists the gaps of a thread that ended with them.
func openGaps(t thread.Thread) []model.Warning {
	if len(t.Gaps) == 0 {
		return nil
	}
	gaps := make([]string, len(t.Gaps))
	for i, g := range t.Gaps {
		gaps[i] = fmt.Sprintf("%v: %v", model.Text(g.Severity), g.Summary)
	}
	things := "gaps"
	if len(gaps) == 1 {
		things = "gap"
	}
	return []model.Warning{{Kind: model.WarnThreadGaps,
		Message: fmt.Sprintf("thread %s is %s with %d open %s: %s", t.ID, t.Status, len(gaps), things, strings.Join(gaps, "; "))}}
}

// targets returns the item's threads that should follow. If the work continues, that is the newest loadable thread; if it pauses, those in
// progress; otherwise all that have not ended. Parked threads stay as they are, and a warning names them if the work was picked or ends.
func (r *Repository) targets(x itemThreads) (ids []thread.ID, warnings []model.Warning) {
	err := r.Read(func(s *threads.Snapshot) error {
		var live []thread.Thread
		live, warnings = x.live(s)
		ids = nil
		for _, t := range thread.Newest(live) {
			j, err := r.Judge(t, "")
			if err != nil {
				return err
			}
			switch {
			case j.Loadable && (x.want.Status != thread.InProgress || len(ids) == 0):
				ids = append(ids, t.ID)
			case !j.Loadable && (x.picked || x.want.Status.Ended()):
				said := fmt.Sprintf("thread %s is %v", t.ID, j.Line())
				warnings = append(warnings, model.Warning{Kind: model.WarnThreadParked, Message: said})
			}
		}
		return nil
	})
	if err != nil {
		return nil, []model.Warning{notFollowed("the thread of this repository did not follow", err)}
	}
	return ids, warnings
}

// live returns the item's threads that the item's new status concerns.
func (x itemThreads) live(s *threads.Snapshot) (live []thread.Thread, warnings []model.Warning) {
	for _, id := range x.ids {
		t, there, err := s.Thread(id)
		switch {
		case err != nil:
			warnings = append(warnings, notFollowed("thread "+string(id)+" cannot be read", err))
		case !there:
			said := fmt.Sprintf("thread %s is linked and not there", id)
			warnings = append(warnings, model.Warning{Kind: model.WarnThreadNotFollowed, Message: said})
		case x.want.Lift && !t.Waits():
		case !t.Status.Ended() && (x.want.Lift || x.want.Status != thread.Paused || x.want.Next != "" || t.Status == thread.InProgress):
			live = append(live, t)
		}
	}
	return live, warnings
}

// threadAct is what happened to an item, or to the focus of an agent.
type threadAct struct {
	item         model.ItemID
	focusOf      model.AgentID
	picked, left bool
	// cleared: what the item waited for may be gone, but nobody has picked it.
	cleared bool
}

// threadActs returns the items whose threads may follow. Items that lost the focus come first.
func threadActs(c model.Command, in model.Receipt) []threadAct {
	switch c := c.(type) {
	case model.PickWorkItem:
		var out []threadAct
		if t := in.Transition; t != nil && t.PreviousWorkItemID != "" && t.PreviousWorkItemID != in.WorkItemID {
			out = append(out, threadAct{item: t.PreviousWorkItemID, left: true})
		}
		return append(out, threadAct{item: in.WorkItemID, picked: true})
	case model.UpdateWorkItem:
		if c.BlockedBy.IsZero() && c.PlanStatus == nil {
			return nil // neither the blocker nor the plan's status changed
		}
		return []threadAct{{item: in.WorkItemID, cleared: true}}
	case model.CompleteWorkItem, model.WaitFor:
		if in.WorkItemID == "" {
			return nil // the wait is the agent's own
		}
		return []threadAct{{item: in.WorkItemID}}
	case model.Round:
		var out []threadAct
		for i, call := range c.Calls {
			if i < len(in.Calls) {
				out = append(out, threadActs(call.Command, in.Calls[i])...)
			}
		}
		return out
	// A turn that begins continues the focus' thread. A turn that broke off, or whose driver died, pauses it. Between turns that ended
	// well the thread stays in progress.
	case model.ClaimTurn:
		return []threadAct{{focusOf: cmp.Or(c.AgentID, in.AgentID), picked: true}}
	case model.EndTurn:
		if c.Outcome != model.TurnCompleted {
			return []threadAct{{focusOf: cmp.Or(c.AgentID, in.AgentID), left: true}}
		}
	case model.Tick:
		if in.Turn != 0 {
			return []threadAct{{focusOf: cmp.Or(c.AgentID, in.AgentID), left: true}}
		}
	}
	return nil
}

// itemThreads are an item's threads and the status that they should get.
type itemThreads struct {
	links  []model.ThreadLink
	ids    []thread.ID // in one repository
	want   thread.Wanted
	picked bool
}

// threadsAfter returns the threads that follow a command, by item, as the ledger is after the command.
func threadsAfter(r model.Reader, c model.Command, in model.Receipt) (out []itemThreads) {
	for _, a := range threadActs(c, in) {
		if a.item == "" {
			agent, _ := r.Agent(a.focusOf)
			a.item = agent.CurrentWorkItemID
		}
		w, ok := r.Item(a.item)
		if !ok || len(w.Links.Threads) == 0 {
			continue
		}
		v := model.ViewOf(r, w)
		want, ok := thread.WantedOf(v, a.picked, a.left)
		if !ok && a.cleared {
			want, ok = thread.Lifted(v), true
		}
		if ok {
			out = append(out, itemThreads{links: w.Links.Threads, want: want, picked: a.picked})
		}
	}
	return out
}

// repoItems is a repository and the items with threads in it.
type repoItems struct {
	root  string
	items []itemThreads
}

// maxRepos bounds how many repositories one command changes.
const maxRepos = 8

// byRepository sorts items by the repositories that their links name; here comes first. A picked item uses its thread here, if it has one.
// Otherwise, and for every command that ends, pauses or blocks work, it uses its threads in all repositories.
func byRepository(here string, items []itemThreads) (found []repoItems) {
	for _, x := range items {
		ids, elsewhere := threads.At(here).Linked(x.links)
		if len(ids) > 0 {
			x.ids = ids
			found = filed(found, here, x)
			if x.want.Status == thread.InProgress {
				continue
			}
		}
		for len(elsewhere) > 0 {
			root := elsewhere[0].Repo.Raw()                       // raw: a path to open, not shown
			x.ids, elsewhere = threads.At(root).Linked(elsewhere) // always takes out the first
			if filepath.IsAbs(root) && len(x.ids) > 0 {
				found = filed(found, root, x)
			}
		}
	}
	return found
}

func filed(found []repoItems, root string, x itemThreads) []repoItems {
	i := slices.IndexFunc(found, func(p repoItems) bool { return p.root == root })
	switch {
	case i >= 0:
		found[i].items = append(found[i].items, x)
	case len(found) < maxRepos:
		found = append(found, repoItems{root, []itemThreads{x}})
	}
	return found
}
