package console

import (
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

// here is where the operator is.
func (c Console) here() stop {
	s := stop{view: c.place.view, agent: c.place.agent, item: c.place.cursor, tab: c.place.tab}
	return s
}

// leaving remembers the place that is left, once.
func (c Console) leaving() Console {
	at := c.here()
	way := c.place.way
	if len(way) > 0 && way[len(way)-1] == at {
		return c
	}
	next := append(append([]stop(nil), way...), at)
	c.place.way = next[max(len(next)-mostStops, 0):]
	return c
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
