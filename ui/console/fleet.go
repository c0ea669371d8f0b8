package console

import (
	"maps"
	"slices"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// listActs are the actions of a view other than the desk: moves by one row and by pages of its height, and the
// view's own actions.
func listActs(by func(n int) act, height func(*console) int, own map[action.ID]act) map[action.ID]act {
	page := func(direction, part int) act {
		return func(c *console) { by(direction * max(height(c)/part, 1))(c) }
	}
	all := map[action.ID]act{
		action.Down: by(1), action.Up: by(-1), action.Top: by(-far), action.Bottom: by(far),
		action.PageDown: page(1, 1), action.PageUp: page(-1, 1),
		action.Refresh: refreshView, action.Quit: toView(viewDesk),
	}
	maps.Copy(all, own)
	return all
}

// lacks says that the view has no such action.
func lacks(c *console) { c.say("This view has no such act.") }

// refreshView reads again and shows the newest order.
func refreshView(c *console) {
	c.idle.quiet = idleBeats
	c.showNewest()
	c.read()
}

// backOr leaves the first of these states that applies: an error on screen, a zoom, and the view's own states
// in order.
func backOr(own ...backStep) act {
	return func(c *console) {
		switch {
		case c.note.isError:
			c.note.clear()
			return
		case c.zoomed:
			zoom(c)
			return
		}
		for _, x := range own {
			if x.there(c) {
				x.undo(c)
				return
			}
		}
		c.note.text = ""
	}
}

type backStep struct {
	there func(*console) bool
	undo  act
}

// unfiltered removes the view's filter.
var unfiltered = backStep{
	func(c *console) bool { return *c.keptFilter() != "" },
	func(c *console) { c.filtered("") },
}

// fleetActs are the actions of the fleet's view.
func fleetActs() map[action.ID]act {
	height := func(c *console) int {
		_, h := c.fleetView().Panes()[c.fleet.Focus].Inner()
		return h
	}
	marked := backStep{func(c *console) bool { return c.markWords() != "" }, unmark}
	lower := backStep{func(c *console) bool { return c.fleet.Focus != screen.FleetAgents }, fleetToAgent(0)}
	return listActs(fleetBy, height, map[action.ID]act{
		action.NextPane: fleetToPane(1), action.PrevPane: fleetToPane(-1), action.Open: fleetOpen,
		action.Back: backOr(marked, unfiltered, lower), action.NextAgent: fleetToAgent(1), action.PrevAgent: fleetToAgent(-1),
	})
}

func (c *console) fleetMoved(p screen.Fleet) {
	c.fleet = p
	c.selectItem(p.Subject())
}

// fleetTo puts the cursor on the clicked line.
func (c *console) fleetTo(r screen.Region) {
	p := c.fleet
	if r.Pane < 0 {
		return
	}
	switch p.Focus = r.Pane; {
	case r.Row < 0:
	case r.Pane == screen.FleetAgents:
		p.Agents.Cursor = p.Agents.Order[r.Row]
	case r.Pane == screen.FleetActivity:
		p.Journal.Cursor = p.Journal.Order[r.Row]
	default:
		p.Inbox.Cursor = p.Inbox.Order[r.Row]
	}
	c.fleetMoved(p)
}

func fleetBy(n int) act {
	return func(c *console) {
		p := c.fleet.Step(n)
		if at := p.Journal.At(); p.Focus == screen.FleetActivity && n > 0 && at == len(p.Journal.Order)-1 {
			p.Wanted = min(len(p.Journal.Order)+moreEvents, mostEvents)
			defer c.read()
		}
		c.fleetMoved(p)
	}
}

func fleetToPane(n int) act {
	return func(c *console) {
		p := c.fleet
		p.Focus = (p.Focus + n + screen.FleetPanes) % screen.FleetPanes
		c.fleetMoved(p)
	}
}

func fleetToAgent(n int) act {
	return func(c *console) {
		p := c.fleet
		p.Focus = screen.FleetAgents
		c.fleetMoved(p.Step(n))
	}
}

// fleetOpen opens the line under the cursor.
func fleetOpen(c *console) {
	agent, item := c.fleet.Subject()
	if agent == "" {
		c.say("There is no agent yet.")
		return
	}
	runs := sessionRuns(c)
	if c.goToItem(agent, item); runs {
		goTab(screen.TabSession)(c)
	}
}

// inbox is the inbox as the screen shows it.
func (c *console) inbox() []model.Inboxed {
	if c.view == viewFleet && c.filterText() == "" {
		return slices.DeleteFunc(slices.Clone(c.fleet.Entries), func(x model.Inboxed) bool { return x.Snoozed })
	}
	return c.truth.inbox
}
