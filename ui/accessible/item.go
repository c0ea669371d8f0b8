package accessible

import (
	"context"
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/action"
)

// itemView holds the data for an item's menu.
type itemView struct {
	row    model.Row
	detail model.Detail
	state  action.State
}

// item shows the menu of one item: its pages and its actions.
func (s *dialogue) item(ctx context.Context, id model.ItemID) error {
	for {
		l, err := s.readItem(ctx, id)
		if err != nil {
			return err
		}
		done, err := s.choose(ctx, s.itemWords(l), append(s.readings(l), s.offered(l)...))
		if done || err != nil {
			return err
		}
	}
}

func (s *dialogue) readItem(ctx context.Context, id model.ItemID) (itemView, error) {
	var l itemView
	err := s.View(ctx, func(r model.Reader) error {
		var err error
		if l.detail, err = model.DetailOf(r, id, model.Stamp{At: s.Now()}); err != nil {
			return err
		}
		l.row = l.detail.Row
		l.state = action.State{Item: &l.row, Agent: s.agent, Editor: s.Plans != nil, Agents: len(r.Agents("", rowsRead)),
			Undo: lastAct, Redo: lastUndo}
		l.state.Desk = model.DeskOf(r, s.agent, model.Stamp{At: s.Now()}, func(model.Class) int { return 1 })
		l.state.Need = l.detail.Need
		return nil
	})
	return l, err
}

func (s *dialogue) itemWords(l itemView) string {
	if l.row.OfAgent() {
		return rowWords(l.row, s.Now()) + "."
	}
	words := fmt.Sprintf("%s. Plan %s.", rowWords(l.row, s.Now()), model.Spaced(l.row.PlanStatus))
	return words + verifiedWords(l.detail.Evidence)
}

// verifiedWords says how far the work is verified and what would verify it; it returns "" if nothing is known.
func verifiedWords(e model.Evidence) string {
	if !e.IsKnown() {
		return ""
	}
	words := fmt.Sprintf(" It is %s.", e.Words())
	if run := e.ToVerify(); run != "" {
		words += fmt.Sprintf(" To verify it, %s.", run)
		if needs := e.Needs(); needs != "" {
			words += fmt.Sprintf(" %s.", needs)
		}
	}
	return words
}

// pages are what an item's menu reads, each by a command that takes the item's id.
var pages = []struct{ words, command string }{
	{"Read all of it", "show"}, {"Read the plan", "plan show"}, {"Why it stands where it stands", "why"},
	{"What happened to it", "events --limit=20 --item"}, {"Read the report", "report"},
}

// readings are the pages of an item.
func (s *dialogue) readings(l itemView) (out []option) {
	if l.row.OfAgent() {
		return []option{plain("When it runs next, and why it rests", s.running("why", string(l.row.AgentID)))}
	}
	for _, p := range pages {
		out = append(out, option{p.words, s.running(append(strings.Fields(p.command), string(l.row.ID))...), action.Open})
	}
	if s.Plans != nil {
		out = append(out, option{"Search the plan", func(ctx context.Context) error { return s.search(ctx, l) }, action.Filter},
			acting(action.Changes, func(ctx context.Context) error { return s.changes(ctx, l) }))
	}
	return out
}
