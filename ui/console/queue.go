package console

import (
	"iter"
	"slices"

	"vise/model"
	"vise/ui/filter"
)

// The order of the queue. It differs from the agents' candidate order in one point: what
// needs the operator moves up, because only a person can move it.
var queueOrder = []model.Class{
	model.TriggeredBlocked, model.WaitingForOperator, model.ReportOffered, model.QueuedRunnable, model.BlockedClass, model.CompletedRecent,
}

func ordered(d model.Desk) []model.Section {
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

// queue is the list of work items as it is drawn: sections of rows, each row with its id.
// The cursor is an id too, so that no row can slide under it.
type queue struct {
	sections []section
	// held: the ledger has a newer order, which waits until the operator's hands rest.
	held bool
	// moved are the rows whose item changed while the order was held.
	moved map[model.ItemID]bool
	// hidden counts the rows that a filter leaves out, hiddenUrgent those that need the operator.
	hidden, hiddenUrgent, all int
	// trouble is what is wrong with the filter, in words.
	trouble string
	// order and rows are the rows again, by place and by id.
	order []model.ItemID
	rows  map[model.ItemID]*model.Row
}

// section is a group of rows under a heading. The first one, of the current item, has no class.
type section struct {
	class model.Class
	rows  []model.Row
	// total is how many the ledger counts, whatever is shown.
	total int
}

func rowsOf(all []section) iter.Seq[model.Row] {
	return func(yield func(model.Row) bool) {
		for _, s := range all {
			for _, r := range s.rows {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// project makes the queue of a desk, filtered and folded to what the pane has room for.
func project(d model.Desk, f filter.Filter, r room) queue {
	q := queue{trouble: f.Trouble}
	var all []section
	if d.Current != nil {
		all = append(all, section{rows: []model.Row{*d.Current}, total: 1})
	}
	for _, s := range ordered(d) {
		all = append(all, section{class: s.Class, rows: s.Rows, total: s.Total})
	}
	keep := f.Keeps(rowsOf(all))
	for _, s := range all {
		shown := s
		shown.rows = slices.DeleteFunc(slices.Clone(s.rows), func(r model.Row) bool {
			q.all++
			if keep(r) {
				return false
			}
			q.hidden++
			if r.NeedsOperator {
				q.hiddenUrgent++
			}
			return true
		})
		if len(shown.rows) > 0 {
			q.sections = append(q.sections, shown)
		}
	}
	return q.folded(r).indexed()
}

// room is how many lines a queue may take and what they hold; all: as many as it needs.
// The cursor's row is never folded away.
type room struct {
	lines  int
	style  queueStyle
	cursor model.ItemID
	all    bool
}

// folded leaves the first rows of each class, as many as the rules' limits say, and fills
// what room is left from the first class on.
func (q queue) folded(r room) queue {
	if r.all {
		return q
	}
	whole := make([][]model.Row, len(q.sections))
	for i := range q.sections {
		s := &q.sections[i]
		whole[i] = s.rows
		if s.class != "" {
			at := slices.IndexFunc(s.rows, func(row model.Row) bool { return row.ID == r.cursor })
			s.rows = s.rows[:min(len(s.rows), max(s.class.Limit(), at+1))]
		}
	}
	spare := r.lines - len(q.lines(r.style))
	for i := range q.sections {
		s := &q.sections[i]
		more := min(max(spare, 0), len(whole[i])-len(s.rows))
		s.rows = whole[i][:len(s.rows)+more]
		spare -= more
	}
	return q
}

// indexed fills order and rows.
func (q queue) indexed() queue {
	q.rows = map[model.ItemID]*model.Row{}
	for _, s := range q.sections {
		for i := range s.rows {
			q.order = append(q.order, s.rows[i].ID)
			q.rows[s.rows[i].ID] = &s.rows[i]
		}
	}
	return q
}

// row is the row of an item, as it is drawn; nil without one.
func (q queue) row(id model.ItemID) *model.Row { return q.rows[id] }

// position is the place of a row, from 1, among all; 0 without it.
func (q queue) position(id model.ItemID) (at, of int) {
	return slices.Index(q.order, id) + 1, len(q.order)
}

// step is the row n rows from id, at most the last or first.
func (q queue) step(id model.ItemID, n int) model.ItemID {
	if len(q.order) == 0 {
		return ""
	}
	at := slices.Index(q.order, id)
	if at < 0 {
		at, n = 0, 0
	}
	return q.order[min(max(at+n, 0), len(q.order)-1)]
}

// sameOrder reports whether two queues show the same rows at the same places.
func (q queue) sameOrder(other queue) bool {
	return slices.EqualFunc(q.sections, other.sections, func(a, b section) bool {
		return a.class == b.class && slices.EqualFunc(a.rows, b.rows, func(x, y model.Row) bool { return x.ID == y.ID })
	})
}

// hold keeps the order that is drawn and marks what changed in the newer one. The rows
// stay as they were drawn too: an act names the revision that the operator saw.
func (q queue) hold(newer queue) queue {
	q.held, q.moved = true, map[model.ItemID]bool{}
	for id, r := range q.rows {
		if now := newer.row(id); now == nil || now.Revision != r.Revision || now.Class != r.Class {
			q.moved[id] = true
		}
	}
	return q
}

// nextUrgent is the next row after id that needs the operator, round the end.
func (q queue) nextUrgent(id model.ItemID) (model.ItemID, bool) {
	at := slices.Index(q.order, id)
	for n := range q.order {
		if next := q.order[(at+1+n)%len(q.order)]; q.rows[next].NeedsOperator {
			return next, true
		}
	}
	return "", false
}

// neighbour is where the cursor goes when its row is no longer in q: to the row now at
// its old place.
func (q queue) neighbour(before queue, id model.ItemID) model.ItemID {
	if q.rows[id] != nil {
		return id
	}
	if len(q.order) == 0 {
		return id
	}
	return q.order[min(max(slices.Index(before.order, id), 0), len(q.order)-1)]
}
