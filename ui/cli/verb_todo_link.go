package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
)

// link names todos as an item of the ledger keeps them.
func (at *todoSession) link(refs ...file.Ref) model.Links {
	var l model.Links
	for _, r := range refs {
		l.TodoRefs = append(l.TodoRefs, model.TodoRef{TodosBase: model.Text(at.Path()), QualifiedID: model.Text(r)})
	}
	return l
}

func (v *todoVerbs) promote() *cobra.Command {
	var agent string
	var again bool
	c := v.verb("promote ID", "Make a work item of a finding: its title and text become objective and plan", false,
		func(ctx context.Context, at *todoSession, args []string) (answer, error) {
			snap, err := at.LoadBodies()
			if err != nil {
				return answer{}, err
			}
			t, err := snap.Index().Resolve(args[0])
			if err != nil {
				return answer{}, err
			}
			key := ""
			if again {
				key = "promote-" + newKey()
			}
			item, err := v.promoted(ctx, key, model.AgentID(agent), at.Path(), t, snap.Body(t))
			if err != nil {
				return answer{}, err
			}
			return v.linked(ctx, at, item, fmt.Sprintf("%s is work item %s", t.Ref(), item.Handle), t.Ref())
		})
	c.Flags().StringVar(&agent, "agent", "", "whose work item it becomes (default: the only agent)")
	c.Flags().BoolVar(&again, "again", false, "make another one, though it was promoted before")
	return c
}

// linked replies with an item as its links are now.
func (v *todoVerbs) linked(ctx context.Context, at *todoSession, item model.View, said string, refs ...file.Ref) (answer, error) {
	now, err := v.findItem(ctx, string(item.ID))
	if err != nil {
		return answer{}, err
	}
	return answer{data: map[string]any{"session": at.Rel, "todos": append([]file.Ref{}, refs...), "work_item": now}, lines: []string{said}},
		nil
}

func (v *todoVerbs) link() *cobra.Command {
	var unlink bool
	c := v.verb("link ID ITEM", "Link a todo to a work item: the item shows it, and its completion asks about it", false,
		func(ctx context.Context, at *todoSession, args []string) (answer, error) {
			item, err := v.findItem(ctx, args[1])
			if err != nil {
				return answer{}, err
			}
			ref := file.Ref(args[0])
			if !unlink || ref.Source() == "" {
				t, err := at.find(args[0])
				if err != nil {
					return answer{}, err
				}
				ref = t.Ref()
			}
			change, said := model.LinkWorkItem{WorkItemID: item.ID, Add: at.link(ref)}, "linked to"
			if unlink {
				change, said = model.LinkWorkItem{WorkItemID: item.ID, Remove: at.link(ref)}, "no longer linked to"
			}
			if err := v.linkItem(ctx, change); err != nil {
				return answer{}, err
			}
			return v.linked(ctx, at, item, fmt.Sprintf("%s is %s %s", ref, said, item.Handle), ref)
		})
	c.Flags().BoolVar(&unlink, "remove", false, "take the link away; the todo stays as it is")
	return c
}

// adoptInto links unfinished todos to an item, so that they outlive nobody's memory: those
// of the session that is open, or the ones named.
func (v *todoVerbs) adoptInto(ctx context.Context, at *todoSession, ref string, words []string) (answer, error) {
	item, err := v.findItem(ctx, ref)
	if err != nil {
		return answer{}, err
	}
	snap, err := at.Load()
	if err != nil {
		return answer{}, err
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
			return answer{}, err
		}
		open = append(open, t.Ref())
	}
	if len(open) == 0 {
		return v.linked(ctx, at, item, "nothing there is unfinished")
	}
	if err := v.linkItem(ctx, model.LinkWorkItem{WorkItemID: item.ID, Add: at.link(open...)}); err != nil {
		return answer{}, err
	}
	return v.linked(ctx, at, item, fmt.Sprintf("%d todos are linked to %s: %s", len(open), item.Handle, joinedRefs(open)), open...)
}

// findItem is the item that a handle, an id or the beginning of one names.
func (v *todoVerbs) findItem(ctx context.Context, ref string) (model.View, error) {
	id, err := v.app.resolve(ctx, ref)
	if err != nil {
		return model.View{}, err
	}
	return v.app.view(ctx, id)
}

// promoted makes an item of a finding for an agent (empty: the one the command line means), and
// like vise new the home where none is.
func (v *todoVerbs) promoted(ctx context.Context, key string, agent model.AgentID, base string, t file.Todo, body string) (model.View,
	error) {
	h, _, err := v.app.openOrCreate()
	if err == nil && agent == "" {
		agent, err = readOne(ctx, v.app, v.app.agentOf)
	}
	if err != nil {
		return model.View{}, err
	}
	id, err := h.Promote(ctx, model.Envelope{Key: key, Actor: v.app.actor, Agent: agent}, base, t, body)
	if err != nil {
		return model.View{}, err
	}
	return v.app.view(ctx, id)
}

func (v *todoVerbs) linkItem(ctx context.Context, c model.LinkWorkItem) error {
	_, err := v.app.apply(ctx, mutation{}, "", c)
	return err
}
