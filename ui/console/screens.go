package console

import (
	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/console/widget"
)

// This file makes what each screen shows of what the console knows.

// frame is what every screen is drawn with.
func (c Console) frame() screen.Frame {
	f := screen.Frame{Frame: widget.Frame{Styles: c.styles, Now: c.now, Keys: c.keys}, Wide: c.layout.shape == three, Narrow: c.layout.shape == one, Cursor: c.layers.dialog() == nil}
	switch {
	case !c.truth.at.IsZero():
	case c.trouble != nil:
		f.Unread = c.troubleWords()
	default:
		f.Unread = "Reading the ledger…"
	}
	return f
}

// body is the screen between the header and the message line.
func (c Console) body() screen.Drawing {
	switch c.place.view {
	case viewFleet:
		return c.fleetView().Draw()
	case viewActivity:
		return c.activityView().Draw()
	case viewReports:
		return c.reportsView().Draw()
	}
	queue, detail := c.queueView().Draw(int(paneQueue)), c.detailView().Draw(int(paneDetail))
	events := c.truth.activity.Pane(c.frame(), c.layout.panes[paneActivity], int(paneActivity), c.place.focus == paneActivity, c.place.scroll[page{tab: tabActivity}])
	if c.layout.panes[paneDetail].X > 0 {
		return queue.Beside(detail.Above(events))
	}
	return queue.Above(detail).Above(events)
}

func (c Console) queueView() screen.QueueView {
	return screen.QueueView{
		Frame: c.frame(), Rect: c.layout.panes[paneQueue], Queue: c.queue, Focused: c.place.focus == paneQueue, Style: c.layout.queueStyle(),
		Cursor: c.place.cursor, Top: c.place.top, Filter: c.filterShown(), Marked: c.markedIDs(), MarkWords: c.markWords(),
		Counts: c.frame().Counts(c.truth.desk), Opened: c.fx.Ledger != nil, Agent: c.place.agent != "",
	}
}

func (c Console) detailView() screen.Detail {
	v := screen.Detail{
		Frame: c.frame(), Rect: c.layout.panes[paneDetail], Focused: c.place.focus == paneDetail, Row: c.row(), Detail: c.detail(),
		Agent: c.truth.desk.Agent, Tab: c.place.tab, Scroll: c.place.scroll[c.place.page()], Plan: c.plan.Plan,
		Card: c.threads.card, HasThreads: c.fx.Threads != nil, Linked: len(c.threads.links) > 0, Opened: c.fx.Ledger != nil,
	}
	if v.Files = c.files.FileTodos; v.Detail == nil || c.files.item != v.Detail.ID {
		v.Files.Linked = nil // they are another item's
	}
	if v.Tab == screen.TabWhy {
		v.WhyKeys = c.whyKeys()
	}
	return v
}

// whyKeys are the keys that would change what the page Why tells, those that can be pressed.
func (c Console) whyKeys() []string {
	block := "block"
	if r := c.row(); r != nil && r.CanUnblock() {
		block = "clear blocker"
	}
	var out []string
	state := c.state()
	for _, x := range []struct {
		id   action.ID
		word string
	}{{action.Answer, "answer"}, {action.Review, "review"}, {action.Block, block}, {action.Pick, "pick"}} {
		a := c.keys.ByID(x.id)
		if c.keys.Refusal(a, state) == "" && a.Key() != "" {
			out = append(out, a.Key()+" "+x.word)
		}
	}
	return out
}

func (c Console) fleetView() screen.FleetView {
	return screen.FleetView{
		Frame: c.frame(), Fleet: c.place.fleet, Body: c.layout.body(), Zoomed: c.place.zoomed, Told: c.truth.fleet, Events: c.truth.activity,
		Findings: len(c.files.Pending()), Threads: c.threads.all,
	}
}

func (c Console) activityView() screen.ActivityView {
	return screen.ActivityView{Frame: c.frame(), Activity: c.place.activity, Body: c.layout.body(), Filter: c.filterShown(), Told: c.truth.journal}
}

func (c Console) reportsView() screen.ReportsView {
	v := screen.ReportsView{Frame: c.frame(), Reports: c.place.reports, Body: c.layout.body(), Zoomed: c.place.zoomed, Filter: c.filterShown(), Told: c.truth.finished}
	if d := c.detail(); d != nil {
		v.Detail = &screen.Detail{Frame: v.Frame, Row: v.Row(), Detail: d}
	}
	return v
}

// checklist is an item's todo list as it stands, as far as its links were read.
func (c Console) checklist(d model.Detail) []model.Todo {
	if c.files.item != d.ID {
		return d.TodoList
	}
	return c.files.Checklist(d)
}
