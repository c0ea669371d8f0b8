package model

import (
	"iter"
	"time"
)

// fill reads the fields of a row that are not counts.
func (m *FleetMember) fill(r Reader, now time.Time) {
	m.Why = ExplainAgent(r, m.Agent.ID, now)
	if w, ok := Focus(r, m.Agent.ID); ok {
		row := rowIn(r, w)
		m.Current, m.Overlaps = &row, OverlapsOf(r, w)
	}
	if last := r.HistoryBefore(m.Agent.ID, Position{}, 1); len(last) > 0 {
		m.Last = &last[0]
	}
	if m.Agent.Turn != nil {
		m.Since = m.Agent.Turn.StartedAt
	} else if m.Last != nil {
		m.Since = m.Last.At
	}
	m.fillNeeds(r)
}

// filled reports whether fill has read the row.
func (m FleetMember) filled() bool { return len(m.Why.Lines) > 0 }

// fillNeeds reads an agent's question, its triggered item and its queue.
func (m *FleetMember) fillNeeds(r Reader) {
	for _, x := range AgentNeeds(r, m.Agent.ID) {
		if m.Asks == nil && (x.Need == NeedPermit || x.Need == NeedAnswer) {
			m.Asks = &x
		}
	}
	for x := range m.needing(r, WaitingForOperator) {
		if x.Need == NeedAnswer && (m.Asks == nil || x.Since.Before(m.Asks.Since)) {
			m.Asks = &x
		}
	}
	if m.Counts[QueuedRunnable] > 0 {
		for _, row := range r.Rows(m.Agent.ID, QueuedRunnable, nil, 1) {
			m.Next = &row
		}
	}
	for x, waits := range m.needing(r, TriggeredBlocked) {
		if m.Came != nil || x.Need != NeedReview {
			continue
		}
		m.Came = &x
		for _, y := range waits {
			if y.LastTriggeredAt.Equal(x.Since) {
				m.With, m.Looked = firstLine(y.LastTrigger.Payload), y.SeenCount >= y.TriggerCount
			}
		}
	}
}

// needing are the first items of a class as entries of the inbox, with their waits.
func (m *FleetMember) needing(r Reader, c Class) iter.Seq2[Inboxed, []Wait] {
	return func(yield func(Inboxed, []Wait) bool) {
		if m.Counts[c] == 0 {
			return
		}
		for _, row := range r.Rows(m.Agent.ID, c, nil, c.Limit()) {
			w, _ := r.Item(row.ID)
			waits := r.ItemWaits(m.Agent.ID, w.ID)
			if x, ok := InboxOf(r, w, waits, row.IsCurrent); ok && !yield(x, waits) {
				return
			}
		}
	}
}
