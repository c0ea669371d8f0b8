package model

import (
	"cmp"
	"fmt"
)

func (c OpenDelegation) step(s *step) error {
	parent, err := s.openItem(c.WorkItemID, 0, "delegate from")
	if err != nil {
		return err
	}
	child, err := s.childOf(c, parent.AgentID)
	if err != nil {
		return err
	}
	if child.State == Completed || child.ID == parent.ID {
		return Refused("work item %s cannot serve %s", child.Handle, parent.Handle).At("child_work_item_id",
			"delegate to another open work item")
	}
	if c.Blocking && s.blocks(child, parent.ID) {
		return Refused("%s waits for %s already: neither could ever be completed", child.Handle, parent.Handle).
			At("blocking").WithHint("delegate without blocking, or cancel the other delegation")
	}
	s.delegate(parent, child.AgentID, child.ID, c.Blocking, "")
	return nil
}

// delegate opens a delegation to an agent. The child's item can be made later; until then the label says what it is for.
func (s *step) delegate(parent WorkItem, to AgentID, child ItemID, blocking bool, label Text) DelegationID {
	d := Delegation{
		ID: DelegationID(s.newID("dg-")), ParentAgentID: parent.AgentID, ParentWorkItemID: parent.ID, ChildAgentID: to,
		ChildWorkItemID: child, State: DelegationOpen, Blocking: blocking, Label: label, CreatedAt: s.at.At, UpdatedAt: s.at.At,
	}
	s.put(d)
	s.concerns(parent)
	s.receipt.DelegationID, s.receipt.ChildWorkItemID = d.ID, child
	s.event(EventDelegationOpened, parent.ID, d.news())
	return d.ID
}

func (c SpawnAgent) step(s *step) error {
	parent, err := s.agentFor(cmp.Or(s.at.Agent, s.actingAgent()), "make an agent for")
	if err != nil {
		return err
	}
	for n := 1; c.AgentID == ""; n++ {
		id := AgentID(fmt.Sprintf("%s-%d", parent.ID, n))
		if _, taken := s.Agent(id); !taken {
			c.AgentID = id
		}
	}
	if _, known := s.Agent(c.AgentID); known {
		return Conflict("there is an agent %s already", c.AgentID).At("agent_id",
			"take another name; to give it work: vise delegate ID --to %s OBJECTIVE", c.AgentID)
	}
	c.Preset, c.WorkspaceMode = cmp.Or(c.Preset, PrivateChild), cmp.Or(c.WorkspaceMode, WorkspaceInherit)
	if err := oneOf("preset", c.Preset, PrivateChild, PublicNamed); err != nil {
		return err
	}
	if err := oneOf("workspace_mode", c.WorkspaceMode, WorkspaceInherit, WorkspaceWorktree); err != nil {
		return err
	}
	like, hasTemplate := s.Agent(c.Template)
	if c.Template != "" && !hasTemplate {
		return Invalid("there is no agent %s whose settings could be copied", c.Template).At("template", "vise agents lists the agents")
	}
	child, err := s.agentUnder(parent.ID, c.AgentID)
	if err != nil {
		return err
	}
	if hasTemplate {
		child.Template, child.AutoPick, child.Limits, child.Evidence = like.ID, like.AutoPick, like.Limits, like.Evidence
	}
	child.WorkspaceMode = c.WorkspaceMode
	s.put(child)
	s.receipt.AgentID = child.ID
	if c.Preset == PublicNamed {
		if c.InitialMessage == "" {
			return nil
		}
		return s.say(child, Message{Priority: Normal, Body: c.InitialMessage})
	}
	if c.InitialMessage == "" {
		return Invalid("a private child needs an initial message").At("initial_message",
			"say what it is to do; preset public_named makes an agent without")
	}
	if parent.CurrentWorkItemID == "" {
		return Invalid("nothing says which work item the agent is to serve").At("preset",
			"pick the item first; preset public_named makes an agent that serves none")
	}
	served, err := s.openItem(parent.CurrentWorkItemID, 0, "delegate from")
	if err != nil {
		return err
	}
	child.Serves = s.delegate(served, child.ID, "", false, firstLine(c.InitialMessage))
	return s.say(child, Message{DelegationID: child.Serves, Priority: Normal, Body: c.InitialMessage})
}

