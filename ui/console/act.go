package console

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// pressed gives a key to whoever has the keys: the dialog, the filter, else the desk.
func (c Console) pressed(k tea.KeyPressMsg) (Console, tea.Cmd) {
	var cmd tea.Cmd
	c, cmd = c.touched()
	c, act := c.keyed(k)
	return c, tea.Batch(cmd, act)
}

func (c Console) keyed(k tea.KeyPressMsg) (Console, tea.Cmd) {
	a, known := action.Of(action.Desk, k)
	switch {
	case a.ID == action.ForceQuit, a.ID == action.Suspend, a.ID == action.Redraw:
		return c.act(a)
	case c.dialog != nil:
		d, w := c.dialog.press(k, surroundings{c})
		c.dialog = d
		return c.grant(w)
	case c.find != nil:
		return c.typedFilter(k)
	case c.plan.Search.Typing != nil:
		return c.typedSearch(k)
	case !known:
		return c, nil
	}
	return c.act(a)
}

// touched notes that the operator is at work: the queue keeps its order for a while.
func (c Console) touched() (Console, tea.Cmd) {
	c.calm.quiet = 0
	if c.calm.running {
		return c, nil
	}
	c.calm.running = true
	return c, c.fx.nextCalm()
}

// state is what actions ask before they offer themselves.
func (c Console) state() action.State {
	undo, redo := c.outbox.undo.Words()
	return action.State{
		View: c.place.view.String(), Need: c.truth.need, NeedYou: c.needYou(),
		Item: c.row(), Search: c.plan.Search.Query != "", Marked: len(c.marked()), Agent: c.place.agent, Desk: c.truth.desk, Agents: len(c.truth.agents), Filtered: c.place.filter != "",
		ReadOnly: c.readOnly(), Editor: c.fx.editor != nil,
		Undo: undo, Redo: redo,
		FileTodos: len(c.shelf.Todos) > 0 || c.shelf.Session != "", Findings: len(c.shelf.Pending()),
	}
}

// act carries an action out, or says why it cannot be.
func (c Console) act(a action.Action) (Console, tea.Cmd) {
	if ok, why := a.Enabled(c.state()); !ok {
		return c.say(sentence(why))
	}
	if do, ok := deedOf(c.place.view, a.ID); ok {
		return do(c)
	}
	if x, ok := c.ownCommand(a.ID); ok {
		return c.runOwn(x)
	}
	return c, nil
}

// deeds are what the actions of the desk do. (It is filled by init, because some of them
// show the table that it is looked up from.)
var deeds map[action.ID]func(Console) (Console, tea.Cmd)

