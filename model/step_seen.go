package model

import "time"

// Acknowledge notes that the operator has seen what an item needs: it stops asking for
// attention until something new happens to it. It changes nothing of the item.
type Acknowledge struct {
	WorkItemID ItemID `json:"work_item_id"`
	// Withdraw takes an acknowledgement back.
	Withdraw     bool   `json:"withdraw,omitempty"`
	SeenRevision uint64 `json:"seen_revision,omitempty"`
}

// Name is part of Command.
func (Acknowledge) Name() string { return "Acknowledge" }

// Seen is the record of an acknowledgement.
type Seen struct {
	AgentID    AgentID `json:"agent_id"`
	WorkItemID ItemID  `json:"work_item_id"`
	// Matter is what was seen (Inboxed.Matter); empty when it was taken back.
	Matter string    `json:"matter,omitempty"`
	At     time.Time `json:"at"`
}

// seenNews is the data of work_item_acknowledged.
type seenNews struct {
	Need      Need      `json:"need"`
	Since     time.Time `json:"since"`
	Withdrawn bool      `json:"withdrawn,omitempty"`
}

func (c Acknowledge) step(s *step) error {
	w, x, err := c.matter(s)
	switch {
	case err != nil:
		return err
	case x.Need == "":
		return Refuse(CodeRefused, "work item %s needs nothing from you", w.Handle).At("work_item_id").
			WithHint("vise inbox lists what does")
	case x.Seen == !c.Withdraw:
		return nil
	}
	c.note(s, w, x)
	return nil
}

// matter is what an item needs, for the operator alone.
func (c Acknowledge) matter(s *step) (w WorkItem, x Inboxed, err error) {
	if w, err = s.own(c.WorkItemID, c.SeenRevision); err != nil {
		return w, x, err
	}
	if _, isAgent := s.at.Actor.Agent(); isAgent {
		return w, x, Refuse(CodeRefused, "only the operator acknowledges").WithHint("an agent ends a need by doing what it needs")
	}
	a, _ := s.Agent(w.AgentID)
	x, _ = InboxOf(s, w, s.ItemWaits(w.AgentID, w.ID), a.CurrentWorkItemID == w.ID)
	return w, x, nil
}

func (c Acknowledge) note(s *step, w WorkItem, x Inboxed) {
	seen := Seen{AgentID: w.AgentID, WorkItemID: w.ID, Matter: x.Matter(), At: s.at.At}
	if c.Withdraw {
		seen.Matter = ""
	}
	s.put(seen)
	s.event(EventAcknowledged, w.ID, seenNews{Need: x.Need, Since: x.Since, Withdrawn: c.Withdraw})
}

func tellSeen(d seenNews) string {
	what := map[Need]string{
		NeedAnswer: "its question", NeedNudge: "that it stalled", NeedPickup: "that its answer waits", NeedReview: "its trigger",
		NeedChoice: "that a report is offered", NeedReport: "that it has no report", NeedLook: "its unfinished todos",
	}[d.Need]
	if d.Withdrawn {
		return "acknowledgement taken back: " + what
	}
	return "acknowledged: " + what
}

// AcknowledgeAll acknowledges what several items of one agent need, in one transaction. An
// item that needs nothing, or was acknowledged before, is passed by and counted in the
// receipt (Skipped); one that changed since its author read it refuses them all.
type AcknowledgeAll struct {
	Items []Acknowledge `json:"items"`
}

// Name is part of Command.
func (AcknowledgeAll) Name() string { return "AcknowledgeAll" }

func (c AcknowledgeAll) step(s *step) error {
	if len(c.Items) == 0 || len(c.Items) > MaxBatch {
		return Refuse(CodeInvalid, "1 to %d items are acknowledged at once, not %d", MaxBatch, len(c.Items)).At("items").
			WithHint("mark fewer items")
	}
	outer := s.receipt
	for i, one := range c.Items {
		s.receipt = Receipt{Command: one.Name()}
		w, x, err := one.matter(s)
		if err != nil {
			return s.refusedIn(one.WorkItemID, err)
		}
		if i > 0 && w.AgentID != outer.AgentID {
			return Refuse(CodeInvalid, "items of one agent are acknowledged at once").At("items")
		}
		outer.AgentID = w.AgentID
		if x.Need == "" || x.Seen == !one.Withdraw {
			outer.Skipped++
			continue
		}
		one.note(s, w, x)
		outer.Calls = append(outer.Calls, s.receipt)
	}
	if len(outer.Calls) == 0 {
		return Refuse(CodeRefused, "none of these %d items needs anything from you", len(c.Items)).At("items").
			WithHint("vise inbox lists what does")
	}
	s.receipt = outer
	return nil
}
