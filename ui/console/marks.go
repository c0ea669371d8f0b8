package console

import (
	"fmt"
	"maps"
	"slices"

	"vise/model"
	"vise/ui/action"
)

// marks are the rows that an action applies to, instead of the cursor's row: the rows marked one by one, and
// the rows between the cursor and the start of a range.
type marks struct {
	set map[model.ItemID]bool
	// from is the start of a range; empty if there is none.
	from model.ItemID
}

// with is m with some rows marked or unmarked. It shares no memory with m.
func (m marks) with(on bool, ids ...model.ItemID) marks {
	m.set = maps.Clone(m.set)
	if m.set == nil {
		m.set = map[model.ItemID]bool{}
	}
	for _, id := range ids {
		if delete(m.set, id); on {
			m.set[id] = true
		}
	}
	return m
}

// shown are the marked rows in order, including a range up to the cursor. A row that a filter hides is not
// included.
func (m marks) shown(order []model.ItemID, cursor model.ItemID) (out []model.ItemID) {
	a, b := slices.Index(order, m.from), slices.Index(order, cursor)
	for i, id := range order {
		if inRange := m.from != "" && a >= 0 && b >= 0 && min(a, b) <= i && i <= max(a, b); inRange || m.set[id] {
			out = append(out, id)
		}
	}
	return out
}

// listing is the list on screen whose rows can be marked: the desk's queue or the inbox. On other views it is
// empty.
type listing struct {
	marks *marks
	order []model.ItemID
	row   func(model.ItemID) *model.Row
	// kind is a row's class; in the inbox, the kind of need, as the header counts it.
	kind func(model.ItemID) string
}

func listed(c *console) listing {
	switch fleet := c.fleet; {
	case c.view == viewDesk:
		return listing{&c.marks, c.queue.Order, c.queue.Row, func(id model.ItemID) string {
			at := slices.IndexFunc(c.queue.Sections, func(s model.Section) bool {
				return slices.ContainsFunc(s.Rows, func(r model.Row) bool { return r.ID == id })
			})
			return string(c.queue.Sections[max(at, 0)].Class)
		}}
	case c.view == viewFleet && fleet.Entry() != nil:
		entry := func(id model.ItemID) *model.Inboxed { return &fleet.Entries[slices.Index(fleet.Inbox.Order, id)] }
		return listing{&c.inboxMarks, fleet.Inbox.Order, func(id model.ItemID) *model.Row { return &entry(id).Row },
			func(id model.ItemID) string { return action.NeedWord(*entry(id)) }}
	}
	return listing{marks: &marks{}}
}

// markedIDs are the marked rows on screen, in their order.
func (c *console) markedIDs() []model.ItemID {
	l := listed(c)
	return l.marks.shown(l.order, c.cursor)
}

func (c *console) marked() []model.Row {
	var out []model.Row
	l := listed(c)
	for _, id := range c.markedIDs() {
		out = append(out, *l.row(id))
	}
	return out
}

// inInbox reports whether one of some rows is in an inbox.
func inInbox(inbox []model.Inboxed, rows []model.Row) bool {
	return slices.ContainsFunc(rows, func(r model.Row) bool {
		return slices.ContainsFunc(inbox, func(x model.Inboxed) bool { return x.ID == r.ID })
	})
}

// mark marks or unmarks the cursor's row, and moves to the next row.
func mark(c *console) {
	m := listed(c).marks
	*m = m.with(!m.set[c.cursor], c.cursor)
	if c.view == viewFleet {
		fleetBy(1)(c)
		return
	}
	c.choose(c.queue.At(c.cursor).Step(1).Cursor)
}

// markRange starts a range at the cursor. The second call marks the rows of the range.
func markRange(c *console) {
	m := listed(c).marks
	if m.from == "" {
		m.from = c.cursor
		c.say(c.keys.Keyed("A range begins here: move, then {mark-range} keeps it, or act."))
		return
	}
	*m = m.with(true, c.markedIDs()...)
	m.from = ""
}

// markClass marks the shown rows of the cursor's class, or unmarks them if all are marked.
func markClass(c *console) {
	l := listed(c)
	var ids []model.ItemID
	all := true
	for _, id := range l.order {
		if l.kind(id) == l.kind(c.cursor) {
			ids = append(ids, id)
			all = all && l.marks.set[id]
		}
	}
	*l.marks = l.marks.with(!all, ids...)
}

// markWords says how many rows are marked, and how many of them a filter hides.
func (c *console) markWords() string {
	l := listed(c)
	shown, hidden := len(c.markedIDs()), 0
	for id := range l.marks.set {
		if !slices.Contains(l.order, id) {
			hidden++
		}
	}
	switch {
	case shown+hidden == 0:
		return ""
	case hidden > 0:
		return fmt.Sprintf("%d marked, %d hidden", shown, hidden)
	}
	return fmt.Sprintf("%d marked", shown)
}

// unmark removes all marks of the list on screen.
func unmark(c *console) {
	*listed(c).marks = marks{}
}
