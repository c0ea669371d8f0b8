package accessible

import (
	"context"
	"strings"

	"vise/model"
	"vise/ui/action"
	"vise/ui/markdown"
)

// matchesSaid bounds the lines in a search result.
const matchesSaid = 30

// search writes the lines of a plan that contain some words.
func (s *dialogue) search(ctx context.Context, l itemView) error {
	words, err := s.ask(ctx, "Words in the plan:")
	if err != nil || words == "" {
		return err
	}
	_, text := s.Plans.Plan(ctx, l.row.AgentID, l.row.ID)
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
func (s *dialogue) changes(ctx context.Context, l itemView) error {
	file, now := s.Plans.Plan(ctx, l.row.AgentID, l.row.ID)
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
func (s *dialogue) sayChanges(whose string, c markdown.Changes) {
	s.say("%s: %s came, %d went.", whose, model.Counted(c.Added, "line"), c.Removed)
	for _, e := range c.Edits {
		if e.New > 0 {
			s.say("Line %d came: %s", e.New, model.Text(e.Text))
			continue
		}
		s.say("Line %d went: %s", e.Old, model.Text(e.Text))
	}
}
