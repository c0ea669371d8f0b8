package console

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/action"
	"vise/ui/console/screen"
)

// reading sees to it that one reading of the ledger is under way at a time, and that what the
// screen asks for now is read last.
type reading struct {
	gen       uint64
	underWay  bool
	following bool
	retrying  bool
	// moved is the newest revision that the ledger announced.
	moved uint64
	// took is how long the last reading lasted.
	took time.Duration
	// failing is since when readings fail; zero while they do not.
	failing time.Time
}

// A reading that lasts long, at a thousand agents say, is not repeated with every commit of
// theirs: it may take a fifth of the time, and what it shows is at most a second old.
const (
	shortRead  = 10 * time.Millisecond
	longPause  = time.Second
	pauseShare = 4
)

// pause is how long the next news of the ledger may wait.
func (l reading) pause() time.Duration {
	if l.took < shortRead {
		return 0
	}
	return min(pauseShare*l.took, longPause)
}

// want is what the screen asks of the ledger now.
func (c *console) want() want {
	_, item := c.shown()
	w := want{agent: c.place.agent, item: item, rows: c.queueLimit().Lines, all: c.place.activity.All,
		path:  c.place.tab == screen.TabWhy && c.place.view == viewDesk,
		story: c.place.tab == screen.TabEvents && c.place.view == viewDesk}
	switch {
	case c.queueLimit().All:
		w.rows = allRows
	case c.layout.h == 0:
		w.rows = unsizedRows
	}
	if c.place.view != viewDesk {
		w.view, w.rows, w.body = c.place.view, 0, max(c.layout.body().H, unsizedRows)
		w.named = c.place.fleet.Named(w.body)
		w.span = screen.Spans[c.place.fleet.Span].Duration
		w.entries = c.place.fleet.Inbox.At() + 2*w.body
		w.journal = journalAsk{c.place.activity, w.body}
		w.finished = max(c.place.reports.Want, finishedPage)
	}
	return w
}

// unsizedRows fill most screens before the terminal has reported its size.
const unsizedRows = 40

// queueLimit is what the queue may take.
func (c *console) queueLimit() screen.QueueLimit {
	l := layoutOf(c.layout.w, c.layout.h, paneQueue, false) // also while another pane is zoomed
	_, h := l.panes[paneQueue].Inner()
	return screen.QueueLimit{Lines: max(h-c.filterShown().Rows(), 0), Style: l.queueStyle(), Cursor: c.place.cursor,
		All: c.place.unfolded || c.filterShown().Rows() > 0}
}

// read reads the ledger, unless a reading is under way: then its answer starts the next.
func (c *console) read() tea.Cmd {
	c.reading.gen++
	if c.reading.underWay || c.fx.Ledger == nil {
		return nil
	}
	c.reading.underWay = true
	return c.fx.readLedger(c.reading.gen, c.want(), c.truth)
}

// staleAfter is how old the screen grows while nothing is committed: some things need the
// operator only because time went by.
const staleAfter = time.Minute

func (c *console) readAgain() tea.Cmd {
	if c.truth.at.IsZero() || c.now.Sub(c.truth.at) < staleAfter {
		return nil
	}
	return c.read()
}

// handle takes what a reading found, if it is not older than what is known.
func (m truthMsg) handle(c *console) tea.Cmd {
	c.reading.underWay, c.reading.took, c.now = false, m.took, later(c.now, m.at)
	if m.err != nil {
		return c.troubled(m.err)
	}
	c.trouble, c.reading.failing = nil, time.Time{}
	before := c.truth
	if c.place.agent == "" && m.truth.want.agent != "" && c.place.view == viewDesk {
		c.place = c.place.goTo(m.truth.want.agent)
	}
	sameDesk := m.truth.want.agent == c.place.agent && m.truth.want.view == c.place.view
	if sameDesk && (m.truth.revision >= c.truth.revision || c.truth.want.agent != c.place.agent) {
		c.adopt(m.truth)
	}
	var follow, again tea.Cmd
	if !c.reading.following {
		c.reading.following = true
		follow = c.fx.follow(m.truth.revision, c.reading.pause())
	}
	_, item := c.shown()
	unread := item != "" && c.truth.want.item != item || c.truth.want.agent != c.place.agent
	if c.reading.gen != m.gen || m.truth.more || m.truth.revision < c.reading.moved || sameDesk && unread {
		again = c.read()
	}
	return tea.Batch(follow, again, c.openPlan(), c.openCard(), c.relinked(), c.tellTriggers(before), c.overtaken(), c.notifyLater())
}

