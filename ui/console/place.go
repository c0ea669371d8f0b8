package console

import (
	"maps"

	"vise/model"
	"vise/ui/console/screen"
	"vise/ui/markdown"
)

// pane is a part of the desk that can have the focus of the keys.
type pane int

const (
	paneQueue pane = iota
	paneDetail
	paneActivity
	paneCount
)

// place is where the operator is: view state alone, kept by ids and never by row numbers.
type place struct {
	view view
	// home is whose desk was left for another view.
	home     model.AgentID
	fleet    screen.Fleet
	activity screen.Activity
	reports  screen.Reports
	// way are the places that were left, the last one last.
	way []stop
	// agent is whose desk is shown; off the desk, whose item the keys are about.
	agent  model.AgentID
	focus  pane
	zoomed bool
	// unfolded shows all rows of a class, not only the first.
	unfolded bool
	spot
	// elsewhere remembers the spots of the other agents.
	elsewhere map[model.AgentID]spot
}

// spot is the place on one agent's desk.
type spot struct {
	cursor model.ItemID
	tab    screen.Tab
	filter string
	marks  marks
	// top is the first line shown of the queue.
	top int
	// scroll is the first line shown of a page, which every item has of its own.
	scroll map[page]int
	// reading is the first place shown of each plan.
	reading map[model.ItemID]markdown.Position
}

// page is one tab of one item; the activity pane is a page without an item.
type page struct {
	item model.ItemID
	tab  screen.Tab
}

const tabActivity = screen.TabCount

func newSpot() spot {
	return spot{scroll: map[page]int{}, reading: map[model.ItemID]markdown.Position{}}
}

// goTo moves to another agent's desk, where everything is as it was left.
func (p place) goTo(agent model.AgentID) place {
	next := maps.Clone(p.elsewhere)
	if next == nil {
		next = map[model.AgentID]spot{}
	}
	if p.agent != "" {
		next[p.agent] = p.spot
	}
	there, known := next[agent]
	if !known {
		there = newSpot()
	}
	p.agent, p.spot, p.elsewhere = agent, there, next
	return p
}

// page is what the detail shows.
func (p place) page() page { return page{p.cursor, p.tab} }

// scrollTo sets a page's first line.
func (p place) scrollTo(at page, line int) { p.scroll[at] = max(line, 0) }
