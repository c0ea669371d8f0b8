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
		f.Agents[i] = FleetMember{Agent: m.Agent, Counts: m.Counts, Unseen: m.Unseen, stalled: m.stalled, triggered: m.triggered}
	}
	for id := range moved {
		if a, ok := r.Agent(id); ok {
			f.Agents = append(f.Agents, memberOf(r, a))
		}
	}
	return f.at(r, now, rows, entries, named)
}
