package console

import (
	"fmt"
	"maps"
	"slices"

	"vise/model"
	"vise/ui/action"
)

// marks are the rows that an action applies to, instead of the cursor's row.
type marks map[model.ItemID]bool

// with is m with some rows marked or unmarked. It shares no memory with m.
func (m marks) with(on bool, ids ...model.ItemID) marks {
	out := marks{}
	maps.Copy(out, m)
	for _, id := range ids {
		if delete(out, id); on {
			out[id] = true
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
			if r := c.queue.Row(id); r != nil && !r.IsCurrent {
				return string(action.ShownClass(*r))
			}
			return ""
		}}
	case c.view == viewFleet && fleet.Entry() != nil:
		entry := func(id model.ItemID) *model.Inboxed { return &fleet.Entries[slices.Index(fleet.Inbox.Order, id)] }
		return listing{&c.inboxMarks, fleet.Inbox.Order, func(id model.ItemID) *model.Row { return &entry(id).Row },
			func(id model.ItemID) string { return action.NeedWord(*entry(id)) }}
	}
	return listing{marks: &marks{}}
}

// markedIDs are the marked rows on screen, in their order. A row that a filter hides is not among them.
func (c *console) markedIDs() []model.ItemID {
	l := listed(c)
	return slices.DeleteFunc(slices.Clone(l.order), func(id model.ItemID) bool { return !(*l.marks)[id] })
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
	*m = m.with(!(*m)[c.cursor], c.cursor)
	if c.view == viewFleet {
		fleetBy(1)(c)
		return
	}
	c.choose(c.queue.At(c.cursor).Step(1).Cursor)
}

// markClass marks the shown rows of the cursor's class, or unmarks them if all are marked.
func markClass(c *console) {
	l := listed(c)
	var ids []model.ItemID
	all := true
	for _, id := range l.order {
		if l.kind(id) == l.kind(c.cursor) {
			ids = append(ids, id)
			all = all && (*l.marks)[id]
		}
	}
	*l.marks = l.marks.with(!all, ids...)
}

// markWords says how many rows are marked, and how many of them a filter hides.
func (c *console) markWords() string {
	l := listed(c)
	shown := len(c.markedIDs())
	hidden := len(*l.marks) - shown
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
