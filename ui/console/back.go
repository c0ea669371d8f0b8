package console

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/console/screen"
)

// stop is a place that was left for another one.
type stop struct {
	view  view
	agent model.AgentID
	item  model.ItemID
	tab   screen.Tab
}

// mostStops is how far back the way goes.
const mostStops = 50

// leaving is p with the place that is left remembered, once.
func (p place) leaving() place {
	at := stop{view: p.view, agent: p.agent, item: p.cursor, tab: p.tab}
	if n := len(p.way); n == 0 || p.way[n-1] != at {
		p.way = append(slices.Clone(p.way), at)
		p.way = p.way[max(n+1-mostStops, 0):]
	}
	return p
}

// wayBack goes to where the operator was before.
func wayBack(c Console) (Console, tea.Cmd) {
	way := c.place.way
	if len(way) == 0 {
		return c.say("There is no place to go back to.")
	}
	to := way[len(way)-1]
	c.place.way = way[:len(way)-1]
	if to.view != viewDesk {
		return c.turnTo(to.view)
	}
	way = c.place.way
	c, cmd := c.goToItem(to.agent, to.item)
	c.place.way, c.place.tab = way, to.tab
	c, plan := c.openPlan()
	return c, tea.Batch(cmd, plan)
}
