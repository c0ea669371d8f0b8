package console

import (
	"context"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/markdown"
)

// planSaves read the history of an item's plan.
type planSaves interface {
	// PlanSaves are the saves of a plan, oldest first.
	PlanSaves(context.Context, model.AgentID, model.ItemID) ([]model.PlanSave, error)
	// SavedText is the plan at a save, SavedTodos the item's todos at that time.
	SavedText(context.Context, model.AgentID, model.ItemID, model.PlanSave) (model.Text, error)
	SavedTodos(context.Context, model.ItemID, model.PlanSave) ([]model.Todo, error)
}

// saves are the saves of a plan while one of them is on screen or being read. The current plan is still
// followed.
type saves struct {
	// kept are the saves whose text is kept, oldest first; nil until they were listed. of is the number of all
	// saves.
	kept []model.PlanSave
	of   int
	// back is the number of kept saves between the newest and the requested one; reading: a save is being read.
	back    int
	reading bool
}

// saveMsg brings a save that was read.
type saveMsg struct {
	saves *saves
	kept  []model.PlanSave
	of    int
	back  int
	save  *screen.Save
	err   error
}

// toSave shows the save that is n before the one on screen.
func toSave(n int) act {
	return func(c *console) {
		p := &c.plan
		switch {
		case c.fx.Saves == nil:
			c.say("No saves are kept here.")
			return
		case c.tab != screen.TabPlan || p.Item != c.cursor:
			c.say(c.keys.Keyed("The saves of a plan are in its tab: {go} p."))
			return
		case p.saves == nil && n < 0:
			c.say("This is the plan as it is now.")
			return
		case p.saves == nil:
			p.saves = &saves{back: -1}
		}
		s := p.saves
		if s.back+n < 0 {
			toNow(c)
			return
		}
		if s.back += n; s.kept != nil && s.back >= len(s.kept) {
			s.back = len(s.kept) - 1
			c.say("No save before this one is kept.")
			return
		}
		if s.reading {
			return
		}
		s.reading = true
		c.start(c.fx.readSave(c.agent, p.Item, *s, s))
	}
}

// toNow shows the current plan.
func toNow(c *console) {
	c.plan.saves, c.plan.Save = nil, nil
	c.drawPlan()
}

// readSave reads a save and the kept one before it. It lists the saves first if necessary.
func (e *effects) readSave(agent model.AgentID, item model.ItemID, s saves, of *saves) tea.Cmd {
	return func() tea.Msg {
		m := saveMsg{saves: of, kept: s.kept, of: s.of}
		if m.kept == nil {
			all, err := e.Saves.PlanSaves(e.ctx, agent, item)
			if err != nil {
				return saveMsg{saves: of, err: err}
			}
			m.kept, m.of = slices.DeleteFunc(slices.Clone(all), func(s model.PlanSave) bool { return !s.Kept }), len(all)
		}
		if len(m.kept) == 0 {
			return m
		}
		m.back = min(s.back, len(m.kept)-1)
		at := len(m.kept) - 1 - m.back
		m.save, m.err = e.saveAt(agent, item, m.kept[:at+1])
		if m.err == nil {
			m.save.Of = m.of
		}
		return m
	}
}

// saveAt is the last of the kept saves, compared with the one before it.
func (e *effects) saveAt(agent model.AgentID, item model.ItemID, kept []model.PlanSave) (*screen.Save, error) {
	out := &screen.Save{PlanSave: kept[len(kept)-1]}
	var err error
	if out.Doc, err = e.savedDoc(agent, item, out.PlanSave); err != nil {
		return nil, err
	}
	if len(kept) > 1 {
		before, err := e.savedDoc(agent, item, kept[len(kept)-2])
		if err != nil {
			return nil, err
		}
		out.Changes = out.Doc.Changed(before)
		out.Words = out.Changes.Words()
	}
	out.Todos, err = e.Saves.SavedTodos(e.ctx, item, out.PlanSave)
	return out, err
}

func (e *effects) savedDoc(agent model.AgentID, item model.ItemID, s model.PlanSave) (*markdown.Document, error) {
	text, err := e.Saves.SavedText(e.ctx, agent, item, s)
	if err != nil {
		return nil, err
	}
	return markdown.Split(text), nil
}

// handle shows the save, unless the operator moved on or returned to the current plan.
func (m saveMsg) handle(c *console) {
	p, s := &c.plan, m.saves
	if p.saves != s {
		return
	}
	s.reading = false
	switch {
	case m.err != nil && p.Save == nil:
		p.saves = nil
		c.complain(m.err)
		return
	case m.err != nil: // the save on screen stays
		s.back = len(s.kept) - 1 - slices.IndexFunc(s.kept, func(x model.PlanSave) bool { return x.N == p.Save.N })
		c.complain(m.err)
		return
	case len(m.kept) == 0:
		p.saves = nil
		c.say(fmt.Sprintf("None of %s is kept.", model.Counted(m.of, "save")))
		return
	}
	s.kept, s.of = m.kept, m.of
	if s.back = min(s.back, len(s.kept)-1); s.back != m.back {
		s.reading = true
		c.start(c.fx.readSave(c.agent, p.Item, *s, s))
		return
	}
	p.Save, p.seek = m.save, true
	c.drawPlan()
}
