package console

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
	"vise/ui/text"
)

// touched records that the operator is active. The queue keeps its order for a while.
func touched(c *console) {
	c.idle.quiet = 0
	if c.idle.running {
		return
	}
	c.idle.running = true
	c.start(c.fx.after(idleBeat, rested))
}

// state is the state from which actions decide whether they are available.
func (c *console) state() action.State {
	undo, redo := c.outbox.undo.Words()
	_, preview := c.sides()
	marked := c.marked()
	return action.State{
		Preview: !preview.Empty(),
		View:    c.view.String(), Need: c.truth.need, NeedYou: len(c.truth.inbox),
		Item: c.row(), Search: c.plan.Search.Query != "",
		Marked: len(marked), MarkedNeed: len(marked) > 0 && inInbox(c.inbox(), marked), Filtered: c.filter != "",
		Agent: c.agent, Desk: c.truth.desk, Agents: len(c.truth.agents),
		Demo: c.fx.Demo, ReadOnly: c.readOnly(), Editor: c.fx.editor != nil, Undo: undo, Redo: redo,
		FileTodos: len(c.files.Sessions) > 0,
	}
}

// act runs an action, or says why the action is not available.
func (c *console) act(id action.ID) {
	a := c.keys.ByID(id)
	if why := c.keys.Refusal(a, c.state()); why != "" {
		c.refuse(a, why)
		return
	}
	c.recent = remembered(c.recent, a)
	if do, ok := c.acts[c.view][id]; ok {
		do(c)
		return
	}
	for _, x := range c.opt.Settings.Commands {
		if x.ID() == id {
			custom(x)(c)
			return
		}
	}
}

// refuse says why an action is not done. What the operator types next for it does nothing.
func (c *console) refuse(a action.Action, why string) {
	if a.Typed {
		c.unheard(text.Sentence(why))
		return
	}
	c.say(text.Sentence(why))
}

// act runs an action. As a message it is the next step after an effect or a dialog.
type act func(*console)

func (do act) handle(c *console) { do(c) }

// acts maps the actions of each view to their functions. The other views replace some of the Desk's.
type acts [viewCount]map[action.ID]act

func newActs() (all acts) {
	height := func(c *console) int {
		_, h := c.layout.panes[c.focus].Inner()
		return h
	}
	desk := listActs(by, height, map[action.ID]act{
		action.PreviewDown: preview(1), action.PreviewUp: preview(-1),
		action.NextPane: toPane(1), action.PrevPane: toPane(-1), action.NextTab: toTab(1), action.PrevTab: toTab(-1),
		action.Zoom: zoom, action.Open: openDetail, action.Back: back,
		action.Do: obvious, action.Tick: tick, action.Pick: pick, action.Complete: opening(completing), action.Block: opening(blocking),
		action.Wait: opening(waiting), action.New: opening(creating), action.EditPlan: editPlan,
		action.Objective: opening(rewording), action.TodoList: opening(todoEditor), action.Status: opening(statusMenu),
		action.Priority: opening(priorityMenu),
		action.Answer:   answer, action.Message: saySomething, action.Hide: hide, action.Hidden: showHidden,
		action.Posture: stopOrResume,
		action.Start:   startAgent, action.Review: retryOrReview, action.Report: report,
		action.TriageOpen: opening(triaging), action.Threads: openThreads,
		action.Filter: startFilter, action.Refresh: refresh, action.Unfold: unfold,
		action.Brief:  tellBrief,
		action.Agents: opening(agentMenu), action.NextAgent: toAgent(1), action.PrevAgent: toAgent(-1),
		action.Mark: mark, action.MarkClass: markClass,
		action.NextMatch: nextMatch(1), action.PrevMatch: nextMatch(-1),
		action.Rightwards: sideways(1), action.Leftwards: sideways(-1),
		action.Changes: changes, action.PlanSeen: planSeen, action.Earlier: toSave(1), action.Later: toSave(-1),
		action.DiffSpace: spaceInChanges,
		action.ViewDesk:  toView(viewDesk), action.ViewFleet: toView(viewFleet),
		action.ViewReports: toView(viewReports),
		action.WayBack:     wayBack,
		action.NeedsYou:    toNeed(1), action.PrevNeed: toNeed(-1), action.Undo: takeBack(false), action.Redo: takeBack(true),
		action.Help: opening(helping), action.Palette: opening(openBox),
		action.SaveFilter: savingFilter,
		action.CopyOf:     opening(copyMenu), action.GoTo: openGo,
		action.Quit: quit, action.ForceQuit: ending("{quit-now} again quits now."),
		action.Suspend: func(c *console) { c.start(tea.Suspend) },
		action.Redraw:  func(c *console) { c.start(tea.ClearScreen) },
	})
	for v, own := range []map[action.ID]act{nil, fleetActs(), reportsActs()} {
		all[v] = maps.Clone(desk)
		maps.Copy(all[v], own)
	}
	return all
}

