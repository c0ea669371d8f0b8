package todo

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
)

// Work is what the door needs of the ledger of WorkItems.
type Work interface {
	// Find is the item that a handle, an id or the beginning of one names.
	Find(ctx context.Context, ref string) (model.View, error)
	// Create makes an item for an agent (empty: the one the command line means); with the
	// same key it is made once.
	Create(ctx context.Context, key string, agent model.AgentID, c model.CreateWorkItem) (model.View, error)
	Link(ctx context.Context, c model.LinkWorkItem) error
}

// link names todos as an item of the ledger keeps them.
func (at *desk) link(refs ...file.Ref) model.Links {
	var l model.Links
	for _, r := range refs {
		l.TodoRefs = append(l.TodoRefs, model.TodoRef{TodosBase: model.Text(at.Path()), QualifiedID: model.Text(r)})
	}
	return l
}

// work is the ledger, or why there is none.
func (d *door) work() (Work, error) {
	if d.env.Work == nil {
		return nil, model.Refuse(model.CodeNoHome, "there is no ledger to link with").WithHint("vise init makes one")
	}
	return d.env.Work, nil
}

func (d *door) promote() *cobra.Command {
	var agent string
	var again bool
	c := d.verb("promote ID", "Make a work item of a finding: its title and text become objective and plan", wants{1, 1}, false, func(at *desk, args []string) (outcome, error) {
		w, err := d.work()
		if err != nil {
			return outcome{}, err
		}
		snap, err := at.LoadBodies()
		if err != nil {
			return outcome{}, err
		}
		t, err := snap.Index().Resolve(args[0])
		if err != nil {
			return outcome{}, err
		}
		p, err := home.Promote(at.Path(), t, snap.Body(t))
		if err != nil {
			return outcome{}, err
		}
		if again {
			p.Key = "promote-" + at.env.NewID()
		}
		item, err := w.Create(d.ctx, p.Key, model.AgentID(agent), p.Create)
		if err != nil {
			return outcome{}, err
		}
		if err := w.Link(d.ctx, p.Link(item.ID)); err != nil {
			return outcome{}, fmt.Errorf("%s was made, and is not linked yet: %w", item.Handle, err)
		}
		return at.linked(d.ctx, w, item, fmt.Sprintf("%s is work item %s", t.Ref(), item.Handle), t.Ref())
	})
	c.Flags().StringVar(&agent, "agent", "", "whose work item it becomes (default: the only agent)")
	c.Flags().BoolVar(&again, "again", false, "make another one, though it was promoted before")
	return c
}

// linked replies with an item as its links are now.
func (at *desk) linked(ctx context.Context, w Work, item model.View, said string, refs ...file.Ref) (outcome, error) {
	now, err := w.Find(ctx, string(item.ID))
	if err != nil {
		return outcome{}, err
	}
	return outcome{data: map[string]any{"session": at.Rel, "todos": append([]file.Ref{}, refs...), "work_item": now}, human: []string{said}}, nil
}

func (d *door) link() *cobra.Command {
	var unlink bool
	c := d.verb("link ID ITEM", "Link a todo to a work item: the item shows it, and its completion asks about it", wants{2, 2}, false, func(at *desk, args []string) (outcome, error) {
		w, err := d.work()
		if err != nil {
			return outcome{}, err
		}
		item, err := w.Find(d.ctx, args[1])
		if err != nil {
			return outcome{}, err
		}
		ref := file.Ref(args[0])
		if !unlink || ref.Source() == "" {
			snap, err := at.Load()
			if err != nil {
				return outcome{}, err
			}
			t, err := snap.Index().Resolve(args[0])
			if err != nil {
				return outcome{}, err
			}
			ref = t.Ref()
		}
		change, said := model.LinkWorkItem{WorkItemID: item.ID, Add: at.link(ref)}, "linked to"
		if unlink {
			change, said = model.LinkWorkItem{WorkItemID: item.ID, Remove: at.link(ref)}, "no longer linked to"
		}
		if err := w.Link(d.ctx, change); err != nil {
			return outcome{}, err
		}
		return at.linked(d.ctx, w, item, fmt.Sprintf("%s is %s %s", ref, said, item.Handle), ref)
	})
	c.Flags().BoolVar(&unlink, "remove", false, "take the link away; the todo stays as it is")
	return c
}

// adoptInto links unfinished todos to an item, so that they outlive nobody's memory: those
// of the session that is open, or the ones named.
func (d *door) adoptInto(at *desk, ref string, words []string) (outcome, error) {
	w, err := d.work()
	if err != nil {
		return outcome{}, err
	}
	item, err := w.Find(d.ctx, ref)
	if err != nil {
		return outcome{}, err
	}
	snap, err := at.Load()
	if err != nil {
		return outcome{}, err
	}
	var open []file.Ref
	index := snap.Index()
	for _, t := range snap.Todos {
		if len(words) == 0 && !t.Status.Final() {
			open = append(open, t.Ref())
		}
	}
	for _, word := range words {
		t, err := index.Resolve(word)
		if err != nil {
			return outcome{}, err
		}
		open = append(open, t.Ref())
	}
	if len(open) == 0 {
		return at.linked(d.ctx, w, item, "nothing there is unfinished")
	}
	if err := w.Link(d.ctx, model.LinkWorkItem{WorkItemID: item.ID, Add: at.link(open...)}); err != nil {
		return outcome{}, err
	}
	return at.linked(d.ctx, w, item, fmt.Sprintf("%d todos are linked to %s: %s", len(open), item.Handle, joined(open)), open...)
}
