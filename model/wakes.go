package model

import "fmt"

// told is how often a wait had been triggered when a turn began that was told of it.
type told struct {
	WaitID WaitID `json:"wait_condition_id"`
	Count  int    `json:"trigger_count"`
}

// UnseenTrigger is what came to a wait that ended, and that no turn and no person had seen: the
// receipt of what ended it tells (docs/lifecycle.md 21).
type UnseenTrigger struct {
	TriggerNews
	// CarriedTo is the wait that took its place and starts as triggered.
	CarriedTo WaitID `json:"carried_to,omitempty"`
}

// unseen is how many triggers of a wait no turn and no person has seen. What came as a message stays
// one, whatever becomes of the wait; an answer does too.
func (s *step) unseen(x Wait) int {
	if x.WorkItemID == "" || x.Kind == WaitOperator || x.Deliver == DeliverEnqueueMessage {
		return 0
	}
	seen := x.SeenCount
	caller, _ := s.at.Actor.Agent()
	if a, ok := s.Agent(x.AgentID); ok && caller == a.ID && a.Turn.Runs(s.at.At) { // it was told, and acts
		for _, t := range a.Turn.Told {
			if t.WaitID == x.ID {
				seen = max(seen, t.Count)
			}
		}
	}
	return max(x.TriggerCount-seen, 0)
}

// tellUnseen lists in the receipt what came to waits that end, and nobody has seen.
func (s *step) tellUnseen(waits []Wait) {
	for _, x := range waits {
		n := s.unseen(x)
		if n == 0 {
			continue
		}
		s.receipt.Unseen = append(s.receipt.Unseen, UnseenTrigger{TriggerNews: TriggerNews{WaitID: x.ID, Kind: x.Kind, Count: n,
			Provenance: x.LastTrigger}})
		s.warn(Warning{Kind: warnUnseenTrigger, Message: fmt.Sprintf("it was triggered, and nobody had seen it: %s",
			cut(Text(describeTrigger(TriggerNews{Provenance: x.LastTrigger})), rowObjective))})
	}
}

// carry has a wait start as triggered where one that it took the place of, for the same source or
// resource, was triggered unseen.
func (s *step) carry(x Wait, earlier []Wait) Wait {
	for _, was := range earlier {
		n := s.unseen(was)
		if n == 0 || !samePlace(x, was) {
			continue
		}
		// The receipt tells of it: it stands for review, and is not carried again.
		x.TriggerCount, x.SeenCount = n, n
		x.LastTriggeredAt, x.LastTrigger = was.LastTriggeredAt, was.LastTrigger
		for i := range s.receipt.Unseen {
			if s.receipt.Unseen[i].WaitID == was.ID {
				s.receipt.Unseen[i].CarriedTo = x.ID
			}
		}
		s.warn(Warning{Kind: warnStartsTriggered, Message: "the new wait starts as triggered: look at what came, then wait again"})
	}
	return x
}

// samePlace reports whether what triggers one wait may be what the other waits for.
func samePlace(a, b Wait) bool {
	return a.Kind == WaitExternal && b.Kind == WaitExternal &&
		(a.Resource != "" && a.Resource == b.Resource || a.Source != "" && a.Source == b.Source)
}

// see notes that whoever acts has looked at what came to an item's waits.
func (s *step) see(w WorkItem) {
	for _, x := range s.ItemWaits(w.AgentID, w.ID) {
		if x.SeenCount < x.TriggerCount {
			x.SeenCount = x.TriggerCount
			s.put(x)
		}
	}
}

// tellOf is what a turn is told of triggers: those of its focus and of the item that it was offered.
func (s *step) tellOf(agent AgentID, items ...ItemID) []told {
	var out []told
	for _, id := range items {
		if id == "" {
			continue
		}
		for _, x := range s.ItemWaits(agent, id) {
			if s.unseen(x) > 0 {
				out = append(out, told{x.ID, x.TriggerCount})
			}
		}
	}
	return out
}

// wasTold notes what a turn that came to its end has seen.
func (s *step) wasTold(list []told) {
	for _, t := range list {
		if x, ok := s.Wait(t.WaitID); ok && x.Status == WaitActive && x.SeenCount < t.Count {
			x.SeenCount = t.Count
			s.put(x)
		}
	}
}