func opening(make func(*console) dialog) act {
	return func(c *console) { c.open(make(c)) }
}

// by moves n rows in the queue, or n lines in another pane.
func by(n int) act {
	return func(c *console) {
		if c.focus != paneQueue {
			c.scroll(c.focus, n)
			return
		}
		c.choose(c.queue.At(c.cursor).Step(n).Cursor)
	}
}

func preview(n int) act {
	return func(c *console) { c.scroll(paneDetail, n) }
}

// choose puts the cursor on an item of the agent on screen.
func (c *console) choose(id model.ItemID) {
	if id == "" {
		return
	}
	c.selectItem(c.agent, id)
}

// lastTop is the last line that can be the first line on a pane's screen.
func (c *console) lastTop(p pane) int {
	if p == paneActivity {
		_, h := c.layout.panes[p].Inner()
		return max(len(c.truth.activity.Acts)-h, 0)
	}
	if last := c.detailView().LastLine(); last >= 0 {
		return last
	}
	return c.place.scroll[c.page()]
}

// pageOf is the content of a pane.
func (c *console) pageOf(p pane) page {
	if p == paneActivity {
		return page{tab: tabActivity}
	}
	return c.page()
}

func (c *console) scroll(p pane, n int) {
	at := c.pageOf(p)
	switch at.tab {
	case screen.TabPlan:
		c.movePlan(n)
		return
	case screen.TabFiles:
		c.files.move(n)
		return
	case screen.TabChanges:
		c.changes.List = c.changes.Step(n)
		return
	case screen.TabSession:
		if v := c.detailView(); v.Session != nil {
			c.talk.shown = v.MoveSession(n)
		}
		return
	}
	c.scrollTo(at, min(c.place.scroll[at]+n, c.lastTop(p)))
}

func toPane(n int) act {
	return func(c *console) {
		panes := c.layout.reachable()
		at := max(slices.Index(panes, c.focus), 0)
		c.focus = panes[(at+n+len(panes))%len(panes)]
		c.laidOut()
	}
}

func toTab(n int) act {
	return func(c *console) {
		detail, step := c.detailView(), screen.Tab(n)+screen.TabCount
		to := (c.tab + step) % screen.TabCount
		for !detail.Offers(to) {
			to = (to + step) % screen.TabCount
		}
		showTab(c, to)
	}
}

// showTab shows a tab of the detail. The story is read only while its tab is shown.
func showTab(c *console, tab screen.Tab) {
	c.tab = tab
	if tab == screen.TabHistory {
		c.read()
		return
	}
	c.drawPlan()
}

// laidOut computes the layout again after a change of the focus or the zoom.
func (c *console) laidOut() {
	c.layout = layoutOf(c.layout.w, c.layout.h, c.focus, c.zoomed)
	c.drawPlan()
}

func zoom(c *console) {
	c.zoomed = !c.zoomed
	c.laidOut()
}

func openDetail(c *console) {
	c.focus = paneDetail
	c.laidOut()
}

// back leaves the innermost state: an error on screen, a search, a save of the plan, a zoom, marks, the detail,
// the filter.
func back(c *console) {
	switch {
	case c.note.isError:
		c.note.clear()
	case c.focus == paneDetail && c.plan.Search.Query != "":
		c.plan.Search = screen.Search{}
	case c.plan.saves != nil && c.tab == screen.TabPlan:
		toNow(c)
	case c.zoomed:
		zoom(c)
	case c.focus == paneQueue && c.markWords() != "":
		unmark(c)
	case c.focus != paneQueue:
		c.focus = paneQueue
		c.laidOut()
	case c.filter != "":
		c.filtered("")
	default:
		c.note.text = ""
	}
}

