package model

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
		return Refuse(CodeInvalid, "1 to %d items are acknowledged at once, not %d", MaxBatch, len(c.Items)).At("items").WithHint("mark fewer items")
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
		return Refuse(CodeRefused, "none of these %d items needs anything from you", len(c.Items)).At("items").WithHint("vise inbox lists what does")
	}
	s.receipt = outer
	return nil
}
