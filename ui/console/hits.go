package console

import (
	"maps"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// hits are the results of the search in the ledger for the filter on screen. The search runs step by step
// beside the screen. A step is a read of about 10 ms; only one runs at a time. If the filter changes, the new
// search starts when the step ends.
type hits struct {
	asked
	items  action.Search
	events action.EventSearch
	// rows are the items in the scheduler's order, shown the events as drawn.
	rows  []model.Row
	shown screen.Events
	// said are places in sessions.
	said []Said
	// answered: a step was done. underWay: a step is running. failed is the time of the truth on screen when a
	// step failed.
	answered, underWay bool
	failed             time.Time
}

// asked is the search: on the desk among one agent's items, elsewhere among all.
type asked struct {
	view  view
	agent model.AgentID
	words string
	// happened: the search is among events.
	happened bool
}

// asksFor is the search for the current filter, and the parsed filter; empty without a filter.
func asksFor(c *console) (asked, action.RowFilter) {
	words := strings.TrimSpace(c.filterText())
	f := action.ParseFilter(words, c.now)
	happened := c.view == viewFleet && c.fleet.OfEvents
	if happened {
		f = action.ParseEventFilter(words, c.now)
	}
	if f.Empty() {
		return asked{}, f
	}
	a := asked{view: c.view, words: words, happened: happened}
	if a.view == viewDesk {
		a.agent = c.agent
	}
	return a, f
}

// hitsOf are the hits of the current search. ok is false before the first result.
func hitsOf(c *console) (h hits, ok bool) {
	now, _ := asksFor(c)
	return c.hits, c.hits.answered && c.hits.asked == now
}

// progress says how far the search is.
func (h hits) progress() *action.Progress {
	if h.happened {
		return &h.events.Progress
	}
	return &h.items.Progress
}

// lookOn starts the next step of the current search, if one is needed and none is running.
func lookOn(c *console) {
	now, f := asksFor(c)
	h := &c.hits
	if b, ok := c.layers.top().(*box); ok {
		now, f = b.asks(c.now)
		h = &b.hits
	}
	switch {
	case h.underWay || c.fx.Ledger == nil || c.truth.at.IsZero() || h.failed.Equal(c.truth.at):
		return
	case now.words == "":
		*h = hits{}
		return
	case h.asked != now:
		if now.view == viewReports {
			f = f.OfFinished()
		}
		*h = hits{asked: now, items: action.NewSearch(f, now.agent), events: action.NewEventSearch(f)}
		if now.view == viewBox && c.fx.Sessions != nil {
			c.start(c.fx.after(searchPause, func(c *console) { findSaid(c, now) }))
		}
	case h.progress().Done && h.progress().Revision >= c.truth.revision: // everything was searched
		return
	}
	h.underWay = true
	c.start(c.fx.look(*h))
}

// searchPause is how long the operator types nothing before sessions are searched.
const searchPause = 400 * time.Millisecond

// findSaid searches sessions for the words of the box, unless they have changed.
func findSaid(c *console, of asked) {
	typed := func(c *console) *box {
		if b, ok := c.layers.top().(*box); ok && b.hits.asked == of {
			return b
		}
		return nil
	}
	sessions := c.fx.Sessions
	if typed(c) != nil {
		c.start(func() tea.Msg {
			said := sessions.Find(of.words, "")
			return act(func(c *console) {
				if b := typed(c); b != nil {
					h := b.hits
					h.said = said
					b.found(h, c.facts())
				}
			})
		})
	}
}

// hitsMsg brings a search after a step.
type hitsMsg struct {
	hits
	err error
}

func (e *effects) look(h hits) tea.Cmd {
	return func() tea.Msg {
		err := e.Ledger.View(e.ctx, func(r model.Reader) error {
			if !h.happened {
				h.items.Step(r)
				return nil
			}
			h.events.Step(r)
			names := maps.Clone(h.shown.Names)
			if names == nil {
				names = map[model.ItemID]screen.Named{}
			}
			h.shown = shown(r, names, h.events.Found)
			return nil
		})
		h.rows, h.answered, h.underWay = h.items.InOrder(), true, false
		return hitsMsg{h, err}
	}
}

// handle shows the result of a step, unless the search has changed.
func (m hitsMsg) handle(c *console) {
	at := &c.hits
	b, ok := c.layers.top().(*box)
	if ok && m.view == viewBox {
		at = &b.hits
	}
	switch {
	case m.view == viewBox && !ok:
		return
	case m.err != nil:
		*at = hits{failed: c.truth.at}
		c.troubled(m.err)
		return
	case m.view == viewBox:
		m.said = b.hits.said
		b.found(m.hits, c.facts())
		return
	}
	before := c.hits
	c.hits.underWay = false
	if now, _ := asksFor(c); now != m.asked {
		return
	}
	c.hits = m.hits
	held := c.layers.dialog() != nil || before.items.Done && c.still()
	agent, item := c.agent, c.cursor
	switch {
	case c.view != viewDesk:
		c.adoptElsewhere(held)
	case held && !c.queue.SameOrder(c.projected()):
		c.queue = c.queue.Hold(c.projected())
	default:
		c.reorder()
	}
	if agent == c.agent && item == c.cursor {
		return
	}
	c.read()
	c.openPlan()
}

// finishedShown is the finished work on screen: the newest, or the rows that match a filter.
func finishedShown(c *console) screen.Finished {
	now, f := asksFor(c)
	h, ok := hitsOf(c)
	switch {
	case now.words == "":
		return c.truth.finished
	case ok:
		return screen.Finished{Rows: h.rows, More: !h.items.Done || h.items.Cut}
	}
	kept := slices.DeleteFunc(slices.Clone(c.truth.finished.Rows), func(r model.Row) bool { return !f.Keeps(r) })
	return screen.Finished{Rows: kept, More: true}
}

// fleetShown is the fleet. With a filter, the matching items of all agents replace the inbox.
func fleetShown(c *console) model.Fleet {
	fleet := c.truth.fleet
	now, f := asksFor(c)
	if now.words == "" || now.happened {
		return fleet
	}
	h, ok := hitsOf(c)
	needs := map[model.ItemID]model.Inboxed{}
	fleet.Inbox, fleet.Snoozed = nil, nil
	for _, x := range c.truth.fleet.Inbox {
		needs[x.ID] = x
		if f.Keeps(x.Row) && (!ok || x.OfAgent()) {
			fleet.Inbox = append(fleet.Inbox, x)
		}
	}
	for _, r := range h.rows {
		x, needed := needs[r.ID]
		if !needed {
			x.Row = r
		}
		if ok {
			fleet.Inbox = append(fleet.Inbox, x)
		}
	}
	return fleet
}

// happenedShown are the events of all agents on screen: the newest, or those that match a filter.
func happenedShown(c *console) screen.Events {
	if now, _ := asksFor(c); now.words == "" || !now.happened {
		return c.truth.activity
	}
	h, _ := hitsOf(c)
	return h.shown
}
