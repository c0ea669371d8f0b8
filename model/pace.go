package model

import "time"

// far is later than any instant that is kept.
var far = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// NextPass is when the scheduler has reason to look at an agent again, if nothing is
// committed before; zero means never.
func NextPass(f Facts, id AgentID, d Decision) time.Time {
	a, ok := f.Agent(id)
	if !ok {
		return time.Time{}
	}
	next := d.Until
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if a.Turn != nil {
		sooner(a.Turn.ExpiresAt)
	}
	for _, due := range f.Due(id, far, 1) {
		sooner(due.At)
	}
	return next
}

// AutoPick is the pick that the scheduler may make for an agent that lets it: at idle, of
// the first queued item (docs/lifecycle.md 7).
func AutoPick(f Facts, id AgentID, now time.Time) (PickWorkItem, bool) {
	a, ok := f.Agent(id)
	if !ok || !a.AutoPick || a.Posture == Stopped || a.Turn.Runs(now) || a.QueuedInput > 0 {
		return PickWorkItem{}, false
	}
	if _, focused := Focus(f, id); focused || len(f.Rows(id, TriggeredBlocked, nil, 1)) > 0 {
		return PickWorkItem{}, false
	}
	for _, r := range f.Rows(id, QueuedRunnable, nil, 1) {
		return PickWorkItem{WorkItemID: r.ID, Reason: "first in the queue"}, true
	}
	return PickWorkItem{}, false
}

// TurnDue reports whether an agent should get a turn now, and the key of the tick that the
// turn answers; input that is queued has none.
func TurnDue(f Facts, id AgentID, now time.Time) (tick string, due bool) {
	a, _ := f.Agent(id)
	switch d := Decide(f, id, now); {
	case d.Kind == DecideStartModelTurn:
		return "", true
	case d.Reason == "tick_waits_for_turn" && now.Before(a.RestUntil):
		return "", false
	case d.Reason == "tick_waits_for_turn":
		return a.Offered.Key, true
	}
	return "", false
}
