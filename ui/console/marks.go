package console

import (
	"fmt"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

// marks are the rows that an act is meant for when it is not only the cursor's: those that
// were marked one by one, and those between the cursor and where a range began.
type marks struct {
	set map[model.ItemID]bool
	// from is where a range began; empty without one.
	from model.ItemID
}

// with is m with some rows marked, or unmarked. It shares nothing with m.
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

// shown are the marked rows among those in order, a range up to the cursor among them. A row
// that a filter hides is not acted on.
func (m marks) shown(order []model.ItemID, cursor model.ItemID) (out []model.ItemID) {
	a, b := slices.Index(order, m.from), slices.Index(order, cursor)
	for i, id := range order {
		if inRange := m.from != "" && a >= 0 && b >= 0 && min(a, b) <= i && i <= max(a, b); inRange || m.set[id] {
			out = append(out, id)
		}
	}
	return out
}

// markedIDs are the marked rows on screen, in their order.
func (c *console) markedIDs() []model.ItemID {
	return c.place.marks.shown(c.queue.Order, c.place.cursor)
}

func (c *console) marked() []model.Row {
	var out []model.Row
	for _, id := range c.markedIDs() {
		out = append(out, *c.queue.Row(id))
	}
	return out
}

// mark marks the cursor's row, or takes its mark away, and goes on to the next.
func mark(c *console) tea.Cmd {
	id := c.place.cursor
	c.place.marks = c.place.marks.with(!c.place.marks.set[id], id)
	return c.choose(c.queue.At(id).Step(1).Cursor)
}

// markRange begins a range at the cursor; a second time it keeps the rows of the range.
func markRange(c *console) tea.Cmd {
	if c.place.marks.from == "" {
		c.place.marks.from = c.place.cursor
		return c.say(c.keys.Keyed("A range begins here: move, then {mark-range} keeps it, or act."))
	}
	c.place.marks = c.place.marks.with(true, c.markedIDs()...)
	c.place.marks.from = ""
	return nil
}

// markClass marks the shown rows of the cursor's class, or unmarks them when all are.
func markClass(c *console) tea.Cmd {
	var ids []model.ItemID
	all := true
	for _, s := range c.queue.Sections {
		if !slices.ContainsFunc(s.Rows, func(r model.Row) bool { return r.ID == c.place.cursor }) {
			continue
		}
		for _, r := range s.Rows {
			ids = append(ids, r.ID)
			all = all && c.place.marks.set[r.ID]
		}
	}
	c.place.marks = c.place.marks.with(!all, ids...)
	return nil
}

// markWords say how many rows are marked, and how many of them a filter hides.
func (c *console) markWords() string {
	shown, hidden := len(c.markedIDs()), 0
	for id := range c.place.marks.set {
		if c.queue.Row(id) == nil {
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
