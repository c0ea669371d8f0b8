package past

import (
	"context"

	"vise/model"
)

// scene is how some items of an agent stand at one revision, and where its focus is.
type scene struct {
	focus model.ItemID
	items []scenery
	known bool
}

type scenery struct {
	id       model.ItemID
	revision uint64
	model.Standing
}

func sceneOf(ctx context.Context, l Ledger, agent model.AgentID, ids []model.ItemID) (s scene) {
	err := l.View(ctx, func(r model.Reader) error {
		s = scene{known: true}
		a, _ := r.Agent(agent)
		s.focus = a.CurrentWorkItemID
		for _, id := range ids {
			w, ok := r.Item(id)
			s.known = s.known && ok
			s.items = append(s.items, scenery{id, w.Revision, model.StandingOf(r, w)})
		}
		return nil
	})
	s.known = s.known && err == nil
	return s
}

// deedTo is the act that led from s to after; nil when nothing changed, or when somebody
// else changed an item in between.
func (s scene) deedTo(after scene, agent model.AgentID, words string) *Deed {
	if !s.known || !after.known {
		return nil
	}
	u := model.Undo{What: model.Text(words)}
	for i, x := range s.items {
		y := after.items[i]
		if y.revision > x.revision+1 {
			return nil
		}
		if !x.Same(y.Standing) {
			u.Items = append(u.Items, model.Restored{WorkItemID: x.id, Left: y.Standing, Back: x.Standing})
		}
	}
	if s.focus != after.focus {
		u.Focus = &model.Refocus{Left: after.focus, Back: s.focus}
	}
	if len(u.Items) == 0 && u.Focus == nil {
		return nil
	}
	return &Deed{Agent: agent, undo: u}
}
