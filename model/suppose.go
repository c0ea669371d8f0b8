package model

import (
	"bytes"
	"slices"
	"time"
)

// supposed are the facts as a command would leave them: records, rows, counts of rows, and dues. Messages and events are those
// from before. It is never stored.
type supposed struct {
	*overlay
	// before and after are the rows of the items that the command changes.
	before, after map[ItemID]Row
}

// suppose lets a command be judged and returns the facts after it.
func suppose(f Facts, at Stamp, c Command) (*supposed, error) {
	change, err := Step(f, at, c)
	if err != nil {
		return nil, err
	}
	s := &supposed{overlay: newOverlay(f), before: map[ItemID]Row{}, after: map[ItemID]Row{}}
	for _, r := range change.Writes {
		s.put(r)
	}
	for _, r := range change.Writes {
		switch r := r.(type) {
		case Agent:
			was, _ := f.Agent(r.ID)
			s.touch(was.CurrentWorkItemID)
			s.touch(r.CurrentWorkItemID)
		case WorkItem:
			s.touch(r.ID)
		case Wait:
			s.touch(r.WorkItemID)
		}
	}
	return s, nil
}

// touch notes an item's row before and after.
func (s *supposed) touch(id ItemID) {
	for _, x := range []struct {
		f    Facts
		rows map[ItemID]Row
	}{{s.overlay.before, s.before}, {s.overlay, s.after}} {
		if w, ok := x.f.Item(id); ok {
			x.rows[id] = rowIn(x.f, w)
		}
	}
}

func (s *supposed) Rows(agent AgentID, class Class, after *Row, limit int) []Row {
	in := func(r Row) bool { return r.Class == class || class == ReportOffered && r.Offered() }
	rows := slices.DeleteFunc(s.Lister.Rows(agent, class, after, limit+len(s.before)), func(r Row) bool {
		_, touched := s.before[r.ID]
		return touched
	})
	for _, r := range s.after {
		if r.AgentID == agent && in(r) && (after == nil || bytes.Compare(r.SortKey(), after.SortKey()) > 0) {
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, func(x, y Row) int { return bytes.Compare(x.SortKey(), y.SortKey()) })
	return rows[:min(limit, len(rows))]
}

func (s *supposed) Count(agent AgentID, tally Tally) int {
	n := s.Lister.Count(agent, tally)
	for by, rows := range map[int]map[ItemID]Row{-1: s.before, 1: s.after} {
		for _, r := range rows {
			if r.AgentID == agent && slices.Contains(r.Tallies(), tally) {
				n += by
			}
		}
	}
	return n
}

func (s *supposed) Due(agent AgentID, now time.Time, limit int) []Due {
	own := DuesOf(WorkItem{}, s.overlay.before.ItemWaits(agent, ""))
	gone, come := len(own), DuesOf(WorkItem{}, s.ItemWaits(agent, ""))
	for id := range s.after {
		was, _ := s.overlay.before.Item(id)
		is, _ := s.Item(id)
		if is.AgentID == agent {
			gone += len(DuesOf(was, s.overlay.before.ItemWaits(agent, id)))
			come = append(come, DuesOf(is, s.ItemWaits(agent, id))...)
		}
	}
	dues := slices.DeleteFunc(s.Lister.Due(agent, now, limit+gone), func(d Due) bool {
		_, touched := s.after[d.ItemID]
		return touched || d.ItemID == ""
	})
	come = slices.DeleteFunc(come, func(d Due) bool { return d.At.After(now) })
	dues = append(dues, come...)
	slices.SortFunc(dues, func(x, y Due) int { return x.At.Compare(y.At) })
	return dues[:min(limit, len(dues))]
}