func init() {
	deeds = map[action.ID]func(Console) (Console, tea.Cmd){
		action.Down: by(1), action.Up: by(-1),
		action.HalfDown: byPage(1, 2), action.HalfUp: byPage(-1, 2),
		action.PageDown: byPage(1, 1), action.PageUp: byPage(-1, 1),
		action.Top: by(-far), action.Bottom: by(far),
		action.PreviewDown: preview(1), action.PreviewUp: preview(-1),
		action.NextPane: toPane(1), action.PrevPane: toPane(-1),
		action.NextTab: toTab(1), action.PrevTab: toTab(-1),
		action.Zoom: Console.zoom, action.Open: Console.open, action.Back: Console.back,
		action.Pick: Console.pick, action.Complete: opening(completing), action.Block: opening(blockingAny),
		action.Wait: opening(waiting), action.New: opening(creating), action.EditPlan: Console.editPlan,
		action.Objective: opening(rewording), action.TodoList: opening(todoEditor), action.Status: opening(statusMenu),
		action.Answer: Console.reply, action.Message: opening(messaging),
		action.Review: opening(reviewing), action.Report: Console.report,
		action.TriageOpen: opening(triaging), action.Threads: Console.openRadar,
		action.Filter: Console.filter, action.Refresh: Console.refresh, action.Unfold: Console.unfold,
		action.Agents: opening(agentMenu), action.NextAgent: toAgent(1), action.PrevAgent: toAgent(-1),
		action.Mark: Console.mark, action.MarkRange: Console.markRange, action.MarkClass: Console.markClass,
		action.NextMatch: nextMatch(1), action.PrevMatch: nextMatch(-1), action.Rightwards: sideways(1), action.Leftwards: sideways(-1),
		action.Changes: Console.changes, action.PlanSeen: Console.planSeen,
		action.NeedsYou: Console.nextUrgent, action.Undo: Console.undo, action.Redo: Console.redo,
		action.Help: opening(helpMenu), action.Acts: opening(actsMenu), action.Palette: opening(palette),
		action.OwnCommands: Console.openOwn, action.SaveFilter: Console.startSavingFilter,
		action.CopyOf: opening(copyMenu), action.CopyID: copyOf(action.CopyID), action.CopyPath: copyOf(action.CopyPath),
		action.CopyObjective: copyOf(action.CopyObjective), action.CopyReport: copyOf(action.CopyReport), action.CopyJSON: copyOf(action.CopyJSON),
		action.CopyMarkdown: copyOf(action.CopyMarkdown), action.CopyReference: copyOf(action.CopyReference),
		action.Quit: Console.quit, action.ForceQuit: Console.forceQuit,
		action.Suspend: func(c Console) (Console, tea.Cmd) { return c, tea.Suspend },
		action.Redraw:  func(c Console) (Console, tea.Cmd) { return c, tea.ClearScreen },
	}
}

func opening(make func(Console) dialog) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) {
		c.dialog = make(c)
		return c, nil
	}
}

// by moves n rows of the queue, or lines of another pane.
func by(n int) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) {
		if c.place.focus != paneQueue {
			return c.scroll(c.place.focus, n)
		}
		return c.choose(c.queue.At(c.place.cursor).Step(n).Cursor)
	}
}

func byPage(direction, part int) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) {
		_, h := c.layout.panes[c.place.focus].Inner()
		return by(direction * max(h/part, 1))(c)
	}
}

func preview(n int) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) { return c.scroll(paneDetail, n) }
}

// choose puts the cursor on an item and asks for its detail and plan.
func (c Console) choose(id model.ItemID) (Console, tea.Cmd) {
	if id == c.place.cursor || id == "" {
		return c, nil
	}
	c.place.cursor = id
	c, look := c.look()
	c, plan := c.openPlan()
	return c, tea.Batch(look, plan)
}

// lastTop is the last line that a pane's page can begin with.
func (c Console) lastTop(p pane) int {
	if p == paneActivity {
		_, h := c.layout.panes[p].Inner()
		return max(len(c.truth.activity.Entries)-h, 0)
	}
	if last := c.detailView().LastLine(); last >= 0 {
		return last
	}
	return c.place.scroll[c.place.page()]
}

// pageOf is what a pane shows.
func (c Console) pageOf(p pane) page {
	if p == paneActivity {
		return page{tab: tabActivity}
	}
	return c.place.page()
}

func (c Console) scroll(p pane, n int) (Console, tea.Cmd) {
	at := c.pageOf(p)
	if at.tab == screen.TabPlan {
		return c.movePlan(n)
	}
	c.place.scrollTo(at, min(c.place.scroll[at]+n, c.lastTop(p)))
	return c, nil
}

func toPane(n int) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) {
		panes := c.layout.reachable()
		at := max(slices.Index(panes, c.place.focus), 0)
		c.place.focus = panes[(at+n+len(panes))%len(panes)]
		return c.laidOut()
	}
}

func toTab(n int) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) {
		next, detail := c.place.tab, c.detailView()
		for next = (next + screen.Tab(n) + screen.TabCount) % screen.TabCount; !detail.Offers(next); {
			next = (next + screen.Tab(n) + screen.TabCount) % screen.TabCount
		}
		c.place.tab = next
		return c.drawPlan()
	}
}

