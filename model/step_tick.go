package model

import (
	"fmt"
	"slices"
	"time"
)

// maxDue bounds what one Tick fires; the next Tick goes on. So many hold the ledger for some
// ten milliseconds.
const maxDue = 250

// maxRechecks bounds the second looks among them, and those that a turn is told of.
const maxRechecks = 100

func (c Tick) step(s *step) error {
	a, ok := s.Agent(c.AgentID)
	if !ok {
		return unknownAgent(c.AgentID)
	}
	if caller, isAgent := s.at.Actor.Agent(); isAgent {
		return Refuse(CodeNotOwner, "agent %s is no scheduler", caller).At("actor")
	}
	s.receipt.AgentID = a.ID
	if swept := s.sweepTurn(a); a.Turn != nil && swept.Turn == nil {
		s.receipt.Turn, a = a.Turn.Index, swept
	}
	rechecks := s.fire(a)
	s.rest(a, rechecks)
	return nil
}

// rest offers a candidate once nothing else changed: what was fired or swept may change
// the order, so the next Tick looks at it afresh.
func (s *step) rest(a Agent, rechecks []DueRecheck) {
	fired := len(s.events) > 0 && len(s.receipt.TriggeredWaits) > 0
	a, _ = s.Agent(a.ID)
	d := Decide(s, a.ID, s.at.At)
	s.receipt.Decision = &d
	if fired {
		s.receipt.Again = true
		return
	}
	if a.Turn != nil || a.QueuedInput > 0 || a.Posture == Stopped {
		return
	}
	s.stall(a, d)
	alone := a.Offered == nil || a.Offered.Reason != reasonRecheck
	switch {
	case d.Kind == DecideEmitTick && d.Key != "":
		s.offer(a, d, rechecks)
	case d.Kind == DecideNoop && alone:
		// The turn that answers what was offered is told of them too.
		s.newsOfRechecks(rechecks, "")
	case len(rechecks) > 0 || len(a.DueRechecks) > 0 && alone:
		s.offerRechecks(a)
	}
}

// fire triggers timers and consumes rechecks that are due, in the order of their time.
func (s *step) fire(a Agent) []DueRecheck {
	var rechecks []DueRecheck
	silent := a.Turn != nil || a.QueuedInput > 0 || a.Posture == Stopped
	for _, d := range s.Due(a.ID, s.at.At, maxDue) {
		if d.WaitID != "" {
			if x, ok := s.Wait(d.WaitID); ok && x.Status == WaitActive && x.TriggerCount == 0 {
				s.wake([]Wait{x}, Provenance{Actor: s.at.Actor, Source: Text(x.Kind)})
			}
			continue
		}
		if len(rechecks) == maxRechecks {
			break
		}
		if w, ok := s.Item(d.ItemID); ok {
			rechecks = append(rechecks, s.recheck(w, silent))
		}
	}
	s.remember(a.ID, rechecks)
	return rechecks
}

// remember keeps second looks for the next turn: one that came due while the agent was at
// work is silent, and not lost.
func (s *step) remember(id AgentID, rechecks []DueRecheck) {
	if len(rechecks) == 0 {
		return
	}
	a, _ := s.Agent(id)
	due := slices.Clone(a.DueRechecks)
	for _, r := range rechecks {
		if !slices.Contains(due, r.WorkItemID) {
			due = append(due, r.WorkItemID)
		}
	}
	a.DueRechecks = due[max(0, len(due)-maxRechecks):]
	s.put(a)
}

// recheck consumes a due recheck, once: it reminds, it never unblocks (docs/lifecycle.md 11).
func (s *step) recheck(w WorkItem, silent bool) DueRecheck {
	r := dueRecheck(w)
	w.RecheckConsumedAt = s.at.At
	w = s.save(w, false)
	s.event(EventRecheckConsumed, w.ID, RecheckNews{Revision: w.Revision, RecheckAt: w.RecheckAt, Silent: silent})
	return r
}

// offer emits a tick for the decision's candidate and counts the attempt.
func (s *step) offer(a Agent, d Decision, rechecks []DueRecheck) {
	t, _ := s.Attempt(a.ID, d.WorkItemID)
	if t.TickKey != d.Key {
		t = Attempt{AgentID: a.ID, WorkItemID: d.WorkItemID, TickKey: d.Key}
	}
	t.Count++
	t.LastAt, t.NextAt = s.at.At, s.at.At.Add(backoff(t.Count))
	s.put(t)
	a.Offered = &Offered{Key: d.Key, Reason: d.Reason, WorkItemID: d.WorkItemID, At: s.at.At, Until: t.NextAt}
	s.put(a)
	w, _ := s.Item(d.WorkItemID)
	s.receipt.TickKey, s.receipt.WorkItemID = d.Key, d.WorkItemID
	s.event(EventTickEmitted, d.WorkItemID, TickNews{Subsystem: "work_queue", Reason: d.Reason, Key: d.Key, Objective: cut(w.Objective, rowObjective),
		Attempt: t.Count, Count: len(rechecks), Rechecks: rechecks})
}

// offerRechecks emits a tick for second looks alone. It stands until a turn answers it or
// other work is offered; whichever turn comes first is told of them.
func (s *step) offerRechecks(a Agent) {
	var due []DueRecheck
	for _, id := range a.DueRechecks {
		if w, ok := s.Item(id); ok && w.BlockedBy != "" {
			due = append(due, dueRecheck(w))
		}
	}
	if len(due) == 0 {
		a.DueRechecks = nil
		s.put(a)
		return
	}
	last := due[len(due)-1]
	key := fmt.Sprintf("%s:%s@%s", reasonRecheck, last.WorkItemID, last.RecheckAt.Format(time.RFC3339))
	a.Offered = &Offered{Key: key, Reason: reasonRecheck, WorkItemID: last.WorkItemID, At: s.at.At, Until: s.at.At.Add(lastBackoff)}
	s.put(a)
	s.receipt.TickKey = key
	s.newsOfRechecks(due, key)
}

func (s *step) newsOfRechecks(due []DueRecheck, key string) {
	if len(due) > 0 {
		s.event(EventTickEmitted, "", TickNews{Subsystem: reasonRecheck, Key: key, Count: len(due), Rechecks: due})
	}
}

func dueRecheck(w WorkItem) DueRecheck {
	return DueRecheck{WorkItemID: w.ID, Objective: cut(w.Objective, rowObjective), BlockedBy: cut(w.BlockedBy, rowText), RecheckAt: w.RecheckAt}
}

// stall marks the candidates that were offered often enough without news.
func (s *step) stall(a Agent, d Decision) {
	for _, id := range d.Exhausted {
		t, ok := s.Attempt(a.ID, id)
		if !ok || t.Stalled {
			continue
		}
		t.Stalled = true
		s.put(t)
		s.event(EventStalled, id, StallNews{Key: t.TickKey, Attempts: t.Count})
	}
}