func refresh(c *console) {
	c.idle.quiet = idleBeats
	if c.queue.Held {
		c.reorder()
	}
	c.read()
	c.readFiles()
	c.checkWorkTree()
	readChanges(c)
	c.start(c.fx.readPlan(c.agent, c.cursor))
}

func unfold(c *console) {
	c.unfolded = !c.unfolded
	c.reorder()
	c.read()
}

func toAgent(n int) act {
	return func(c *console) {
		agents := c.truth.agents
		at := slices.IndexFunc(agents, func(a model.Agent) bool { return a.ID == c.agent })
		c.visit(agents[(at+n+len(agents))%len(agents)].ID)
	}
}

// visit shows another agent's desk as the operator left it.
func (c *console) visit(agent model.AgentID) {
	if c.view != viewDesk && agent != "" {
		c.goToItem(agent, "")
		return
	}
	if agent == "" || agent == c.agent {
		return
	}
	c.place = c.place.leaving()
	c.place = c.place.goTo(agent)
	c.queue, c.truth = screen.Queue{}, truth{agents: c.truth.agents, inbox: c.truth.inbox}
	c.idle.quiet = idleBeats
	c.read()
}

// quit returns to the queue from another pane on a small screen. Elsewhere it ends the console, after all
// decisions are saved.
func quit(c *console) {
	if c.layout.shape == one && c.focus != paneQueue {
		back(c)
		return
	}
	c.quitting = false
	ending("{quit-now} quits now.")(c)
}

// ending ends the console: at once, or after all decisions are saved. how names the key that ends it earlier.
func ending(how string) act {
	return func(c *console) {
		c.autosaved() // the editor's text is not a draft yet
		if c.quitting || len(c.outbox.jobs) == 0 {
			c.start(tea.Quit)
			return
		}
		c.quitting = true
		c.say(c.keys.Keyed("Saving, then quitting. " + how))
	}
}

// pick makes the item under the cursor the current item. It asks for a reason only if the agent leaves runnable
// work. If the item can only be reviewed, it says so first.
func pick(c *console) {
	r := *c.row()
	if o := c.truth.desk.PickOutlook(r); o.AsksReason || o.ReviewOnly {
		c.open(picking(c.facts(), r, o))
		return
	}
	c.send(model.PickWorkItem{WorkItemID: r.ID, SeenRevision: r.Revision}, "Picked "+string(r.Handle))
}

// obvious runs the most likely next action.
func obvious(c *console) { c.act(c.keys.Obvious(c.state())) }

// tick completes the todo in progress, or else the first open todo.
func tick(c *console) {
	d := c.detail()
	if d == nil {
		c.say("Its todos are being read. Try again.")
		return
	}
	list := slices.Clone(d.TodoList)
	in := func(s model.TodoState) func(model.Todo) bool { return func(t model.Todo) bool { return t.State == s } }
	at := slices.IndexFunc(list, in(model.TodoInProgress))
	if at < 0 {
		at = slices.IndexFunc(list, in(model.TodoPending))
	}
	if at < 0 {
		c.say(text.Sentence(string(d.Handle) + " has no open todo"))
		return
	}
	list[at].State = model.TodoCompleted
	c.send(model.UpdateWorkItem{WorkItemID: d.ID, TodoList: &list, SeenRevision: d.Revision},
		"Ticked: "+c.facts().Cut(list[at].Text, 60))
}

// stop is a place that the operator left for another one.
type stop struct {
	view  view
	agent model.AgentID
	item  model.ItemID
	tab   screen.Tab
}

// mostStops is the number of stops that the console remembers.
const mostStops = 50

// leaving remembers where the operator is, so that the key for the way back returns here. Leaving the same place again adds nothing.
func (p place) leaving() place {
	at := stop{view: p.view, agent: p.agent, item: p.cursor, tab: p.tab}
	if n := len(p.way); n == 0 || p.way[n-1] != at {
		p.way = append(slices.Clone(p.way), at)
		p.way = p.way[max(n+1-mostStops, 0):]
	}
	return p
}

// wayBack returns to the place where the operator was before.
func wayBack(c *console) {
	way := c.way
	if len(way) == 0 {
		c.say("There is no place to go back to.")
		return
	}
	to := way[len(way)-1]
	c.way = way[:len(way)-1]
	if to.view != viewDesk {
		c.turnTo(to.view)
		return
	}
	way = c.way
	c.goToItem(to.agent, to.item)
	c.way = way
	showTab(c, to.tab)
	c.openPlan()
}
