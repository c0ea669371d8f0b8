package console

import (
	"slices"
	"time"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// reading allows one read of the ledger at a time, and makes sure that the last read covers everything that the
// screen needs now.
type reading struct {
	gen       uint64
	underWay  bool
	following bool
	retrying  bool
	// moved is the newest revision that the ledger announced.
	moved uint64
	// took is the duration of the last read.
	took time.Duration
	// failing is the time since which reads fail; zero while they succeed.
	failing time.Time
}

// A long read, for example with a thousand agents, is not repeated at every commit. The pause after it is four
// times its duration, so that reads take a fifth of the time. The pause is at most one second.
const (
	shortRead  = 10 * time.Millisecond
	longPause  = time.Second
	pauseShare = 4
)

// pause is how long a read for the next news of the ledger can wait.
func (l reading) pause() time.Duration {
	if l.took < shortRead {
		return 0
	}
	return min(pauseShare*l.took, longPause)
}

// want is what the screen needs from the ledger now.
func (c *console) want() want {
	_, item := c.shown()
	w := want{agent: c.agent, item: item, rows: c.queueLimit().Lines,
		path:  c.reasons && c.view == viewDesk,
		story: c.tab == screen.TabHistory && c.view == viewDesk}
	switch {
	case c.queueLimit().All:
		w.rows = allRows
	case c.layout.h == 0:
		w.rows = unsizedRows
	}
	if c.view != viewDesk {
		w.view, w.rows, w.body = c.view, 0, max(c.layout.body().H, unsizedRows)
		w.named = c.fleet.Named(w.body)
		w.entries = (c.fleet.Inbox.At()/w.body + 3) * w.body // the same for several moves of the cursor
		w.events = c.fleet.Wanted
		w.finished = max(c.reports.Want, finishedPage)
	}
	return w
}

// queueLimit is the space for the queue.
func (c *console) queueLimit() screen.QueueLimit {
	l := layoutOf(c.layout.w, c.layout.h, paneQueue, false) // also while another pane is zoomed
	_, h := l.panes[paneQueue].Inner()
	return screen.QueueLimit{Lines: max(h-c.filterShown().Rows(), 0), Style: l.queueStyle(), Cursor: c.cursor,
		All: c.unfolded || c.filterShown().Rows() > 0}
}

// read reads the ledger. If a read is in progress, the next one starts when it ends.
func (c *console) read() {
	c.reading.gen++
	if c.reading.underWay || c.fx.Ledger == nil {
		return
	}
	c.reading.underWay = true
	c.start(c.fx.readLedger(c.reading.gen, c.want(), c.truth))
}

// readShown reads the item on screen, if a new order of a list has put the cursor on another one.
func readShown(c *console) {
	_, item := c.shown()
	unread := item != "" && c.truth.want.item != item || c.truth.want.agent != c.agent
	if unread && !c.reading.underWay && !c.truth.at.IsZero() && c.trouble == nil {
		c.read()
	}
}

// staleAfter is the age at which the screen is read again without a commit: some things need the operator only because time passed.
const staleAfter = time.Minute

// handle takes the result of a read, if it is not older than the current truth.
func (m truthMsg) handle(c *console) {
	c.reading.underWay, c.reading.took, c.now = false, m.took, later(c.now, m.at)
	if m.err != nil {
		c.troubled(m.err)
		return
	}
	c.trouble, c.reading.failing = nil, time.Time{}
	before := c.truth
	if c.agent == "" && m.truth.want.agent != "" && c.view == viewDesk {
		c.place = c.place.goTo(m.truth.want.agent)
	}
	sameDesk := m.truth.want.agent == c.agent && m.truth.want.view == c.view
	if sameDesk && (m.truth.revision >= c.truth.revision || c.truth.want.agent != c.agent) {
		c.adopt(m.truth)
		if leaveHost(c) {
			return
		}
	}
	if !c.reading.following {
		c.reading.following = true
		c.start(c.fx.follow(m.truth.revision, c.reading.pause()))
	}
	if c.reading.gen != m.gen || m.truth.more || m.truth.revision < c.reading.moved {
		c.read()
	}
	c.openPlan()
	if _, h := c.detailView().PlanSize(); h != c.plan.Shown.H { // a wait or a todo came or went
		c.drawPlan()
	}
	c.openCard()
	c.relinked()
	c.tellTriggers(before)
	c.overtaken()
	c.notifyLater()
}

// adopt makes t the truth. The queue takes the new order only when the operator pauses. The cursor stays on its
// item.
func (c *console) adopt(t truth) {
	same := c.truth.want.agent == t.want.agent && c.truth.want.rows == t.want.rows
	c.truth = t
	if c.view != viewDesk {
		c.adoptElsewhere(c.still())
		return
	}
	next := c.projected()
	if same && c.still() && len(c.queue.Order) > 0 && !c.queue.SameOrder(next) {
		c.queue = c.queue.Hold(next)
		return
	}
	c.order(next)
}

// still reports whether lists keep their order and their cursor: the operator is active, or a dialog is open on
// the item under the cursor.
func (c *console) still() bool { return c.idle.touched() || c.layers.dialog() != nil }

// order shows a new queue.
func (c *console) order(next screen.Queue) {
	if len(next.Order) > 0 && c.layers.dialog() == nil {
		c.cursor = c.queue.At(c.cursor).Show(next.Order).Cursor
	}
	c.queue = next
}

// reorder computes the queue from the truth again, because the filter changed or the order is no longer held.
func (c *console) reorder() {
	if c.view == viewDesk {
		c.order(c.projected())
	}
}

// projected is the queue computed from the truth.
func (c *console) projected() screen.Queue {
	_, f := asksFor(c)
	var found action.Search
	if h, ok := hitsOf(c); ok {
		found = h.items
	}
	return screen.QueueOf(c.truth.desk, f, found, c.queueLimit())
}

// detail is the detail of the item under the cursor; nil if it was not read.
func (c *console) detail() *model.Detail {
	if d := c.truth.detail; d != nil && d.ID == c.cursor {
		return d
	}
	return nil
}

// row is the row under the cursor, as drawn.
func (c *console) row() *model.Row {
	if c.layers.toZero() { // the list below can show another item
		if r := c.truth.row; r != nil && r.ID == c.cursor {
			return r
		}
		return nil
	}
	switch c.view {
	case viewFleet:
		if x := c.fleet.Entry(); x != nil {
			return &x.Row
		}
		return nil
	case viewReports:
		return c.reports.Row()
	}
	return c.queue.Row(c.cursor)
}

// handle reads again when the ledger is past the known revision, or what was read is old, and continues to follow. A
// read in progress can already include the change.
func (m movedMsg) handle(c *console) {
	c.now = later(c.now, m.at)
	if m.err != nil {
		c.reading.following = false
		if c.fx.ctx.Err() != nil {
			return
		}
		c.troubled(m.err)
		return
	}
	c.reading.moved = max(c.reading.moved, m.revision)
	if (m.revision > c.truth.revision || m.same) && !c.reading.underWay {
		c.read()
	}
	c.start(c.fx.follow(m.revision, c.reading.pause()))
}

// truth is the result of one read of the ledger, at one revision. It is replaced as a whole and never edited. A
// truth of a lower revision is ignored.
type truth struct {
	revision uint64
	at       time.Time
	want     want
	// conditions are the ways in which the ledger works less well than it should.
	conditions []model.Condition
	// hosts are the states of the connections to other machines' homes.
	hosts []model.HostState
	desk  model.Desk
	// sections are the desk's sections. They lack the row under the cursor if it is beyond their limit.
	sections []model.Section
	// detail is the item under the cursor; nil on an empty desk.
	detail *model.Detail
	// path and story are read only while they are shown.
	path  model.Path
	story model.Story
	// row is the same item as a row, even if the queue does not show it. events are the item's events.
	row    *model.Row
	events screen.Events
	// late are the agent's newest events, newest first. activity are the events that are shown.
	late     []model.Entry
	activity screen.Events
	agents   []model.Agent
	// inbox is the start of the inbox of all agents. need is the position in it of the item under the cursor.
	inbox []model.Inboxed
	need  *model.Inboxed
	// fleet is read only on the fleet's view.
	fleet model.Fleet
	// tracks are the data of the strips, for the agents that the fleet shows. more: not all of the data was
	// read.
	tracks map[model.AgentID]model.Track
	more   bool
	// finished is read only on the reports view.
	finished screen.Finished
}

// want is what the screen needs from the ledger.
type want struct {
	agent model.AgentID
	item  model.ItemID
	// path: the screen shows the reasons for the place of the item.
	path bool
	// story: the screen shows the item's events.
	story bool
	// rows is the number of rows to read of a class, beyond its limit.
	rows int
	// view is the view on screen, body its number of lines, named the agents that the fleet shows.
	view  view
	body  int
	named []model.AgentID
	// entries is the number of inbox entries to read, if more than usual.
	entries int
	// events is how many events the fleet asks for, finished how much finished work the reports do.
	events, finished int
}

const (
	// allRows is the limit of a class that is read whole. Rows beyond it are counted and not shown.
	allRows       = 400
	activityShown = 60
	agentsShown   = 200
	inboxShown    = 60
)

// readTruth reads everything that a frame needs, at one revision. If only the cursor moved on the same desk or on the
// fleet, it keeps everything of before except the item, and on the fleet the desk and the rows that were not shown.
func readTruth(r model.Reader, w want, now time.Time, before truth) truth {
	if before.standsFor(w, r.Revision(), now) {
		if w.view == viewFleet {
			before = before.withFleet(r, w, now, before.fleet.Showing)
		}
		if w.agent != before.want.agent {
			before = before.withDesk(r, w, now)
		}
		return before.withItem(r, w, now)
	}
	t := truth{revision: r.Revision(), at: now, want: w, agents: r.Agents("", agentsShown)}
	if w.agent == "" && len(t.agents) > 0 && w.view == viewDesk {
		w.agent = t.agents[0].ID
	}
	source := w.agent
	if w.view == viewFleet {
		t.tracks = before.tracks
		t = t.withFleet(r, w, now, before.fleet.Again)
		source = ""
	} else {
		t.inbox = model.Inbox(r, now, max(inboxShown, w.body))
	}
	if w.view == viewReports {
		t.finished = readFinished(r, w.finished)
	}
	t = t.withDesk(r, w, now)
	t.late, t.activity = readLately(r, source, max(activityShown, w.events))
	if w.item == "" && w.view == viewDesk {
		w.item = firstOf(t.desk)
	}
	return t.withItem(r, w, now)
}

// standsFor reports whether t answers w at a revision. It ignores which item, and on the fleet which agent and which
// rows are shown. A truth that is too old does not answer.
func (t truth) standsFor(w want, revision uint64, now time.Time) bool {
	switch {
	case t.revision != revision || t.want.view != w.view || t.want.rows != w.rows || now.Sub(t.at) >= staleAfter:
		return false
	case w.view == viewFleet:
		return t.want.body == w.body && t.want.entries == w.entries && t.want.events == w.events
	}
	return w.view == viewDesk && w.item != "" && t.want.agent == w.agent
}

// withDesk is t with the agent's desk.
func (t truth) withDesk(r model.Reader, w want, now time.Time) truth {
	t.want.agent = w.agent
	t.desk = model.DeskOf(r, w.agent, model.Stamp{At: now}, func(c model.Class) int { return c.Limit() + w.rows })
	t.sections = t.desk.Sections
	return t
}

// withItem is t with an item read.
func (t truth) withItem(r model.Reader, w want, now time.Time) truth {
	t.want.item, t.want.path, t.want.story = w.item, w.path, w.story
	t.detail, t.row, t.need, t.path, t.story, t.desk.Sections, t.events = nil, nil, nil, model.Path{}, model.Story{}, t.sections,
		screen.Events{}
	d, err := model.DetailOf(r, w.item, model.Stamp{At: now})
	if w.item == "" || err != nil {
		return t
	}
	if w.path {
		t.path = model.PathOf(r, d.AgentID, now)
	}
	if x, ok := r.Item(w.item); ok && w.story {
		t.story = model.StoryOf(r, x, now)
	}
	t.detail, t.row, t.need = &d, &d.Row, d.Need
	told := slices.DeleteFunc(slices.Clone(d.Entries), func(e model.Entry) bool { return !action.OfWork(e) })
	t.events.Acts = screen.Folded(told)
	t.desk.Sections = withRow(t.desk, d.Row)
	return t
}

// withRow returns a desk's sections with the row under the cursor, however far back in its class the row is.
func withRow(d model.Desk, row model.Row) []model.Section {
	sections := slices.Clone(d.Sections)
	for i, s := range sections {
		there := slices.ContainsFunc(s.Rows, func(r model.Row) bool { return r.ID == row.ID })
		if s.Class == row.Class && !row.IsCurrent && !there && row.AgentID == d.Agent.ID {
			sections[i].Rows = append(slices.Clone(s.Rows), row)
		}
	}
	return sections
}

// firstOf is the item at the top of a desk's queue.
func firstOf(d model.Desk) model.ItemID {
	if d.Current != nil {
		return d.Current.ID
	}
	for _, s := range screen.Ordered(d) {
		if len(s.Rows) > 0 {
			return s.Rows[0].ID
		}
	}
	return ""
}
