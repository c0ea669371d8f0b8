package resume

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"

	"vise/model"
	"vise/model/thread"
	"vise/store/threads"
)

// act is what happened to an item, or to the item that an agent has the focus on.
type act struct {
	item         model.ItemID
	focusOf      model.AgentID
	picked, left bool
	// cleared: what it waited for may be gone, though nobody took it up.
	cleared bool
}

// actsOf are the items whose threads may follow, those that lost the focus first.
func actsOf(c model.Command, in model.Receipt) []act {
	switch c := c.(type) {
	case model.PickWorkItem:
		var out []act
		if t := in.Transition; t != nil && t.PreviousWorkItemID != "" && t.PreviousWorkItemID != in.WorkItemID {
			out = append(out, act{item: t.PreviousWorkItemID, left: true})
		}
		return append(out, act{item: in.WorkItemID, picked: true})
	case model.UpdateWorkItem:
		if c.BlockedBy.IsZero() && c.PlanStatus == nil {
			return nil // it goes on as it went
		}
		return []act{{item: in.WorkItemID, cleared: true}}
	case model.CompleteWorkItem, model.WaitFor:
		if in.WorkItemID == "" {
			return nil // the agent's own wait
		}
		return []act{{item: in.WorkItemID}}
	case model.Round:
		var out []act
		for i, call := range c.Calls {
			if i < len(in.Calls) {
				out = append(out, actsOf(call.Command, in.Calls[i])...)
			}
		}
		return out
	}
	return turnActs(c, in)
}

// turnActs: a turn that begins goes on with the focus' thread; one that broke off, or whose
// driver died, leaves it paused. Between turns that ended well the work goes on.
func turnActs(c model.Command, in model.Receipt) []act {
	switch c := c.(type) {
	case model.ClaimTurn:
		return []act{{focusOf: cmp.Or(c.AgentID, in.AgentID), picked: true}}
	case model.EndTurn:
		if c.Outcome != model.TurnCompleted {
			return []act{{focusOf: cmp.Or(c.AgentID, in.AgentID), left: true}}
		}
	case model.Tick:
		if in.Turn != 0 {
			return []act{{focusOf: cmp.Or(c.AgentID, in.AgentID), left: true}}
		}
	}
	return nil
}

// place is one repository, and the items with threads in it.
type place struct {
	repo     threads.Repo
	followed []followed
}

// followed is an item's threads in one repository and how they should stand.
type followed struct {
	threads []thread.ID
	want    thread.Wanted
	picked  bool
}

// maxPlaces bounds how many repositories one act goes to.
const maxPlaces = 8

// follow sorts the acts by the repositories that their items link to; here comes first.
func follow(ctx context.Context, l Ledger, here string, acts []act) (found []place, err error) {
	err = l.View(ctx, func(r model.Reader) error {
		found = nil
		for _, a := range acts {
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
				found = sorted(found, here, w.Links.Threads, followed{want: want, picked: a.picked})
			}
		}
		return nil
	})
	return found, err
}

// sorted files an item under the repositories that its links name. An item that is taken up
// goes on here, where it has a thread here; else, and for all that ends or suspends work,
// wherever it has one.
func sorted(found []place, here string, links []model.ThreadLink, f followed) []place {
	ids, elsewhere := threads.At(here).Linked(links)
	if len(ids) > 0 {
		f.threads = ids
		found = filed(found, here, f)
		if f.want.Status == thread.InProgress {
			return found
		}
	}
	for len(elsewhere) > 0 {
		root := elsewhere[0].Repo.Raw()                           // raw: a path to open, not shown
		f.threads, elsewhere = threads.At(root).Linked(elsewhere) // takes the first out, whatever else
		if !filepath.IsAbs(root) || len(f.threads) == 0 {
			continue
		}
		found = filed(found, root, f)
	}
	return found
}

func filed(found []place, root string, f followed) []place {
	i := slices.IndexFunc(found, func(p place) bool { return p.repo.Root() == root })
	switch {
	case i >= 0:
		found[i].followed = append(found[i].followed, f)
	case len(found) < maxPlaces:
		found = append(found, place{threads.At(root), []followed{f}})
	}
	return found
}