// adopt makes t the truth. The queue takes the new order only when the operator
// pauses; the cursor stays on its item.
func (c *console) adopt(t truth) {
	same := c.truth.want.agent == t.want.agent && c.truth.want.rows == t.want.rows
	c.truth = t
	if c.place.view != viewDesk {
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

// still reports whether lists keep their order and their cursor: the operator is at work, or a dialog
// is about what the cursor is on.
func (c *console) still() bool { return c.idle.touched() || c.layers.dialog() != nil }

// order shows a new queue.
func (c *console) order(next screen.Queue) {
	if len(next.Order) > 0 && c.layers.dialog() == nil {
		c.place.cursor = c.queue.At(c.place.cursor).Show(next.Order).Cursor
	}
	c.queue = next
}

// reorder projects the truth again: the filter changed, or a held order may go.
func (c *console) reorder() {
	if c.place.view == viewDesk {
		c.order(c.projected())
	}
}

// projected is the queue of what is known.
func (c *console) projected() screen.Queue {
	_, f := asksFor(c)
	var found action.Search
	if h, ok := hitsOf(c); ok {
		found = h.items
	}
	return screen.QueueOf(c.truth.desk, f, found, c.queueLimit())
}

// detail is the detail of the item under the cursor, if it was read.
func (c *console) detail() *model.Detail {
	if d := c.truth.detail; d != nil && d.ID == c.place.cursor {
		return d
	}
	return nil
}

// row is the row under the cursor, as drawn.
func (c *console) row() *model.Row {
	if c.layers.toZero() { // whatever the list below shows
		if r := c.truth.row; r != nil && r.ID == c.place.cursor {
			return r
		}
		return nil
	}
	switch c.place.view {
	case viewFleet:
		if x := c.place.fleet.Entry(); x != nil {
			return &x.Row
		}
		return nil
	case viewReports:
		return c.place.reports.Row()
	case viewActivity:
		return nil
	}
	return c.queue.Row(c.place.cursor)
}

// handle reads again when the ledger moved past what is known, and goes on following. A reading
// that is under way may see it already.
func (m movedMsg) handle(c *console) tea.Cmd {
	c.now = later(c.now, m.at)
	if m.err != nil {
		c.reading.following = false
		if c.fx.ctx.Err() != nil {
			return nil
		}
		return c.troubled(m.err)
	}
	c.reading.moved = max(c.reading.moved, m.revision)
	var read tea.Cmd
	if m.revision > c.truth.revision && !c.reading.underWay {
		read = c.read()
	}
	return tea.Batch(read, c.fx.follow(m.revision, c.reading.pause()))
}

// truth is what was read of the ledger at one revision. It is replaced whole and never edited;
// one of a lower revision is ignored.
type truth struct {
	revision uint64
	at       time.Time
	want     want
	// conditions are the ways in which the ledger works less well than it should.
	conditions []model.Condition
	// hosts are the ways to other machines' homes.
	hosts []model.HostState
	desk  model.Desk
	// sections are the desk's without the row under the cursor, where that is beyond them.
	sections []model.Section
	// detail is the item under the cursor; nil on an empty desk.
	detail *model.Detail
	// path and story are read where they are shown.
	path  model.Path
	story model.Story
	// row is the same item as a row, whatever the queue shows; events are its own.
	row    *model.Row
	events screen.Events
	// recent are the agent's newest events, newest first; activity are those that are shown.
	recent   []model.Entry
	activity screen.Events
	agents   []model.Agent
	// inbox is the beginning of what needs the operator, of any agent; need is the place in
	// it of the item under the cursor.
	inbox []model.Inboxed
	need  *model.Inboxed
	// fleet is known on the fleet's view.
	fleet model.Fleet
	// tracks are what strips are drawn from, of the agents that the fleet shows; more: not all of it was read.
	tracks map[model.AgentID]model.Track
	more   bool
	// journal is known on the activity, finished on the reports.
	journal  screen.Journal
	finished screen.Finished
}

// want is what the screen asks of the ledger.
type want struct {
	agent model.AgentID
	item  model.ItemID
	// path: what stands behind the item is shown, and what would change it.
	path bool
	// story: the item's life is shown.
	story bool
	// rows is how many of a class are read beyond its limit.
	rows int
	// view is what is shown; body is how many lines it has, named whom the fleet shows.
	view  view
	body  int
	named []model.AgentID
	// span is how far back the fleet's strips go.
	span time.Duration
	// entries is how much of the inbox is read, if more than usual.
	entries int
	// all: the scheduler's events are shown too.
	all bool
	// journal and finished are what the activity and the reports ask.
	journal  journalAsk
	finished int
}

const (
	// allRows bounds a class that is read whole: what lies beyond is counted, not shown.
	allRows       = 400
	activityShown = 60
	agentsShown   = 200
	inboxShown    = 60
)

// readTruth reads everything that a frame needs, at one revision. When only the cursor went
// elsewhere on a desk since before, all but its item is kept.
func readTruth(r model.Reader, w want, now time.Time, before truth) truth {
	if before.standsFor(w, r.Revision(), now) {
		return before.withFleet(r, w, now).withItem(r, w, now)
	}
	t := truth{revision: r.Revision(), at: now, want: w, agents: r.Agents("", agentsShown)}
	if w.agent == "" && len(t.agents) > 0 && w.view == viewDesk {
		w.agent = t.agents[0].ID
	}
	t.want.agent = w.agent
	source := w.agent
	if w.view == viewFleet {
		t.fleet, t.tracks = before.fleet, before.tracks
		t = t.withFleet(r, w, now)
		source = ""
	} else {
		t.inbox = model.Inbox(r, now, max(inboxShown, w.body))
	}
	switch w.view {
	case viewActivity:
		t.journal = readJournal(r, w.journal)
	case viewReports:
		t.finished = readFinished(r, w.finished)
	}
	t.desk = model.DeskOf(r, w.agent, model.Stamp{At: now}, func(c model.Class) int { return c.Limit() + w.rows })
	t.sections = t.desk.Sections
	t.recent, t.activity = readLately(r, source, w.all)
	if w.item == "" && w.view == viewDesk {
		w.item = firstOf(t.desk)
	}
	return t.withItem(r, w, now)
}

// standsFor reports whether t answers w at a revision, whatever the item, and whatever rows the
// fleet shows. It grows old too.
func (t truth) standsFor(w want, revision uint64, now time.Time) bool {
	return t.revision == revision && t.want.view == w.view && (w.view == viewFleet || w.view == viewDesk && w.item != "") &&
		t.want.agent == w.agent && t.want.rows == w.rows && t.want.all == w.all && now.Sub(t.at) < staleAfter
}

// withFleet is t with the fleet, where that is shown, as w asks for it.
func (t truth) withFleet(r model.Reader, w want, now time.Time) truth {
	if w.view == viewFleet {
		t.fleet = t.fleet.Again(r, now, w.body, max(inboxShown, w.entries), w.named...)
		t.inbox, t.want.body, t.want.entries, t.want.named, t.want.span = t.fleet.Inbox, w.body, w.entries, w.named, w.span
		t.tracks, t.more = readTracks(r, t.fleet, w, now, t.tracks)
	}
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
		t.path = model.PathOf(r, d.AgentID, w.item, model.Stamp{At: now})
	}
	if x, ok := r.Item(w.item); ok && w.story {
		t.story = model.StoryOf(r, x, now)
	}
	t.detail, t.row, t.need = &d, &d.Row, d.Need
	told := slices.DeleteFunc(slices.Clone(d.Entries), func(e model.Entry) bool { return !w.all && !action.OfWork(e) })
	t.events.Entries, t.events.Times = screen.Folded(told)
	t.desk.Sections = withRow(t.desk, d.Row)
	return t
}

// withRow are a desk's sections with the row under the cursor, however far back in its
// class it is.
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
