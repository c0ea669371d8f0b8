package cli

import (
	"cmp"
	"fmt"

	"vise/model"
	file "vise/model/todo"
	"vise/store/home"
)

func (v *todoVerbs) promote() verb {
	var again bool
	return verb{
		use: "promote ID", short: "Make a work item of a finding: its title and text become objective and plan",
		example: "vise todo promote review/001",
		args:    to(&v.id), keyed: true,
		flags: flags{{"again", &again, "make another one, though it was promoted before"}},
		run: v.onTodo(func(at *todoSession) (answer, error) {
			t, err := at.todo(v.id, true)
			if err != nil {
				return nil, err
			}
			key := v.key
			if again {
				key = cmp.Or(key, "promote-"+newKey())
			}
			h, _, err := openOrCreate(v.Env) // as vise new
			if err != nil {
				return nil, err
			}
			agent, err := ownAgent(v.Env)
			if err != nil {
				return nil, err
			}
			made, err := h.Promote(v, model.Envelope{Key: key, Actor: v.Env.actor, Agent: agent}, at.Path(), t, at.snap.Body(t))
			if err != nil {
				return nil, err
			}
			v.hasSaved, v.savedAs = true, key
			return at.linked(made, made.Warnings, fmt.Sprintf("%s is work item %s", t.Ref(), made.WorkItem.Handle), t.Ref()), nil
		}),
	}
}

// linked answers with an item and its current links.
func (at *todoSession) linked(item home.ItemResult, warnings []model.Warning, said string, ref file.Ref) answer {
	return &reply{warnings: warnings, lines: []string{said},
		data: map[string]any{"session": at.Rel, "todos": []file.Ref{ref}, "work_item": item.WorkItem}}
}

func (v *todoVerbs) link() verb {
	var unlink bool
	var item string
	return verb{
		use: "link ID ITEM", short: "Link a todo to a work item: the item shows it, and its completion asks about it",
		example: "vise todo link review/001 wi-7f3k",
		args:    to(&v.id, &item),
		flags:   flags{{"remove", &unlink, "take the link away; the todo stays as it is"}},
		run: v.onTodo(func(at *todoSession) (answer, error) {
			item, err := find(v.Env, item)
			if err != nil {
				return nil, err
			}
			ref := file.Ref(v.id)
			if !unlink || ref.Source() == "" {
				t, err := at.todo(v.id, false)
				if err != nil {
					return nil, err
				}
				ref = t.Ref()
			}
			link := model.Links{TodoRefs: []model.TodoRef{{TodosBase: model.Text(at.Path()), QualifiedID: model.Text(ref)}}}
			change, is := model.LinkWorkItem{WorkItemID: item.ID, Add: link}, "linked"
			if unlink {
				change, is = model.LinkWorkItem{WorkItemID: item.ID, Remove: link}, "not linked"
			}
			now, in, err := carryOut(v.Env, "", change, home.ItemResultOf)
			said := fmt.Sprintf("%s is %s to %s", ref, is, item.Handle)
			if in.Unchanged {
				said = "nothing changed: " + said
			}
			return at.linked(now, in.Warnings, said, ref), err
		}),
	}
}
