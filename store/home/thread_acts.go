package home

import (
	"cmp"
	"path/filepath"
	"slices"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// threadAct is what happened to an item, or to the item that an agent has the focus on.
type threadAct struct {
	item         model.ItemID
	focusOf      model.AgentID
	picked, left bool
	// cleared: what it waited for may be gone, though nobody took it up.
	cleared bool
}

// threadActs are the items whose threads may follow, those that lost the focus first.
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
			return nil // it goes on as it went
		}
		return []threadAct{{item: in.WorkItemID, cleared: true}}
	case model.CompleteWorkItem, model.WaitFor:
		if in.WorkItemID == "" {
			return nil // the agent's own wait
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
	}
	return turnActs(c, in)
}

// turnActs: a turn that begins goes on with the focus' thread; one that broke off, or whose
// driver died, leaves it paused. Between turns that ended well the work goes on.
func turnActs(c model.Command, in model.Receipt) []threadAct {
	switch c := c.(type) {
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

// itemThreads are an item's threads and how they should stand.
type itemThreads struct {
	links  []model.ThreadLink
	ids    []thread.ID // in one repository
	want   thread.Wanted
	picked bool
}

// threadsAfter are the threads that follow a command, by item, as the ledger is after it.
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

// repoItems is one repository, and the items with threads in it.
type repoItems struct {
	root  string
	items []itemThreads
}

// maxRepos bounds how many repositories one command goes to.
const maxRepos = 8

// byRepository sorts items by the repositories that their links name; here comes first. An
// item that is taken up goes on here, where it has a thread here; else, and for all that
// ends or suspends work, wherever it has one.
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
			x.ids, elsewhere = threads.At(root).Linked(elsewhere) // takes the first out, whatever else
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
