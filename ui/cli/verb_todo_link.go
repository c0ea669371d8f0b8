package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
)

// link returns todos as links of an item in the ledger.
func (at *todoSession) link(refs ...file.Ref) model.Links {
	var l model.Links
	for _, r := range refs {
		l.TodoRefs = append(l.TodoRefs, model.TodoRef{TodosBase: model.Text(at.Path()), QualifiedID: model.Text(r)})
	}
	return l
}

func (v *todoVerbs) promote() *cobra.Command {
	var agent string
	var m mutation
	var again bool
	c := v.onTodo("promote ID", "Make a work item of a finding: its title and text become objective and plan",
		func(ctx context.Context, at *todoSession, args []string) (answer, error) {
			snap, err := at.LoadBodies()
			if err != nil {
				return answer{}, err
			}
			t, err := snap.Resolve(snap.Index(), args[0])
			if err != nil {
				return answer{}, err
			}
			key := m.key
			if again {
				key = cmp.Or(key, "promote-"+newKey())
			}
			made, err := v.promoted(ctx, key, model.AgentID(agent), at.Path(), t, snap.Body(t))
			if err != nil {
				return answer{}, err
			}
			return at.linked(made, made.Warnings, fmt.Sprintf("%s is work item %s", t.Ref(), made.WorkItem.Handle), t.Ref()), nil
		})
	m.keyed(c)
	c.Flags().StringVar(&agent, "agent", "", "whose work item it becomes (default: the only agent)")
	c.Flags().BoolVar(&again, "again", false, "make another one, though it was promoted before")
	return c
}

// linked answers with an item and its current links.
func (at *todoSession) linked(item home.ItemResult, warnings []model.Warning, said string, refs ...file.Ref) answer {
	return answer{warnings: warnings, lines: []string{said},
		data: map[string]any{"session": at.Rel, "todos": append([]file.Ref{}, refs...), "work_item": item.WorkItem}}
}

func (v *todoVerbs) link() *cobra.Command {
	var unlink bool
	c := v.onTodo("link ID ITEM", "Link a todo to a work item: the item shows it, and its completion asks about it",
		func(ctx context.Context, at *todoSession, args []string) (answer, error) {
			item, err := v.app.find(ctx, args[1])
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
			change, is := model.LinkWorkItem{WorkItemID: item.ID, Add: at.link(ref)}, "linked"
			if unlink {
				change, is = model.LinkWorkItem{WorkItemID: item.ID, Remove: at.link(ref)}, "not linked"
			}
			now, in, err := carryOut(v.app, order{command: change}, home.ItemResultOf)
			return at.linked(now, in.Warnings, nowIs(in, fmt.Sprintf("%s is %s to %s", ref, is, item.Handle)), ref), err
		})
	c.Flags().BoolVar(&unlink, "remove", false, "take the link away; the todo stays as it is")
	return c
}

// nowIs returns a command's result as the present state, and whether it was the same before.
func nowIs(in model.Receipt, state string) string {
	if in.Unchanged {
		return "nothing changed: " + state
	}
	return state
}

// promoted makes an item from a finding for an agent. If agent is empty, it is the agent of the command line. Like vise new, promoted makes
// a home if there is none.
func (v *todoVerbs) promoted(ctx context.Context, key string, agent model.AgentID, base string, t file.Todo, body string) (
	made home.ItemResult, err error) {
	h, _, err := v.app.openOrCreate()
	if err == nil && agent == "" {
		agent, err = readOne(v.app, v.app.agentOf)
	}
	if err != nil {
		return made, err
	}
	made, err = h.Promote(ctx, model.Envelope{Key: key, Actor: v.app.actor, Agent: agent}, base, t, body)
	v.app.hasSaved, v.app.savedAs = err == nil, key
	return made, err
}
