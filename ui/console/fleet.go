package console

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
)

// fleetPane is a part of the fleet that can have the keys.
type fleetPane int

const (
	fleetAgents fleetPane = iota
	fleetInbox
	fleetPaneCount
)

// fleetPlace is the fleet as it is drawn, and where the operator is on it: by agent and by
// item, never by row number. What was drawn stays until the operator's hands rest.
type fleetPlace struct {
	focus fleetPane
	agent model.AgentID
	item  model.ItemID
	// order are the agents as drawn, inbox its entries as drawn.
	order []model.AgentID
	inbox []model.Inboxed
	// held: the ledger has a newer order.
	held bool
	top  [fleetPaneCount]int
}

// adopt takes what the ledger tells. Touched: the order and the entries that are drawn
// stay, and held says that there are newer ones; a list that is empty has nothing to keep.
func (p fleetPlace) adopt(f model.Fleet, touched bool) fleetPlace {
	order := make([]model.AgentID, len(f.Agents))
	for i, m := range f.Agents {
		order[i] = m.Agent.ID
	}
	if grows := len(f.Inbox) > len(p.inbox) && slices.EqualFunc(p.inbox, f.Inbox[:len(p.inbox)], sameEntry); grows && len(p.inbox) > 0 {
		p.inbox = f.Inbox // more of the same list is no other order
	}
	if touched && len(p.order) > 0 {
		p.held = !slices.Equal(p.order, order) || !slices.EqualFunc(p.inbox, f.Inbox, sameEntry)
		return p
	}
	if i := slices.Index(p.order, p.agent); !slices.Contains(order, p.agent) && len(order) > 0 {
		p.agent = order[min(max(i, 0), len(order)-1)]
	}
	at := p.entryAt()
	p.order, p.inbox, p.held = order, f.Inbox, false
	if p.entry() == nil {
		p.item = ""
		if len(p.inbox) > 0 {
			p.item = p.inbox[min(max(at, 0), len(p.inbox)-1)].ID
		}
	}
	return p
}

func sameEntry(a, b model.Inboxed) bool {
	return a.ID == b.ID && a.Revision == b.Revision && a.Need == b.Need && a.Seen == b.Seen
}

// entry is the inbox entry under the cursor, as drawn; nil without one.
func (p fleetPlace) entry() *model.Inboxed {
	for i := range p.inbox {
		if p.inbox[i].ID == p.item {
			return &p.inbox[i]
		}
	}
	return nil
}

// entryAt is the place of the inbox's cursor, -1 without one.
func (p fleetPlace) entryAt() int {
	return slices.IndexFunc(p.inbox, func(x model.Inboxed) bool { return x.ID == p.item })
}

// step moves the cursor of the pane in focus by n rows.
func (p fleetPlace) step(n int) fleetPlace {
	if p.focus == fleetInbox {
		if len(p.inbox) > 0 {
			p.item = p.inbox[min(max(max(p.entryAt(), 0)+n, 0), len(p.inbox)-1)].ID
		}
		return p
	}
	if len(p.order) > 0 {
		at := max(slices.Index(p.order, p.agent), 0)
		p.agent = p.order[min(max(at+n, 0), len(p.order)-1)]
	}
	return p
}

// revealed keeps both cursors in sight.
func (p fleetPlace) revealed(panes [fleetPaneCount + 1]rect) fleetPlace {
	_, h := panes[fleetAgents].inner()
	p.top[fleetAgents] = window(slices.Index(p.order, p.agent), p.top[fleetAgents], h-1, len(p.order))
	_, h = panes[fleetInbox].inner()
	p.top[fleetInbox] = window(p.entryAt(), p.top[fleetInbox], h, len(p.inbox))
	return p
}

// window is the first of n rows shown in h lines, so that row at is in sight.
func window(at, top, h, n int) int {
	if at >= top+h {
		top = at - h + 1
	}
	if at >= 0 && at < top {
		top = at
	}
	return max(min(top, n-h), 0)
}

// shownAgents are the agents that a frame may show: what is told of them is read with the
// next look.
func (p fleetPlace) shownAgents(rows int) []model.AgentID {
	top := min(p.top[fleetAgents], len(p.order))
	return append(slices.Clone(p.order[top:min(top+rows, len(p.order))]), p.agent)
}

