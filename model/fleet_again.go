package model

import (
	"slices"
	"time"
)

// Again is FleetOf for a caller that has read the fleet before. It reads only the counts of the agents that have had events
// since then. The renewal of a lease has no event.
func (f Fleet) Again(r Reader, now time.Time, rows, entries int, named ...AgentID) Fleet {
	if h, ok := r.(Homes); ok {
		return f.ofHomes(h, now, rows, entries, named)
	}
	moved, all := r.Changed(f.Revision)
	if !all || f.More || len(f.Agents) == 0 {
		return FleetOf(r, now, rows, entries, named...)
	}
	same := r.Revision() == f.Revision
	f.Agents = slices.Clone(f.Agents)
	for i, m := range f.Agents {
		if moved[m.Agent.ID] || m.Agent.Turn != nil && !same {
			a, _ := r.Agent(m.Agent.ID)
			m = memberOf(r, a)
			delete(moved, a.ID)
		}
		f.Agents[i] = m.counted()
	}
	for id := range moved {
		if a, ok := r.Agent(id); ok {
			f.Agents = append(f.Agents, memberOf(r, a))
		}
	}
	return f.at(r, now, rows, entries, named)
}

// Showing is FleetOf for a caller that has read the fleet at the same revision a moment ago. It reads only the rows that were not read
// then.
func (f Fleet) Showing(r Reader, now time.Time, rows, entries int, named ...AgentID) Fleet {
	if _, several := r.(Homes); several || r.Revision() != f.Revision {
		return f.Again(r, now, rows, entries, named...)
	}
	cloned := false
	for i, m := range f.Agents {
		shown := i < rows || slices.Contains(named, m.Agent.ID)
		if shown == m.filled() {
			continue
		}
		if !cloned {
			f.Agents, cloned = slices.Clone(f.Agents), true
		}
		m = m.counted()
		if shown {
			m.fill(r, now)
		}
		f.Agents[i] = m
	}
	return f
}

// counted is a row without the fields that fill reads.
func (m FleetMember) counted() FleetMember {
	return FleetMember{Agent: m.Agent, State: m.State, Counts: m.Counts, Unseen: m.Unseen, stalled: m.stalled, triggered: m.triggered}
}
