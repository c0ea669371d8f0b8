package model

import (
	"cmp"
	"slices"
	"testing"
)

// untold are the agents whose records a change writes and to whom none of its events belongs. A reader that follows the
// events (Fleet.Again, the scheduler) would not read these agents again.
func untold(f Facts, at Stamp, ch Change) (agents []AgentID) {
	owners := map[ItemID]AgentID{}
	for _, r := range ch.Writes {
		if w, ok := r.(WorkItem); ok {
			owners[w.ID] = w.AgentID
		}
	}
	owner := func(id ItemID) AgentID {
		w, _ := f.Item(id)
		return cmp.Or(owners[id], w.AgentID)
	}
	acting, _ := at.Actor.Agent()
	var told []AgentID
	for _, e := range ch.Events {
		told = append(told, cmp.Or(owner(e.WorkItemID), ch.Receipt.AgentID, at.Agent, acting))
	}
	for _, r := range ch.Writes {
		var of AgentID
		switch r := r.(type) {
		case Agent:
			of = r.ID
		case WorkItem:
			of = r.AgentID
		case Wait:
			of = r.AgentID
		case Message:
			of = r.AgentID
		case Attempt:
			of = r.AgentID
		case Seen:
			of = owner(r.WorkItemID)
		case ReportOffers:
			of = owner(r.WorkItemID)
		}
		if of != "" && !slices.Contains(told, of) && !slices.Contains(agents, of) {
			agents = append(agents, of)
		}
	}
	return agents
}

// mustTell expects that a change has an event for every agent that it is about. A turn that is only prolonged has none:
// its readers look at all agents with a turn.
func mustTell(t testing.TB, f Facts, at Stamp, c Command, ch Change) {
	t.Helper()
	if _, beat := c.(BeatTurn); beat {
		return
	}
	if lost := untold(f, at, ch); len(lost) > 0 {
		t.Errorf("%s changes records of %v, and its %d events are of others", CommandName(c), lost, len(ch.Events))
	}
}
