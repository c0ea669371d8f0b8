package accessible

import (
	"context"

	"vise/model"
	"vise/ui/action"
)

// copies offers what can be copied of an item, and says where it went.
func (s *session) copies(ctx context.Context, l itemView) error {
	at := action.CopySubject{Row: l.row, Detail: &l.detail}
	if s.Plans != nil {
		file, _ := s.Plans.Plan(l.row.AgentID, l.row.ID)
		at.Plan = file.Path
	}
	_, err := s.choose(ctx, "Copy what?", s.copyOptions(l.state, at, nil))
	return err
}

func (s *session) copyOptions(state action.State, at action.CopySubject, marked []action.CopySubject) []option {
	does := map[action.ID]func(context.Context) error{}
	for _, a := range action.Standard() {
		if a.In != action.Copy || a.ID == action.CopyBack {
			continue
		}
		does[a.ID] = func(ctx context.Context) error {
			got, trouble := action.CopyOfItems(a.ID, at, marked)
			if trouble != "" {
				s.say("%s", trouble)
				return nil
			}
			s.clip(ctx, got)
			return nil
		}
	}
	return s.enabled(state, does)
}

// clip copies a text and says how, or says the text where nothing takes it.
func (s *session) clip(ctx context.Context, c action.Copied) {
	if s.Clip != nil {
		if how := s.Clip(ctx, c.What, c.Text); how != "" {
			s.say("%s", how)
			return
		}
	}
	s.say("%s cannot be copied from here. It is:", c.What)
	for _, l := range model.Text(c.Text).Lines() {
		s.say("%s", l)
	}
}
