package console

import (
	"slices"

	"cmp"
	"strings"

	"vise/model"
	"vise/store/home"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// view is one of the three screens. The desk shows one agent, the other views show all agents.
type view int

const (
	viewDesk view = iota
	viewFleet
	viewReports
	viewCount
)

var viewNames = [viewCount]string{"Desk", "Fleet", "Reports"}

// viewActs are the actions that show the views.
var viewActs = []action.ID{action.ViewDesk, action.ViewFleet, action.ViewReports}

// String is the view's name for the state of actions.
func (v view) String() string { return strings.ToLower(viewNames[v]) }

// toView shows another view, as the operator left it.
func toView(v view) act {
	return func(c *console) {
		if v == c.view {
			return
		}
		c.place = c.place.leaving()
		c.turnTo(v)
	}
}

// turnTo leaves a view for another one. On other views than the desk, keys apply to the item under that view's
// cursor. The agent of the desk that was left is kept as home.
func (c *console) turnTo(v view) {
	if c.view == viewDesk {
		c.place = c.place.goTo(c.agent) // remembers its spot
		c.home = c.agent
	}
	if c.agent, c.spot = "", newSpot(); v == viewDesk { // nothing of the other view's item stays
		c.place = c.place.goTo(c.home)
	}
	c.view, c.zoomed, c.focus, c.layers = v, false, paneQueue, nil
	c.queue = screen.Queue{}
	c.truth = truth{agents: c.truth.agents, inbox: c.truth.inbox}
	c.idle.quiet = idleBeats
	c.laidOut()
	c.read()
	c.checkWorkTree()
}

// selectItem applies keys to an item of any agent, without leaving the view.
func (c *console) selectItem(agent model.AgentID, item model.ItemID) {
	if agent == c.agent && item == c.cursor {
		return
	}
	c.setSubject(agent, item)
	c.read()
	c.openPlan()
}

// goToItem shows an item on its agent's desk.
func (c *console) goToItem(agent model.AgentID, item model.ItemID) {
	c.place = c.place.leaving()
	if c.view == viewDesk {
		c.visit(agent)
		c.choose(item)
		return
	}
	c.home = agent
	c.turnTo(viewDesk)
	c.choose(item)
}

// adoptElsewhere shows a new truth on a view other than the desk. touched: the drawn order is kept.
func (c *console) adoptElsewhere(touched bool) {
	switch c.view {
	case viewFleet:
		c.fleet = c.fleet.Adopt(fleetShown(c), happenedShown(c).Acts, touched)
		c.setSubject(c.fleet.Subject())
	case viewReports:
		c.reports = c.reports.Adopt(finishedShown(c), c.filterText(), touched)
		var none model.Row
		r := *cmp.Or(c.reports.Row(), &none)
		c.setSubject(r.AgentID, r.ID)
	}
}

// setSubject sets the item that keys apply to, or an agent without an item.
func (c *console) setSubject(agent model.AgentID, item model.ItemID) {
	if agent != c.agent {
		c.agent, c.spot = agent, newSpot()
	}
	c.cursor = item
}

// showNewest shows the newest order of the view, if it was read.
func (c *console) showNewest() {
	if c.truth.at.IsZero() {
		return
	}
	if c.queue.Held {
		c.reorder()
	}
	c.adoptElsewhere(false)
}

// This file computes what each screen shows.

// frame is the frame for the drawing functions of every screen.
func (c *console) frame() screen.Frame {
	f := screen.Frame{Styles: c.styles, Now: c.now, Catalogue: c.keys, Cursor: c.layers.dialog() == nil, Pages: c.fx.pages}
	f.Wide, f.Narrow = c.layout.shape == three, c.layout.shape == one
	f.Away = slices.DeleteFunc(slices.Clone(c.truth.hosts), func(h model.HostState) bool { return !h.Away })
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
func (c *console) body() screen.Drawing {
	switch c.view {
	case viewFleet:
		return c.besidePreview(c.fleetView().Draw())
	case viewReports:
		return c.reportsView().Draw()
	}
	queue, detail := c.queueView().Draw(int(paneQueue)), c.detailView().Draw(int(paneDetail))
	events := c.truth.activity.Pane(c.frame(), c.layout.panes[paneActivity], int(paneActivity), c.focus == paneActivity,
		c.place.scroll[page{tab: tabActivity}])
	if c.layout.panes[paneDetail].X > 0 {
		return queue.NextTo(detail.Above(events))
	}
	return queue.Above(detail).Above(events)
}

func (c *console) queueView() screen.QueueView {
	return screen.QueueView{
		Frame: c.frame(), Rect: c.layout.panes[paneQueue], Queue: c.queue, Focused: c.focus == paneQueue,
		Style:  c.layout.queueStyle(),
		Cursor: c.cursor, Top: c.top, Filter: c.filterShown(), Marked: c.markedIDs(), MarkWords: c.markWords(),
		Counts: c.frame().Counts(c.truth.desk), PickKey: c.keys.PickKey(c.state()), Opened: c.fx.Ledger != nil, Agent: c.agent != "",
	}
}

func (c *console) detailView() screen.Detail {
	v := screen.Detail{
		Frame: c.frame(), Rect: c.layout.panes[paneDetail], Focused: c.focus == paneDetail, Row: c.row(), Detail: c.detail(),
		Events: c.truth.events, Story: c.truth.story,
		Agent: c.truth.desk.Agent, Tab: c.tab, Scroll: c.place.scroll[c.page()], Plan: c.plan.Plan,
		Card: c.threads.card, HasThreads: c.fx.Threads != nil, Linked: len(c.threads.links.Threads) > 0, Opened: c.fx.Ledger != nil,
		FileCursor: c.files.at, HasChanges: c.worktree() != "", Session: sessionShown(c),
	}
	agent, _ := c.shown()
	v.Live, _ = home.Live(c.talk.all, agent)
	if c.changes.item == c.cursor {
		v.Changes = c.changes.Changes
	}
	if c.view != viewDesk {
		v = c.previewed(v)
	}
	if v.Files = c.files.FileTodos; v.Detail == nil || c.files.item != v.Detail.ID {
		v.Files.Linked = nil // the links on hand are another item's
	}
	if c.reasons && !v.Preview {
		v.Reasons, v.WhyKeys, v.Path = true, c.whyKeys(), c.truth.path
	}
	return v
}

// whyKeys are the available keys that would change the reasons that the header shows.
func (c *console) whyKeys() []string {
	block := "block"
	if r := c.row(); r != nil && r.CanUnblock() {
		block = "clear blocker"
	}
	var out []string
	state, try := c.state(), "retry"
	if state.Review() {
		try = "review"
	}
	for _, x := range []struct {
		id   action.ID
		word string
	}{{action.Answer, "answer"}, {action.Review, try}, {action.Block, block}, {action.Pick, "pick"}} {
		a := c.keys.ByID(x.id)
		if c.keys.Refusal(a, state) == "" && a.Key() != "" {
			out = append(out, a.Key()+" "+x.word)
		}
	}
	return out
}

func (c *console) fleetView() screen.FleetView {
	list, _ := c.sides()
	return screen.FleetView{
		Frame: c.frame(), Fleet: c.fleet, Body: list, Zoomed: c.zoomed,
		Long: c.layout.w >= previewFrom, Known: c.truth.fleet, Sessions: c.talk.all,
		Tracks: c.truth.tracks, Events: happenedShown(c), Found: c.filterShown(),
		Findings: len(c.files.Pending), Threads: c.threads.all, Marked: c.markedIDs(), MarkWords: c.markWords(),
	}
}

func (c *console) reportsView() screen.ReportsView {
	v := screen.ReportsView{
		Frame: c.frame(), Reports: c.reports, Body: c.layout.body(), Zoomed: c.zoomed,
		Filter: c.filterShown(), Known: finishedShown(c),
	}
	if d := c.detail(); d != nil {
		v.Detail = &screen.Detail{Frame: v.Frame, Row: v.Row(), Detail: d}
	}
	return v
}

// checklist is an item's current todo list, with the linked todos that were read.
func (x fileTodos) checklist(d model.Detail) []model.Todo {
	if x.item != d.ID {
		return d.TodoList
	}
	return x.Checklist(d)
}