// serve ties the agent's first item to the delegation for which the agent was made.
func (s *step) serve(w WorkItem) {
	a, _ := s.Agent(w.AgentID)
	if a.Serves == "" || s.at.Actor != AgentActor(a.ID) {
		return
	}
	if d, ok := s.Delegation(a.Serves); ok && d.State == DelegationOpen {
		d.ChildWorkItemID, d.UpdatedAt = w.ID, s.at.At
		s.put(d)
	}
	a.Serves = ""
	s.put(a)
}

// childOf is the item that serves a delegation; if it does not exist, it is made.
func (s *step) childOf(c OpenDelegation, parent AgentID) (WorkItem, error) {
	if (c.ChildWorkItemID == "") == (c.To == "") {
		return WorkItem{}, Invalid("a delegation needs a child work item, or an agent and an objective").At("to",
			"give one of the two")
	}
	if c.ChildWorkItemID != "" {
		child, ok := s.Item(c.ChildWorkItemID)
		if !ok {
			return child, notFound(c.ChildWorkItemID)
		}
		return child, nil
	}
	_, known := s.Agent(c.To)
	if _, err := s.agentUnder(parent, c.To); err != nil {
		return WorkItem{}, err.(*Error).At("to")
	}
	if !known {
		s.warnAdded(c.To)
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

// delegator acts for the child agent while its item is made: an agent can give another agent work, and do nothing else for it.
func delegator(a Actor) Actor {
	if _, isAgent := a.Agent(); isAgent {
		return Scheduler
	}
	return a
}

// blocks reports whether an item's completion depends on another's through blocking delegations and waits.
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
		for _, x := range s.ItemWaits(w.AgentID, w.ID) {
			if a, ok := s.Item(x.After()); ok && !x.Triggered() {
				next = append(next, a)
			}
		}
	}
	return false
}

// maxDelegationDepth bounds how many items are checked for that dependency.
const maxDelegationDepth = 1000

func (c CancelDelegation) step(s *step) error {
	reason, err := optional("reason", c.Reason, MaxReason)
	if err != nil {
		return err
	}
	d, ok := s.Delegation(c.DelegationID)
	if !ok {
		return NotFound("no delegation %s", Text(c.DelegationID)).At("delegation_id",
			"vise delegate list shows the open ones")
	}
	if _, err := s.itemOf(d.ParentWorkItemID, 0); err != nil {
		return err
	}
	s.receipt.DelegationID, s.receipt.ChildWorkItemID = d.ID, d.ChildWorkItemID
	if d.State != DelegationOpen {
		return nil
	}
	s.closeDelegation(d, delegationCancelled, EventDelegationCancelled, reason)
	return nil
}

// closeDelegation ends a delegation and triggers the waits on it.
func (s *step) closeDelegation(d Delegation, to delegationState, kind EventKind, result Text) {
	d.State, d.ResultSummary, d.UpdatedAt = to, result, s.at.At
	s.put(d)
	s.event(kind, d.ParentWorkItemID, d.news())
	s.wake(s.waitsOf(d), s.outcome(d))
}

func (d Delegation) news() delegated {
	return delegated{d.ID, d.ChildAgentID, d.ChildWorkItemID, d.ResultSummary}
}

// waitsOf are the parent's active waits on a delegation.
func (s *step) waitsOf(d Delegation) []Wait { return s.WaitsOn(d.ParentAgentID, WaitTask, Text(d.ID)) }

