package model

import "strings"

// Batch carries out several changes of one agent's items in one transaction: all of them,
// or none, and then it says which item refused. Completing is not for batches.
type Batch struct {
	Calls []Call `json:"calls"`
}

// MaxBatch is how many changes a batch may hold.
const MaxBatch = 200

// Name is part of Command.
func (Batch) Name() string { return "Batch" }

func (c Batch) step(s *step) error {
	if len(c.Calls) == 0 || len(c.Calls) > MaxBatch {
		return Refuse(CodeInvalid, "a batch holds 1 to %d changes, not %d", MaxBatch, len(c.Calls)).At("calls").WithHint("mark fewer items")
	}
	outer := s.receipt
	for i, call := range c.Calls {
		id, ok := batched(call.Command)
		if !ok {
			return Refuse(CodeInvalid, "%s is not for batches", call.Name()).At("calls").WithHint("do it to one item at a time")
		}
		s.receipt = Receipt{Command: call.Name()}
		if err := call.step(s); err != nil {
			return s.refusedIn(id, err)
		}
		if i > 0 && s.receipt.AgentID != outer.AgentID {
			return Refuse(CodeInvalid, "a batch is of one agent's items").At("calls")
		}
		outer.AgentID, outer.FocusReleased = s.receipt.AgentID, outer.FocusReleased || s.receipt.FocusReleased
		outer.CancelledWaits = append(outer.CancelledWaits, s.receipt.CancelledWaits...)
		outer.Calls = append(outer.Calls, s.receipt)
	}
	s.receipt = outer
	return nil
}

// batched is the item of a command that a batch may hold.
func batched(c Command) (ItemID, bool) {
	switch c := c.(type) {
	case UpdateWorkItem:
		return c.WorkItemID, true
	case WaitFor:
		return c.WorkItemID, c.WorkItemID != ""
	}
	return "", false
}

// refusedIn says that nothing of a batch was done, and on account of which item.
func (s *step) refusedIn(id ItemID, err error) error {
	if w, ok := s.Item(id); ok && !strings.Contains(err.Error(), string(w.Handle)) {
		err = within(err, string(w.Handle))
	}
	return within(err, "nothing was changed")
}
