package accessible

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/markdown"
)

// matchesSaid bounds the lines in a search result.
const matchesSaid = 30

// search writes the lines of a plan that contain some words.
func (s *session) search(ctx context.Context, l itemView) error {
	words, err := s.ask(ctx, "Words in the plan:")
	if err != nil || words == "" {
		return err
	}
	_, text := s.Plans.Plan(l.row.AgentID, l.row.ID)
	found := 0
	for i, line := range text.Lines() {
		if !strings.Contains(strings.ToLower(line), strings.ToLower(words)) {
			continue
		}
		if found++; found <= matchesSaid {
			s.say("Line %d: %s", i+1, strings.TrimSpace(line))
		}
	}
	s.say("%s of the plan with %s.", model.Counted(found, "line"), model.Text(words))
	return nil
}

// changes writes the lines that were added to and removed from a plan since the operator looked, and asks whether they count as seen.
func (s *session) changes(ctx context.Context, l itemView) error {
	file, now := s.Plans.Plan(l.row.AgentID, l.row.ID)
	if file.Condition != model.PlanOK {
		s.say("The plan cannot be read.")
		return nil
	}
	before, known := s.Plans.Seen(ctx, l.row.ID)
	if !known {
		s.say("You did not look at it before. From now on it counts as seen.")
		return s.Plans.Keep(ctx, l.row.ID, now)
	}
	c := markdown.Split(now).Changed(markdown.Split(before))
	if c.Added+c.Removed == 0 {
		s.say("The plan is as you last saw it.")
		return nil
	}
	s.sayChanges("Since you looked", c)
	_, err := s.choose(ctx, "The changes", []option{
		{titleOf(action.PlanSeen) + ": they count as looked at",
			func(ctx context.Context) error { return s.Plans.Keep(ctx, l.row.ID, now) }, action.PlanSeen},
	})
	return err
}

// sayChanges writes the added and removed lines.
func (s *session) sayChanges(whose string, c markdown.Changes) {
	s.say("%s: %s came, %d went.", whose, model.Counted(c.Added, "line"), c.Removed)
	for _, e := range c.Edits {
		if e.New > 0 {
			s.say("Line %d came: %s", e.New, model.Text(e.Text))
			continue
		}
		s.say("Line %d went: %s", e.Old, model.Text(e.Text))
	}
}

// draft is a plan in the operator's editor. The editor opens a copy, because others may write plan.md meanwhile.
type draft struct {
	agent model.AgentID
	item  model.ItemID
	// base is the text that the editor began with, hash is its hash, path is the copy, mine is the edited text.
	base, hash, path, mine string
}

// editPlan opens the plan in the editor, and saves the edited text.
func (s *session) editPlan(ctx context.Context, l itemView) error {
	file, text := s.Plans.Plan(l.row.AgentID, l.row.ID)
	d := draft{agent: l.row.AgentID, item: l.row.ID, base: text.Raw()} // raw: to a file, not shown
	switch file.Condition {
	case model.PlanOK:
		d.hash = file.Hash
	case model.PlanMissing:
	case model.PlanElsewhere:
		if !file.IsWhole(text) {
			s.say("The plan is on another machine, and only its beginning can be read here: edit it there.")
			return nil
		}
		d.hash = file.Hash
	default:
		s.say("The plan cannot be edited: %s is %s.", model.Text(file.Path), model.Spaced(file.Condition))
		return nil
	}
	if err := s.compose(ctx, &d); err != nil {
		s.say("%s. What you wrote is kept at %s.", model.Text(err.Error()), model.Text(d.path))
		return nil
	}
	if d.mine == d.base {
		s.Plans.Drop(ctx, d.path)
		s.say("Nothing was changed.")
		return nil
	}
	return s.savePlan(ctx, d, "Plan saved.")
}

// compose runs the editor on a copy.
func (s *session) compose(ctx context.Context, d *draft) (err error) {
	if d.path, err = s.Plans.Copy(ctx, string(d.item), d.base); err != nil {
		return err
	}
	c, err := s.Plans.Editor(d.path)
	if err != nil {
		return err
	}
	if err = s.onTerminal(c); err == nil {
		d.mine, err = s.Plans.Read(ctx, d.path)
	}
	return err
}

// savePlan saves a text if the plan is still the one that the editor began with; otherwise it asks.
func (s *session) savePlan(ctx context.Context, d draft, said string) error {
	err := s.Plans.SavePlan(ctx, d.agent, d.item, d.hash, d.mine)
	switch {
	case errors.Is(err, &model.Error{Code: model.CodeStale}):
		_, err := s.choose(ctx, "Somebody else wrote plan.md since you opened it. Nothing was overwritten.", s.conflictOptions(d))
		return err
	case err != nil:
		s.say("%s. What you wrote is kept at %s.", model.Text(err.Error()), model.Text(d.path))
		return nil
	}
	s.Plans.Drop(ctx, d.path)
	s.say("%s", said)
	return nil
}

