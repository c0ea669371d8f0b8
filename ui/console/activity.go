package console

import (
	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// shown are events as drawn, newest first: repeats folded, with the names of their items.
func shown(r model.Reader, names map[model.ItemID]screen.Named, entries []model.Entry) screen.Events {
	x := screen.Events{Names: names, Acts: screen.Folded(entries)}
	for _, e := range x.Acts {
		nameOf(r, names, e.WorkItemID)
	}
	return x
}

// lateDepth bounds how many events are searched for one that tells of work.
const lateDepth = 4

// readLately reads the n newest events of an agent, or of all agents: as recorded, and as drawn.
func readLately(r model.Reader, source model.AgentID, n int) (late []model.Entry, _ screen.Events) {
	var entries []model.Entry
	at := model.Position{}
	for searched := 0; searched < lateDepth*n && len(entries) < n; {
		page := r.HistoryBefore(source, at, n)
		if late == nil {
			late = page
		}
		for _, e := range page {
			if at = e.Position(); action.OfWork(e) {
				entries = append(entries, e)
			}
		}
		if searched += len(page); len(page) < n {
			break
		}
	}
	return late, shown(r, map[model.ItemID]screen.Named{}, entries[:min(n, len(entries))])
}

// nameOf is an item's name, read only once.
func nameOf(r model.Reader, names map[model.ItemID]screen.Named, id model.ItemID) screen.Named {
	if id == "" {
		return screen.Named{}
	}
	if _, known := names[id]; !known {
		w, _ := r.Item(id)
		names[id] = screen.Named{Handle: w.Handle, Title: w.Objective}
	}
	return names[id]
}

// moreEvents is how many older events are read when the cursor comes to the last one, mostEvents how many are read in all.
const moreEvents, mostEvents = 250, 5000

// toActivity zooms into the events of all agents, below the fleet.
func toActivity(c *console) {
	toView(viewFleet)(c)
	c.fleet.Focus, c.zoomed = screen.FleetActivity, true
	c.laidOut()
	c.fleetMoved(c.fleet)
}
