package console

import (
	"slices"
	"time"

	"vise/model"
	"vise/ui/console/screen"
)

// truth is what the ledger told at one revision. It is replaced whole and never edited;
// one of a lower revision is ignored.
type truth struct {
	revision uint64
	at       time.Time
	want     want
	// conditions are the ways in which the ledger works less well than it should.
	conditions []model.Condition
	desk       model.Desk
	// detail is the item under the cursor; nil on an empty desk.
	detail *model.Detail
	// row is the same item as a row, whatever the queue shows.
	row *model.Row
	// activity are the agent's newest events, newest first.
	activity screen.Events
	agents   []model.Agent
	// inbox is the beginning of what needs the operator, of any agent; need is the place in
	// it of the item under the cursor.
	inbox []model.Inboxed
	need  *model.Inboxed
	// fleet is known on the fleet's view.
	fleet model.Fleet
	// journal is known on the activity, finished on the reports.
	journal  screen.Journal
	finished screen.Finished
}

// want is what the screen asks of the ledger.
type want struct {
	agent model.AgentID
	item  model.ItemID
	// rows is how many of a class are read beyond its limit.
	rows int
	// view is what is shown; body is how many lines it has, named whom the fleet shows.
	view  view
	body  int
	named []model.AgentID
	// entries is how much of the inbox is read, if more than usual.
	entries int
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

// readTruth reads everything that a frame needs, at one revision.
func readTruth(r model.Reader, w want, now time.Time) truth {
	t := truth{revision: r.Revision(), at: now, want: w, agents: r.Agents("", agentsShown), activity: screen.Events{Names: map[model.ItemID]model.Handle{}}}
	if w.agent == "" && len(t.agents) > 0 && w.view == viewDesk {
		w.agent = t.agents[0].ID
	}
	t.want.agent = w.agent
	source := w.agent
	if t.inbox = model.Inbox(r, now, max(inboxShown, w.body)); w.view == viewFleet {
		t.fleet = model.FleetOf(r, now, w.body, max(inboxShown, w.entries), w.named...)
		t.inbox, source = t.fleet.Inbox, ""
	}
	switch w.view {
	case viewActivity:
		t.journal = readJournal(r, w.journal, now)
	case viewReports:
		t.finished = readFinished(r, w.journal.filter, w.finished, now)
	}
	t.desk = model.DeskOf(r, w.agent, model.Stamp{At: now}, func(c model.Class) int { return c.Limit() + w.rows })
	t.activity.Entries = r.HistoryBefore(source, model.Position{}, activityShown)
	for _, e := range t.activity.Entries {
		if _, known := t.activity.Names[e.WorkItemID]; !known && e.WorkItemID != "" {
			item, _ := r.Item(e.WorkItemID)
			t.activity.Names[e.WorkItemID] = item.Handle
		}
	}
	if w.item == "" && w.view == viewDesk {
		w.item = firstOf(t.desk)
	}
	if d, err := model.DetailOf(r, w.item, model.Stamp{At: now}); w.item != "" && err == nil {
		item, _ := r.Item(w.item)
		row := model.RowOf(item, d.ActiveWaits, d.IsCurrent)
		t.detail, t.row = &d, &row
		if x, _ := model.InboxOf(r, item, d.ActiveWaits, d.IsCurrent); x.Need != "" {
			t.need = &x
		}
		t.desk.Sections = withRow(t.desk, row)
	}
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
