package screen

import (
	"slices"

	"vise/model"
	"vise/ui/action"
)

// queueOrder is the order of the queue. It differs from the agents' candidate order in one point: items that need the operator come
// earlier, because only a person can continue them.
var queueOrder = []model.Class{
	model.TriggeredBlocked, model.WaitingForOperator, model.ReportOffered, model.QueuedRunnable, model.BlockedClass, model.CompletedRecent,
}

// Ordered returns a desk's sections in the order of the queue.
func Ordered(d model.Desk) []model.Section {
	out := make([]model.Section, 0, len(queueOrder))
	for _, class := range queueOrder {
		for _, s := range d.Sections {
			if s.Class == class {
				out = append(out, s)
			}
		}
	}
	return out
}

// Queue is the list of work items as drawn: sections of rows, each row with its id.
type Queue struct {
	// The first section is for the current item. It has no class, and no row if there is no current item.
	Sections []model.Section
	// Current is the current item, even if a filter leaves it out. Next is what could be picked if there is none.
	Current, Next *model.Row
	// Held means that the ledger has a newer order, which is shown when the operator pauses.
	Held bool
	// Moved are the rows whose item changed while the order was held.
	Moved map[model.ItemID]bool
	// All counts the rows without a filter. hiddenUrgent counts the rows that a filter leaves out although they need the operator.
	All, hiddenUrgent int
	// Order and rows hold the rows again, by position and by id.
	Order []model.ItemID
	rows  map[model.ItemID]*model.Row
}

// QueueLimit bounds the lines of a queue and describes their content. All means no bound. The cursor's row is never folded away.
type QueueLimit struct {
	Lines  int
	Style  QueueStyle
	Cursor model.ItemID
	All    bool
}

// QueueStyle says what a queue shows at its width.
type QueueStyle struct {
	Headings, Gaps, Reasons bool
	// Titles means that a long title takes two lines where all lines fit.
	Titles bool
}

// QueueOf makes the queue of a desk, filtered and folded to the lines that fit. found holds the hits of the filter's search so far. Until
// the search is done, rows are also matched directly.
func QueueOf(d model.Desk, f action.RowFilter, found action.Search, r QueueLimit) Queue {
	q := Queue{Current: d.Current}
	focus := model.Section{}
	if d.Current != nil {
		focus = model.Section{Rows: []model.Row{*d.Current}, Total: 1}
	} else if r, ok := d.NextWithout(""); ok {
		q.Next = &r
	}
	hit := map[model.ItemID]bool{}
	for _, r := range found.Found {
		hit[r.ID] = true
	}
	for _, s := range withFound(slices.Insert(Ordered(d), 0, focus), found.Found) {
		q.All += len(s.Rows)
		s.Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(r model.Row) bool {
			kept := hit[r.ID] || (!found.Done || r.OfAgent()) && f.Keeps(r)
			if !kept && r.NeedsOperator {
				q.hiddenUrgent++
			}
			return !kept
		})
		if len(s.Rows) > 0 || s.Class == "" {
			q.Sections = append(q.Sections, s)
		}
	}
	return q.folded(r).indexed()
}

// withFound adds the rows that a search found to the known rows of their class.
func withFound(all []model.Section, found []model.Row) []model.Section {
	known := map[model.ItemID]bool{}
	for _, s := range all {
		for _, r := range s.Rows {
			known[r.ID] = true
		}
	}
	for i, s := range all {
		n := len(s.Rows)
		s.Rows = slices.Clip(s.Rows)
		for _, r := range found {
			if action.ShownClass(r) == s.Class && !r.IsCurrent && !known[r.ID] {
				s.Rows = append(s.Rows, r)
			}
		}
		if all[i].Rows = s.Rows; len(s.Rows) > n {
			slices.SortStableFunc(all[i].Rows, func(a, b model.Row) int { return slices.Compare(a.SortKey(), b.SortKey()) })
		}
	}
	return all
}

// folded keeps the first rows of each class up to the rules' limits. It then fills the remaining lines, beginning with the first class.
func (q Queue) folded(r QueueLimit) Queue {
	if r.All {
		return q
	}
	whole := make([][]model.Row, len(q.Sections))
	for i := range q.Sections {
		s := &q.Sections[i]
		whole[i] = s.Rows
		if s.Class != "" {
			at := slices.IndexFunc(s.Rows, func(row model.Row) bool { return row.ID == r.Cursor })
			s.Rows = s.Rows[:min(len(s.Rows), max(s.Class.Limit(), at+1))]
		}
	}
	free := r.Lines - len(q.lines(r.Style))
	for i := range q.Sections {
		s := &q.Sections[i]
		more := min(max(free, 0), len(whole[i])-len(s.Rows))
		s.Rows = whole[i][:len(s.Rows)+more]
		free -= more
	}
	return q
}

func (q Queue) indexed() Queue {
	q.rows = map[model.ItemID]*model.Row{}
	for _, s := range q.Sections {
		for i := range s.Rows {
			q.Order = append(q.Order, s.Rows[i].ID)
			q.rows[s.Rows[i].ID] = &s.Rows[i]
		}
	}
	return q
}

// Row returns the row of an item as drawn, or nil.
func (q Queue) Row(id model.ItemID) *model.Row { return q.rows[id] }

// At returns the queue's order with the cursor on an item.
func (q Queue) At(id model.ItemID) List[model.ItemID] {
	return List[model.ItemID]{Order: q.Order, Cursor: id}
}

// SameOrder reports whether two queues have the same rows at the same positions.
func (q Queue) SameOrder(other Queue) bool {
	return slices.EqualFunc(q.Sections, other.Sections, func(a, b model.Section) bool {
		return a.Class == b.Class && slices.EqualFunc(a.Rows, b.Rows, func(x, y model.Row) bool { return x.ID == y.ID })
	})
}

// Hold keeps the drawn order and marks the rows that changed in the newer one. The rows keep their drawn content too, because an action
// names the revision that the operator saw.
func (q Queue) Hold(newer Queue) Queue {
	q.Held, q.Moved = true, map[model.ItemID]bool{}
	for id, r := range q.rows {
		if now := newer.Row(id); now == nil || now.Revision != r.Revision || now.Class != r.Class {
			q.Moved[id] = true
		}
	}
	return q
}