// laidOut computes the layout again after the focus or zoom changed.
func (c Console) laidOut() (Console, tea.Cmd) {
	c.layout = layoutOf(c.layout.w, c.layout.h, c.place.focus, c.place.zoomed)
	return c.drawPlan()
}

func (c Console) zoom() (Console, tea.Cmd) {
	c.place.zoomed = !c.place.zoomed
	return c.laidOut()
}

func (c Console) open() (Console, tea.Cmd) {
	c.place.focus = paneDetail
	return c.laidOut()
}

// back undoes the innermost of: an error on screen, a zoom, the detail, the filter.
func (c Console) back() (Console, tea.Cmd) {
	switch {
	case c.note.isError:
		c.note = note{n: c.note.n}
		return c, nil
	case c.place.focus == paneDetail && c.plan.Search.Query != "":
		c.plan.Search = screen.Search{}
		return c, nil
	case c.place.zoomed:
		return c.zoom()
	case c.place.focus == paneQueue && c.markWords() != "":
		return c.unmarked(), nil
	case c.place.focus != paneQueue:
		c.place.focus = paneQueue
		return c.laidOut()
	case c.place.filter != "":
		return c.filtered("")
	}
	c.note.text = ""
	return c, nil
}

func (c Console) refresh() (Console, tea.Cmd) {
	c.calm.quiet = calmBeats
	if c.queue.Held {
		c = c.reorder()
	}
	c, look := c.look()
	c, files := c.shelve()
	c, tree := c.glanceAtTree()
	return c, tea.Batch(look, files, tree, c.fx.readPlan(c.place.agent, c.place.cursor))
}

func (c Console) unfold() (Console, tea.Cmd) {
	c.place.unfolded = !c.place.unfolded
	c = c.reorder()
	return c.look()
}

func (c Console) nextUrgent() (Console, tea.Cmd) {
	id, ok := c.queue.NextUrgent(c.place.cursor)
	if !ok {
		for _, x := range c.truth.inbox {
			if x.AgentID != c.place.agent && x.Urgent() {
				return c.goToItem(x.AgentID, x.ID)
			}
		}
		return c.say(action.Keyed("What needs you is not among the rows shown: {back} clears the filter, {unfold} shows all rows."))
	}
	return c.leaving().choose(id)
}

func toAgent(n int) func(Console) (Console, tea.Cmd) {
	return func(c Console) (Console, tea.Cmd) {
		agents := c.truth.agents
		at := slices.IndexFunc(agents, func(a model.Agent) bool { return a.ID == c.place.agent })
		return c.visit(agents[(at+n+len(agents))%len(agents)].ID)
	}
}

// visit shows another agent's desk, at the place where it was left.
func (c Console) visit(agent model.AgentID) (Console, tea.Cmd) {
	if c.place.view != viewDesk && agent != "" {
		return c.goToItem(agent, "")
	}
	if agent == "" || agent == c.place.agent {
		return c, nil
	}
	c = c.leaving()
	c.place = c.place.goTo(agent)
	c.queue, c.truth = screen.Queue{}, truth{agents: c.truth.agents, inbox: c.truth.inbox}
	c.calm.quiet = calmBeats
	return c.look()
}

// quit goes back to the queue from elsewhere on a small screen, and ends the console at
// the root: at once, or when all that was decided is saved.
func (c Console) quit() (Console, tea.Cmd) {
	if c.layout.shape == one && c.place.focus != paneQueue {
		return c.back()
	}
	if len(c.outbox.jobs) == 0 {
		return c, tea.Quit
	}
	c.quitting = true
	return c.say(action.Keyed("Saving, then quitting. {quit-now} quits now."))
}

func (c Console) forceQuit() (Console, tea.Cmd) {
	if c.quitting || len(c.outbox.jobs) == 0 {
		return c, tea.Quit
	}
	c.quitting = true
	return c.say(action.Keyed("Saving, then quitting. {quit-now} again quits now."))
}
