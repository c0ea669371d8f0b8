package console

import (
	"time"

	"vise/model"
)

// truth is what the ledger told at one revision. It is replaced whole and never edited;
// one of a lower revision is ignored.
type truth struct {
	revision uint64
	at       time.Time
	want     want
	desk     model.Desk
	// detail is the item under the cursor; nil on an empty desk.
	detail *model.Detail
	// row is the same item as a row, whatever the queue shows.
	row *model.Row
	// activity are the agent's newest events, newest first.
	activity []model.Entry
	// names are the handles of the items that activity speaks of.
	names  map[model.ItemID]model.Handle
	agents []model.Agent
}

// want is what the screen asks of the ledger.
type want struct {
	agent model.AgentID
	item  model.ItemID
	// rows is how many of a class are read beyond its limit.
	rows int
}

const (
	// allRows bounds a class that is read whole: what lies beyond is counted, not shown.
	allRows       = 400
	activityShown = 60
	agentsShown   = 200
)

// readTruth reads everything that a frame needs, at one revision.
func readTruth(r model.Reader, w want, now time.Time) truth {
	t := truth{revision: r.Revision(), at: now, want: w, agents: r.Agents("", agentsShown), names: map[model.ItemID]model.Handle{}}
	if w.agent == "" && len(t.agents) > 0 {
		w.agent = t.agents[0].ID
	}
	t.want.agent = w.agent
	t.desk = model.DeskOf(r, w.agent, model.Stamp{At: now}, func(c model.Class) int { return c.Limit() + w.rows })
	t.activity = r.HistoryBefore(w.agent, model.Position{}, activityShown)
	for _, e := range t.activity {
		if _, known := t.names[e.WorkItemID]; !known && e.WorkItemID != "" {
			item, _ := r.Item(e.WorkItemID)
			t.names[e.WorkItemID] = item.Handle
		}
	}
	if w.item == "" {
		w.item = firstOf(t.desk)
	}
	if d, err := model.DetailOf(r, w.item, model.Stamp{At: now}); w.item != "" && err == nil {
		item, _ := r.Item(w.item)
		row := model.RowOf(item, d.ActiveWaits, d.IsCurrent)
		t.detail, t.row = &d, &row
	}
	return t
}

// firstOf is the item at the top of a desk's queue.
func firstOf(d model.Desk) model.ItemID {
	if d.Current != nil {
		return d.Current.ID
	}
	for _, s := range ordered(d) {
		if len(s.Rows) > 0 {
			return s.Rows[0].ID
		}
	}
	return ""
}