// subject is what the keys are about: the entry of the inbox, or an agent and no item.
func (p fleetPlace) subject() (model.AgentID, model.ItemID) {
	if e := p.entry(); p.focus == fleetInbox && e != nil {
		return e.AgentID, e.ID
	}
	return p.agent, ""
}

// fleetDeeds are what keys do on the fleet.
func fleetDeeds() map[action.ID]act {
	return map[action.ID]act{
		action.Down: fleetBy(1), action.Up: fleetBy(-1), action.Top: fleetBy(-far), action.Bottom: fleetBy(far),
		action.HalfDown: fleetByPage(1, 2), action.HalfUp: fleetByPage(-1, 2),
		action.PageDown: fleetByPage(1, 1), action.PageUp: fleetByPage(-1, 1),
		action.NextPane: fleetToPane, action.PrevPane: fleetToPane,
		action.Open: Console.fleetOpen, action.Back: Console.fleetBack, action.Refresh: Console.fleetRefresh,
		action.NextAgent: fleetToAgent(1), action.PrevAgent: fleetToAgent(-1), action.NeedsYou: Console.fleetNext,
		action.Quit: Console.fleetQuit,
	}
}

func (c Console) fleetMoved(p fleetPlace) (Console, tea.Cmd) {
	c.place.fleet = p
	agent, item := p.subject()
	return c.glance(agent, item)
}

func fleetBy(n int) act {
	return func(c Console) (Console, tea.Cmd) { return c.fleetMoved(c.place.fleet.step(n)) }
}

func fleetByPage(direction, part int) act {
	return func(c Console) (Console, tea.Cmd) {
		_, h := c.fleetPanes()[c.place.fleet.focus].inner()
		return fleetBy(direction * max(h/part, 1))(c)
	}
}

func fleetToPane(c Console) (Console, tea.Cmd) {
	p := c.place.fleet
	p.focus = (p.focus + 1) % fleetPaneCount
	return c.fleetMoved(p)
}

func fleetToAgent(n int) act {
	return func(c Console) (Console, tea.Cmd) {
		p := c.place.fleet
		p.focus = fleetAgents
		return c.fleetMoved(p.step(n))
	}
}

// fleetNext goes to the next entry of the inbox, round the end.
func (c Console) fleetNext() (Console, tea.Cmd) {
	p := c.place.fleet
	if len(p.inbox) == 0 {
		return c.say("Nothing needs you.")
	}
	if p.focus == fleetInbox {
		p.item = p.inbox[(p.entryAt()+1)%len(p.inbox)].ID
	}
	p.focus = fleetInbox
	return c.fleetMoved(p)
}

// fleetOpen goes to what the cursor is on.
func (c Console) fleetOpen() (Console, tea.Cmd) {
	agent, item := c.place.fleet.subject()
	if agent == "" {
		return c.say("There is no agent yet.")
	}
	return c.goToItem(agent, item)
}

// fleetBack undoes the innermost of: an error on screen, a zoom, the inbox.
func (c Console) fleetBack() (Console, tea.Cmd) {
	switch {
	case c.note.isError:
		c.note = note{n: c.note.n}
		return c, nil
	case c.place.zoomed:
		return zoom(c)
	case c.place.fleet.focus != fleetAgents:
		return fleetToPane(c)
	}
	c.note.text = ""
	return c, nil
}

func (c Console) fleetRefresh() (Console, tea.Cmd) {
	c.idle.quiet = idleBeats
	return c.let().look()
}

// fleetQuit goes back to the desk that was left.
func (c Console) fleetQuit() (Console, tea.Cmd) { return c.turnTo(viewDesk) }

// acknowledge notes that the operator has seen what the item under the cursor needs, or
// what the marked items of the desk need.
func (c Console) acknowledge() (Console, tea.Cmd) {
	if rows := c.marked(); c.place.view == viewDesk && len(rows) > 0 {
		return c.acknowledgeAll(rows)
	}
	r := *c.row()
	return c.send(model.Acknowledge{WorkItemID: r.ID, SeenRevision: r.Revision}, "Acknowledged "+string(r.Handle)+". It is quiet until something new happens")
}
