package model

import "time"

// Retry is the operator's order to try an agent, or one of its stalled items, again now. It ends stalls and pauses, and one
// turn begins despite the limits.
type Retry struct {
	AgentID    AgentID `json:"agent_id,omitempty"`
	WorkItemID ItemID  `json:"work_item_id,omitempty"`
}

func (c Retry) step(s *step) error {
	if c.WorkItemID != "" {
		w, err := s.openItem(c.WorkItemID, 0, "retry")
		if err != nil {
			return err
		}
		c.AgentID = w.AgentID
		s.endStall(w.AgentID, w.ID)
	}
	a, err := s.agentFor(c.AgentID, "retry")
	if err != nil {
		return err
	}
	if a.Posture == Stopped {
		return Refused("agent %s is stopped", a.ID).At("agent_id", "resume it first: vise agents resume %s", a.ID)
	}
	if c.WorkItemID == "" {
		for _, class := range Classes[:3] {
			for r := range candidates(s, a.ID, class) {
				s.endStall(a.ID, r.ID)
			}
		}
	}
	a.Pace.Quiet, a.Pace.QuietUntil, a.Pace.Candidates, a.Pace.QuietAt = 0, time.Time{}, "", nil
	a.RestUntil, a.Pace.LimitUntil = time.Time{}, time.Time{}
	a.Pace.RunNow = !a.Turn.Runs(s.at.At)
	s.put(a)
	d := Decide(s, a.ID, s.at.At)
	if a.Pace.RunNow && !d.ModelReentry && !d.Offered() {
		a.Pace.RunNow = false
		s.put(a)
		s.warnf(warnNothingToRun, "agent %s has nothing to run: no ready work, no queued input", a.ID)
	}
	s.receipt.Decision = &d
	s.event(EventRetried, c.WorkItemID, map[string]AgentID{"agent_id": a.ID})
	return nil
}

// KeepUsageLimit keeps the end of a usage limit that the agent's program reported in a session without a turn; zero: the limit
// is over. While a turn runs, the turn reports it.
type KeepUsageLimit struct {
	Until time.Time `json:"until,omitzero"`
}

func (c KeepUsageLimit) step(s *step) error {
	a, err := s.agent(s.actingAgent())
	if err != nil {
		return err
	}
	s.receipt.AgentID = a.ID
	if !a.Turn.Runs(s.at.At) && !a.Pace.LimitUntil.Equal(c.Until) {
		a.Pace.LimitUntil = c.Until.UTC()
		s.put(a)
		s.event(EventUsageLimit, "", limitNews{a.ID, a.Pace.LimitUntil})
	}
	return nil
}

// endStall lets the scheduler offer an item as if for the first time.
func (s *step) endStall(agent AgentID, id ItemID) {
	if t, ok := s.Attempt(agent, id); ok && t.Stalled {
		s.put(Attempt{AgentID: agent, WorkItemID: id})
	}
}

// attempted counts a turn that was offered an item and changed nothing. After enough of them it marks the item as stalled.
func (s *step) attempted(t turn) {
	w, ok := s.Item(t.OfferedID)
	if t.OfferedID == "" || !ok {
		return
	}
	r := rowIn(s, w)
	if tickKey(offerReason[r.Class], r) != t.Tick {
		return // there is news of it
	}
	x, _ := s.Attempt(w.AgentID, w.ID)
	if x.TickKey != t.Tick {
		x = Attempt{AgentID: w.AgentID, WorkItemID: w.ID, TickKey: t.Tick}
	}
	x.Turns++
	x.LastAt, x.Stalled = s.at.At, x.Turns >= maxAttempts
	s.put(x)
	if x.Stalled {
		s.event(EventStalled, w.ID, stallNews{Key: x.TickKey, Attempts: x.Turns})
	}
}
