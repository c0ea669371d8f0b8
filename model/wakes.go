package model

// told is a wait's trigger count at the start of a turn that was told of it.
type told struct {
	WaitID WaitID `json:"wait_condition_id"`
	Count  int    `json:"trigger_count"`
}

// UnseenTrigger is a trigger of an ended wait that no turn and no person had seen. The receipt of the command that ended the
// wait tells of it (docs/lifecycle.md 21).
type UnseenTrigger struct {
	TriggerNews
	// CarriedTo is the wait that replaced it and starts as triggered.
	CarriedTo WaitID `json:"carried_to,omitempty"`
}

// unseen is how many triggers of a wait no turn and no person has seen. Triggers that came as messages stay messages whatever
// happens to the wait, and so do answers.
func (s *step) unseen(x Wait) int {
	if x.WorkItemID == "" || x.Kind == WaitOperator || x.Deliver == DeliverEnqueueMessage {
		return 0
	}
	seen := x.SeenCount
	caller, _ := s.at.Actor.Agent()
	if a, ok := s.Agent(x.AgentID); ok && caller == a.ID && a.Turn.Runs(s.at.At) { // it was told and now acts
		for _, t := range a.Turn.Told {
			if t.WaitID == x.ID {
				seen = max(seen, t.Count)
			}
		}
	}
	return max(x.TriggerCount-seen, 0)
}

// tellUnseen lists the unseen triggers of ended waits in the receipt.
func (s *step) tellUnseen(waits []Wait) {
	for _, x := range waits {
		n := s.unseen(x)
		if n == 0 {
			continue
		}
		s.receipt.Unseen = append(s.receipt.Unseen, UnseenTrigger{TriggerNews: TriggerNews{WaitID: x.ID, Kind: x.Kind, Count: n,
			Provenance: x.LastTrigger}})
		s.warnf(warnUnseenTrigger, "no turn and no pick had taken note of this: %s",
			cut(Text(describeTrigger(TriggerNews{Provenance: x.LastTrigger})), rowObjective))
	}
}

// carry lets a wait start as triggered if it replaces one for the same source or resource with unseen triggers.
func (s *step) carry(x Wait, earlier []Wait) Wait {
	for _, was := range earlier {
		n := s.unseen(was)
		if n == 0 || !samePlace(x, was) {
			continue
		}
		// The receipt tells of it, so it counts as seen: the wait is to be reviewed, and the trigger is not carried again.
		x.TriggerCount, x.SeenCount = n, n
		x.LastTriggeredAt, x.LastTrigger = was.LastTriggeredAt, was.LastTrigger
		for i := range s.receipt.Unseen {
			if s.receipt.Unseen[i].WaitID == was.ID {
				s.receipt.Unseen[i].CarriedTo = x.ID
			}
		}
		s.warnf(warnStartsTriggered, "the new wait starts with that news: look at it, then wait again")
	}
	return x
}

// samePlace reports whether the trigger of one wait can be what the other waits for.
func samePlace(a, b Wait) bool {
	return a.Kind == WaitExternal && b.Kind == WaitExternal &&
		(a.Resource != "" && a.Resource == b.Resource || a.Source != "" && a.Source == b.Source)
}

// see notes that the actor has seen the triggers of an item's waits.
func (s *step) see(w WorkItem) {
	for _, x := range s.ItemWaits(w.AgentID, w.ID) {
		if x.SeenCount < x.TriggerCount {
			x.SeenCount = x.TriggerCount
			s.put(x)
		}
	}
}

// tellOf are the triggers that a turn is told of: those of its focus and of the offered item.
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

// wasTold notes what an ended turn has seen.
func (s *step) wasTold(list []told) {
	for _, t := range list {
		if x, ok := s.Wait(t.WaitID); ok && x.Status == WaitActive && x.SeenCount < t.Count {
			x.SeenCount = t.Count
			s.put(x)
		}
	}
}