// outcome is what the parent is told of an ended delegation: its report, or that it was cancelled and why.
func (s *step) outcome(d Delegation) Provenance {
	said := cut(d.ResultSummary, previewReport)
	switch child, _ := s.Item(d.ChildWorkItemID); {
	case d.State == delegationCancelled && said == "":
		said = "the delegation was cancelled"
	case d.State == delegationCancelled:
		said = "the delegation was cancelled: " + said
	case said != d.ResultSummary:
		said += "\n[The report goes on: it is that of work item " + Text(child.Handle) + ".]"
	}
	return s.from(delegationSource, said)
}

// delegationSource is the source of triggers and messages about an ended delegation.
const delegationSource = "delegation"

// reportDue is a delegation that ended without the report of its item. Awaited: its end triggered a wait of the parent.
type reportDue struct {
	DelegationID DelegationID `json:"delegation_id"`
	Awaited      bool         `json:"awaited,omitempty"`
}

// settleDelegations closes the delegations that the completed items serve, by their records and not by the parent's focus
// (docs/lifecycle.md 15), and wakes those who wait for the items.
func (s *step) settleDelegations() {
	for _, id := range s.completed {
		w, _ := s.Item(id)
		for _, d := range s.ParentsOf(id) {
			if w.ResultSummary == "" {
				w.ReportDue = append(w.ReportDue, reportDue{d.ID, len(s.waitsOf(d)) > 0})
				s.put(w)
			}
			s.closeDelegation(d, delegationCompleted, EventDelegationCompleted, w.ResultSummary)
		}
		for _, a := range w.AwaitedBy {
			s.wake(s.WaitsOn(a, WaitExternal, afterItem+Text(id)), s.completion(w))
		}
	}
}

// completion is what is told to those who wait for an item.
func (s *step) completion(w WorkItem) Provenance {
	return s.from(Text(w.Handle), cmp.Or(cut(w.ResultSummary, previewReport), "completed without a report"))
}

// bringReport brings the report of w to the delegations that ended before it. A parent that waits for one is triggered; one that has gone
// on since it was triggered gets a message.
func (s *step) bringReport(w WorkItem, due []reportDue) {
	for _, x := range due {
		d, ok := s.Delegation(x.DelegationID)
		if !ok {
			continue
		}
		d.ResultSummary, d.UpdatedAt = w.ResultSummary, s.at.At
		s.put(d)
		s.event(EventDelegationReported, d.ParentWorkItemID, d.news())
		waits := s.waitsOf(d)
		s.wake(waits, s.outcome(d))
		parent, _ := s.Item(d.ParentWorkItemID)
		if a, ok := s.Agent(d.ParentAgentID); ok && len(waits) == 0 && x.Awaited && parent.State == Open {
			s.queue(a, Message{WorkItemID: parent.ID, Source: delegationSource, Priority: Normal, Body: s.outcome(d).Payload})
		}
	}
}

// canEnd refuses a wait of an agent, or of its item w, for what cannot trigger it: an open delegation of another parent, and what itself
// waits for w.
func (s *step) canEnd(x Wait, agent AgentID, w WorkItem) error {
	switch a, after := s.Item(x.After()); {
	case after && w.ID == "":
		return Invalid("only a work item waits for another").At("work_item_id", "name the work item that waits")
	case after && s.blocks(a, w.ID):
		return Refused("%s waits for %s itself: neither would ever end", a.Handle, w.Handle).At("resource", "wait for something else")
	}
	if x.Kind != WaitTask {
		return nil
	}
	d, ok := s.Delegation(DelegationID(x.Resource))
	if !ok || d.State != DelegationOpen {
		return nil
	}
	child, _ := s.Item(d.ChildWorkItemID)
	switch {
	case w.ID != "" && s.blocks(child, w.ID):
		return Refused("delegation %s waits for work item %s itself: neither would ever end", d.ID, w.Handle).At("resource",
			"its completion ends the delegation; what it lacks can be asked of the operator (wake operator_input, --operator)")
	case d.ParentAgentID != agent:
		return Refused("delegation %s is one of agent %s, and its end is news only for waits of that agent", d.ID,
			d.ParentAgentID).At("resource", "wait for something else: vise delegate list names the agent's own")
	}
	return nil
}