// conflictOptions are the ways to end a conflict over a plan. No option loses either text.
func (s *session) conflictOptions(d draft) []option {
	return []option{
		acting(action.ConflictMine, func(ctx context.Context) error {
			file, theirs := s.Plans.Plan(d.agent, d.item)
			aside, err := s.Plans.Copy(ctx, string(d.item)+"-theirs", theirs.Raw()) // raw: to a file, not shown
			if err != nil {
				return err
			}
			d.hash = file.Hash
			return s.savePlan(ctx, d, "Yours is saved. Theirs is kept at "+model.Text(aside).String()+".")
		}),
		acting(action.ConflictTheirs, func(context.Context) error {
			s.say("plan.md stays as it is on disk. Yours is kept at %s.", model.Text(d.path))
			return nil
		}),
		acting(action.ConflictDiff, func(ctx context.Context) error {
			_, theirs := s.Plans.Plan(d.agent, d.item)
			base := markdown.Split(model.Text(d.base))
			s.sayChanges("Yours", markdown.Split(model.Text(d.mine)).Changed(base))
			s.sayChanges("Theirs", markdown.Split(theirs).Changed(base))
			_, err := s.choose(ctx, "Both are kept until you choose", s.conflictOptions(d))
			return err
		}),
		acting(action.ConflictCopy, func(ctx context.Context) error {
			path, err := s.Plans.SaveCopy(ctx, d.agent, d.item, d.mine)
			if err != nil {
				return err
			}
			s.Plans.Drop(ctx, d.path)
			s.say("Yours is beside it: %s.", model.Text(path))
			return nil
		}),
	}
}

// signs are the marks of a checklist's states.
var signs = map[model.TodoState]string{model.TodoPending: " ", model.TodoInProgress: "~", model.TodoCompleted: "x"}

// todos edits the checklist one change at a time. Each change saves the whole list.
func (s *session) todos(ctx context.Context, l itemView) error {
	list := slices.Clone(l.detail.TodoList)
	options := []option{{"Add a todo at the end", func(ctx context.Context) error {
		return s.asked(ctx, "The todo, for the end of the list:", func(words string) error {
			return s.saveTodos(ctx, l, append(list, model.Todo{Text: model.Text(words), State: model.TodoPending}))
		})
	}, action.TodoAdd}}
	for i, t := range list {
		options = append(options, option{fmt.Sprintf("%s, %s", t.Text, model.Spaced(t.State)),
			func(ctx context.Context) error { return s.todo(ctx, l, list, i) }, ""})
	}
	_, err := s.choose(ctx, "The checklist; a todo's number changes it", options)
	return err
}

func (s *session) saveTodos(ctx context.Context, l itemView, list []model.Todo) error {
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "- [%s] %s\n", signs[t.State], t.Text.Raw()) // raw: returns to the ledger
	}
	return s.runUndoable(ctx, "changed the todos of", l, b.String(), "update", "--todos", "-")
}

// todo shows the menu of one todo.
func (s *session) todo(ctx context.Context, l itemView, list []model.Todo, i int) error {
	_, err := s.choose(ctx, list[i].Text.String(), s.todoOptions(l, list, i))
	return err
}

func (s *session) todoOptions(l itemView, list []model.Todo, i int) []option {
	saving := func(change func([]model.Todo) []model.Todo) func(context.Context) error {
		return func(ctx context.Context) error { return s.saveTodos(ctx, l, change(slices.Clone(list))) }
	}
	to := func(words string, state model.TodoState) option {
		return option{words, saving(func(list []model.Todo) []model.Todo { list[i].State = state; return list }), action.TodoState}
	}
	swapped := func(j int) func(context.Context) error {
		return saving(func(list []model.Todo) []model.Todo { list[i], list[j] = list[j], list[i]; return list })
	}
	out := []option{
		to("Pending", model.TodoPending), to("In progress", model.TodoInProgress), to("Completed", model.TodoCompleted),
		{"Say it in other words", func(ctx context.Context) error {
			return s.asked(ctx, "What it says:", func(words string) error {
				return saving(func(list []model.Todo) []model.Todo { list[i].Text = model.Text(words); return list })(ctx)
			})
		}, action.TodoEdit},
	}
	if i > 0 {
		out = append(out, option{"Move it up", swapped(i - 1), action.TodoRowUp})
	}
	if i < len(list)-1 {
		out = append(out, option{"Move it down", swapped(i + 1), action.TodoRowDown})
	}
	return append(out, option{"Drop it", saving(func(list []model.Todo) []model.Todo { return slices.Delete(list, i, i+1) }),
		action.TodoDrop})
}
