package console

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
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
		return c.leaving().turnTo(v)
	}
}

// turnTo leaves a view for another. Off the desk, what the cursor is on decides whose item
// the keys are about; the desk that was left is kept as home.
func (c Console) turnTo(v view) (Console, tea.Cmd) {
	switch {
	case c.place.view == viewDesk:
		c.place = c.place.goTo(c.place.agent) // its spot is remembered
		c.place.home = c.place.agent
		c.place.spot, c.place.agent = newSpot(), ""
	case v == viewDesk:
		c.place.spot = newSpot() // a glance leaves nothing behind
		c.place.agent = ""
		c.place = c.place.goTo(c.place.home)
	}
	c.place.view, c.place.zoomed, c.place.focus, c.layers = v, false, paneQueue, nil
	c.queue = queue{}
	c.truth = truth{agents: c.truth.agents, inbox: c.truth.inbox}
	c.idle.quiet = idleBeats
	if v != viewDesk {
		c.place.agent, c.place.spot = "", newSpot()
	}
	c, laid := c.laidOut()
	c, look := c.look()
	if v != viewFleet {
		return c, tea.Batch(laid, look)
	}
	c, radar := c.readRadar()
	return c, tea.Batch(laid, look, radar)
}

// glance makes an item of any agent the one that keys are about, without leaving the view.
func (c Console) glance(agent model.AgentID, item model.ItemID) (Console, tea.Cmd) {
	if agent == c.place.agent && item == c.place.cursor {
		return c, nil
	}
	if agent != c.place.agent {
		c.place.agent, c.place.spot = agent, newSpot()
	}
	c.place.cursor = item
	c, look := c.look()
	c, plan := c.openPlan()
	return c, tea.Batch(look, plan)
}

// goToItem shows an item on its agent's desk.
func (c Console) goToItem(agent model.AgentID, item model.ItemID) (Console, tea.Cmd) {
	c = c.leaving()
	if c.place.view == viewDesk {
		c, visited := c.visit(agent)
		c, chosen := c.choose(item)
		return c, tea.Batch(visited, chosen)
	}
	c.place.home = agent
	c, turned := c.turnTo(viewDesk)
	if item != "" {
		c.place.cursor = item
	}
	c, look := c.look()
	return c, tea.Batch(turned, look)
}

// viewMarks are the views on the header, the one shown in brackets.
func (c Console) viewMarks() string {
	k := c.styles
	var parts []string
	for v := range viewCount {
		name := strconv.Itoa(int(v) + 1)
		if c.layout.shape == three {
			name += " " + viewNames[v]
		}
		if v == c.place.view {
			parts = append(parts, k.Accent.Paint(k.Mark(name)))
			continue
		}
		parts = append(parts, k.Muted.Paint(name))
	}
	if c.layout.shape == three {
		return strings.Join(parts, "  ")
	}
	return strings.Join(parts, " ")
}

// body is the part of the screen between the header and the message line.
func (l layout) body() rect { return rect{0, 1, l.w, max(l.h-2-l.hints, 0)} }

// elsewhere draws the body of a view other than the desk.
func (c Console) elsewhere() []string {
	switch c.place.view {
	case viewActivity:
		return c.streamBody(c.layout.body())
	case viewReports:
		return c.reportsBody()
	}
	return c.fleetBody(c.layout.body())
}

// adoptElsewhere shows a new truth on a view other than the desk; touched: in the order
// that is drawn.
func (c Console) adoptElsewhere(touched bool) Console {
	switch c.place.view {
	case viewFleet:
		c.place.fleet = c.place.fleet.adopt(c.truth.fleet, touched)
		return c.about(c.place.fleet.subject())
	case viewReports:
		c.place.reports = c.place.reports.adopt(c.truth.finished, c.truth.want.stream.filter, touched)
		if r := c.place.reports.row(); r != nil {
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

// steadyElsewhere keeps the cursor of a view in sight.
func (c Console) steadyElsewhere() Console {
	switch c.place.view {
	case viewFleet:
		c.place.fleet = c.place.fleet.revealed(c.fleetPanes())
	case viewReports:
		list, _ := c.reportsPanes()
		_, h := list.inner()
		p := &c.place.reports
		p.top = window(p.at(), p.top, h-c.filterRows(), len(p.rows))
	}
	return c
}

// let shows the newest order of the view.
func (c Console) let() Console {
	if c.place.view == viewDesk {
		if c.queue.held {
			c = c.reorder()
		}
		return c
	}
	return c.adoptElsewhere(false)
}
