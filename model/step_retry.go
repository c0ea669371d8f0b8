package model

import "time"

// Retry is the operator's word that an agent, or a stalled item of it, is tried again now:
// it ends stalls and rests, and one turn begins whatever the limits say.
type Retry struct {
	AgentID    AgentID `json:"agent_id,omitempty"`
	WorkItemID ItemID  `json:"work_item_id,omitempty"`
}

// Name is part of Command.
func (Retry) Name() string { return "Retry" }

func (c Retry) step(s *step) error {
	if c.WorkItemID != "" {
		w, err := s.open(c.WorkItemID, 0, "retry")
		if err != nil {
			return err
		}
		c.AgentID = w.AgentID
		s.endStall(w.AgentID, w.ID)
	}
	a, ok := s.Agent(c.AgentID)
	if !ok {
		return unknownAgent(c.AgentID)
	}
	s.receipt.AgentID = a.ID
	if a.Posture == Stopped {
		return Refuse(CodeRefused, "agent %s is stopped", a.ID).At("agent_id").WithHint("resume it first: vise agents resume %s", a.ID)
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
	if a.Pace.RunNow && !d.ModelReentry && d.Reason != reasonOffered {
		a.Pace.RunNow = false
		s.put(a)
		s.warn(Warning{Kind: warnNothingToRun, Message: "agent " + string(a.ID) + " has nothing to run: no runnable work, no queued input"})
	}
	s.receipt.Decision = &d
	s.event(EventRetried, c.WorkItemID, map[string]AgentID{"agent_id": a.ID})
	return nil
}

// KeepUsageLimit keeps until when the usage limit of the agent's program holds, as the program told it in a session
// that runs without a turn; zero when it holds no more. While a turn runs that is the turn's to bring.
type KeepUsageLimit struct {
	Until time.Time `json:"until,omitzero"`
}

// Name is part of Command.
func (KeepUsageLimit) Name() string { return "KeepUsageLimit" }

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

// endStall has the scheduler offer an item as if it had never been offered.
func (s *step) endStall(agent AgentID, id ItemID) {
	if t, ok := s.Attempt(agent, id); ok && t.Stalled {
		s.put(Attempt{AgentID: agent, WorkItemID: id})
	}
}

// attempted counts a turn that was offered an item and came to nothing, and marks the item as
// stalled once that happened often enough.
func (s *step) attempted(t turn) {
	w, ok := s.Item(t.OfferedID)
	if t.OfferedID == "" || !ok {
		return
	}
	r := rowIn(s, w)
	if tickKey(offerReason[r.Class], r) != t.Tick {
		return // something new happened to it
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
