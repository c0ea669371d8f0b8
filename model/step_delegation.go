package model

func (c OpenDelegation) step(s *step) error {
	parent, err := s.open(c.WorkItemID, 0, "delegate from")
	if err != nil {
		return err
	}
	child, err := s.childOf(c)
	if err != nil {
		return err
	}
	if child.State == Completed || child.ID == parent.ID {
		return Refuse(CodeRefused, "work item %s cannot serve %s", child.Handle, parent.Handle).At("child_work_item_id").
			WithHint("delegate to another open work item")
	}
	if c.Blocking && s.blocks(child, parent.ID) {
		return Refuse(CodeRefused, "%s waits for %s already: neither could ever be completed", child.Handle, parent.Handle).
			At("blocking").WithHint("delegate without blocking, or cancel the other delegation")
	}
	d := Delegation{
		ID: DelegationID(s.newID("dg-")), ParentAgentID: parent.AgentID, ParentWorkItemID: parent.ID, ChildAgentID: child.AgentID,
		ChildWorkItemID: child.ID, State: DelegationOpen, Blocking: c.Blocking, CreatedAt: s.at.At, UpdatedAt: s.at.At,
	}
	s.put(d)
	s.receipt.AgentID, s.receipt.WorkItemID, s.receipt.ItemRevision = parent.AgentID, parent.ID, parent.Revision
	s.receipt.DelegationID, s.receipt.ChildWorkItemID = d.ID, child.ID
	s.event(EventDelegationOpened, parent.ID, delegated{DelegationID: d.ID, ChildAgentID: d.ChildAgentID,
		ChildWorkItemID: d.ChildWorkItemID})
	return nil
}

// childOf is the item that serves a delegation, made here if it is not there yet.
func (s *step) childOf(c OpenDelegation) (WorkItem, error) {
	if (c.ChildWorkItemID == "") == (c.To == "") {
		return WorkItem{}, Refuse(CodeInvalid, "a delegation needs a child work item, or an agent and an objective").At("to").
			WithHint("give one of the two")
	}
	if c.ChildWorkItemID != "" {
		child, ok := s.Item(c.ChildWorkItemID)
		if !ok {
			return child, notFound(c.ChildWorkItemID)
		}
		return child, nil
	}
	asked := s.at
	defer func() { s.at = asked }()
	s.at.Agent, s.at.Actor = c.To, delegator(asked.Actor)
	if err := (CreateWorkItem{Objective: c.Objective, Plan: c.Plan}).step(s); err != nil {
		return WorkItem{}, err
	}
	child, _ := s.Item(s.receipt.WorkItemID)
	return child, nil
}

// delegator acts for the child agent while its item is made: an agent may give work to
// another, and nothing else of it.
func delegator(a Actor) Actor {
	if _, isAgent := a.Agent(); isAgent {
		return Scheduler
	}
	return a
}

// blocks reports whether an item's completion waits for another's, through blocking delegations.
func (s *step) blocks(w WorkItem, other ItemID) bool {
	seen, next := map[ItemID]bool{}, []WorkItem{w}
	for len(next) > 0 && len(seen) < maxDelegationDepth {
		w, next = next[0], next[1:]
		if w.ID == other {
			return true
		}
		if seen[w.ID] {
			continue
		}
		seen[w.ID] = true
		for _, d := range s.Delegations(w.AgentID, w.ID) {
			if child, ok := s.Item(d.ChildWorkItemID); ok && d.Blocking {
				next = append(next, child)
			}
		}
	}
	return false
}

// maxDelegationDepth bounds how many items are asked whether they wait for each other.
const maxDelegationDepth = 1000

func (c CancelDelegation) step(s *step) error {
	reason, err := optional("reason", c.Reason, MaxReason)
	if err != nil {
		return err
	}
	d, ok := s.Delegation(c.DelegationID)
	if !ok {
		return Refuse(CodeNotFound, "no delegation %s", Text(c.DelegationID)).At("delegation_id").
			WithHint("vise delegate list shows the open ones")
	}
	if _, err := s.own(d.ParentWorkItemID, 0); err != nil {
		return err
	}
	s.receipt.DelegationID, s.receipt.ChildWorkItemID = d.ID, d.ChildWorkItemID
	if d.State != DelegationOpen {
		return nil
	}
	s.closeDelegation(d, delegationCancelled, EventDelegationCancelled, reason)
	return nil
}

// closeDelegation ends a delegation and triggers what waits for it.
func (s *step) closeDelegation(d Delegation, to delegationState, kind EventKind, result Text) {
	d.State, d.ResultSummary, d.UpdatedAt = to, result, s.at.At
	s.put(d)
	s.event(kind, d.ParentWorkItemID, delegated{
		DelegationID: d.ID, ChildAgentID: d.ChildAgentID, ChildWorkItemID: d.ChildWorkItemID, ResultSummary: result,
	})
	s.wake(s.WaitsOn(d.ParentAgentID, WaitTask, Text(d.ID)), Provenance{
		Actor: s.at.Actor, Source: "delegation", Payload: cut(result, previewReport),
	})
}

// settleDelegations closes the delegations that the completed items serve: by their
// record, whatever the parent's focus is (docs/lifecycle.md 15).
func (s *step) settleDelegations() {
	for _, id := range s.completed {
		w, _ := s.Item(id)
		for _, d := range s.ParentsOf(id) {
			s.closeDelegation(d, delegationCompleted, EventDelegationCompleted, w.ResultSummary)
		}
	}
}
