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

// SeenNews is the data of work_item_acknowledged.
type SeenNews struct {
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
		return Refuse(CodeRefused, "work item %s needs nothing from you", w.Handle).At("work_item_id").WithHint("vise inbox lists what does")
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
	s.event(EventAcknowledged, w.ID, SeenNews{Need: x.Need, Since: x.Since, Withdrawn: c.Withdraw})
}

func tellSeen(d SeenNews) string {
	what := map[Need]string{
		NeedAnswer: "its question", NeedNudge: "that it stalled", NeedPickup: "that its answer waits", NeedReview: "its trigger",
		NeedChoice: "that a report is offered", NeedReport: "that it has no report", NeedLook: "its unfinished todos",
	}[d.Need]
	if d.Withdrawn {
		return "acknowledgement taken back: " + what
	}
	return "acknowledged: " + what
}
