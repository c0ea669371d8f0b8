package model

import (
	"math"
	"slices"
	"time"
)

// Again is FleetOf for who has read the fleet before: it reads the counts of those agents alone
// that something happened to since. A turn that is prolonged is in no event.
func (f Fleet) Again(r Reader, now time.Time, rows, entries int, named ...AgentID) Fleet {
	if h, ok := r.(Homes); ok {
		return f.ofHomes(h, now, rows, entries, named)
	}
	moved, all := movedSince(r, f.Revision)
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

// movedMost bounds the events that are read to learn whom they are of.
const movedMost = 256

// movedSince are the agents that events since a revision are of; all tells that there are no more.
func movedSince(r Reader, revision uint64) (moved map[AgentID]bool, all bool) {
	moved = map[AgentID]bool{}
	if r.Revision() == revision {
		return moved, true
	}
	entries := r.History("", Position{Revision: revision, N: math.MaxInt32}, movedMost)
	for _, e := range entries {
		moved[e.AgentID] = true
	}
	return moved, len(entries) < movedMost
}
