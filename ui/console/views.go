package console

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
)

// view is one of the four screens. The desk is one agent's; the others look across agents.
type view int

const (
	viewDesk view = iota
	viewFleet
	viewActivity
	viewReports
	viewCount
)

var viewNames = [viewCount]string{"Desk", "Fleet", "Activity", "Reports"}

// viewWords are the views' names for what actions ask.
func (v view) String() string { return strings.ToLower(viewNames[v]) }

// toView shows another view. Each is where it was left.
func toView(v view) act {
	return func(c Console) (Console, tea.Cmd) {
		if v == c.place.view {
			return c, nil
		}
		c.place = c.place.leaving()
		return c.turnTo(v)
	}
}

// turnTo leaves a view for another. Off the desk, what the cursor is on decides whose item
// the keys are about; the desk that was left is kept as home.
func (c Console) turnTo(v view) (Console, tea.Cmd) {
	if c.place.view == viewDesk {
		c.place = c.place.goTo(c.place.agent) // its spot is remembered
		c.place.home = c.place.agent
	}
	if c.place.agent, c.place.spot = "", newSpot(); v == viewDesk { // a glance leaves nothing behind
		c.place = c.place.goTo(c.place.home)
	}
	c.place.view, c.place.zoomed, c.place.focus, c.layers = v, false, paneQueue, nil
	c.queue = screen.Queue{}
	c.truth = truth{agents: c.truth.agents, inbox: c.truth.inbox}
	c.idle.quiet = idleBeats
	if v == viewFleet {
		return c.then(Console.laidOut, Console.look, Console.readThreads)
	}
	return c.then(Console.laidOut, Console.look)
}

// glance makes an item of any agent the one that keys are about, without leaving the view.
func (c Console) glance(agent model.AgentID, item model.ItemID) (Console, tea.Cmd) {
	if agent == c.place.agent && item == c.place.cursor {
		return c, nil
	}
	return c.about(agent, item).then(Console.look, Console.openPlan)
}

// goToItem shows an item on its agent's desk.
func (c Console) goToItem(agent model.AgentID, item model.ItemID) (Console, tea.Cmd) {
	c.place = c.place.leaving()
	if c.place.view == viewDesk {
		c, visited := c.visit(agent)
		c, chosen := c.choose(item)
		return c, tea.Batch(visited, chosen)
	}
	c.place.home = agent
	c, turned := c.turnTo(viewDesk)
	c, chosen := c.choose(item)
	return c, tea.Batch(turned, chosen)
}

// adoptElsewhere shows a new truth on a view other than the desk; touched: in the order
// that is drawn.
func (c Console) adoptElsewhere(touched bool) Console {
	switch c.place.view {
	case viewFleet:
		c.place.fleet = c.place.fleet.Adopt(c.truth.fleet, touched)
		return c.about(c.place.fleet.Subject())
	case viewReports:
		c.place.reports = c.place.reports.Adopt(c.truth.finished, c.truth.want.journal.filter, touched)
		if r := c.place.reports.Row(); r != nil {
			return c.about(r.AgentID, r.ID)
		}
		return c.about("", "")
	}
	return c
}

// about makes an item, or an agent and no item, what the keys are about.
func (c Console) about(agent model.AgentID, item model.ItemID) Console {
	if agent != c.place.agent {
		c.place.agent, c.place.spot = agent, newSpot()
	}
	c.place.cursor = item
	return c
}

// let shows the newest order of the view.
func (c Console) let() Console {
	if c.place.view == viewDesk {
		if c.queue.Held {
			c = c.reorder()
		}
		return c
	}
	return c.adoptElsewhere(false)
}
