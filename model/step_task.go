package model

func (c StartTask) step(s *step) error {
	t := Task{WorkItemID: c.WorkItemID, Status: TaskRunning, Blocking: c.Blocking, CreatedAt: s.at.At, UpdatedAt: s.at.At}
	var err error
	if t.Summary, err = required("summary", c.Summary, MaxReason); err != nil {
		return err
	}
	if t.Run, err = c.Run.checked(); err != nil {
		return err
	}
	if t.AgentID, err = s.agentOfTask(c.WorkItemID); err != nil {
		return err
	}
	t.ID = TaskID(s.newID("tk-"))
	s.put(t)
	s.receipt.AgentID, s.receipt.TaskID = t.AgentID, t.ID
	s.event(EventTaskStarted, t.WorkItemID, TaskNews{TaskID: t.ID, Status: t.Status, Summary: t.Summary, Blocking: t.Blocking,
		Command: t.Run.Command, GitHead: t.Run.GitHead})
	return nil
}

func (s *step) agentOfTask(id ItemID) (AgentID, error) {
	if id != "" {
		w, err := s.open(id, 0, "run a task for")
		return w.AgentID, err
	}
	a, err := s.agent(s.actingAgent())
	return a.ID, err
}

func (c EndTask) step(s *step) error {
	t, ok := s.Task(c.TaskID)
	if !ok {
		return Refuse(CodeNotFound, "unknown task %s", Text(c.TaskID)).At("task_id").WithHint("see what runs: vise status")
	}
	if caller, isAgent := s.at.Actor.Agent(); isAgent && caller != t.AgentID {
		return Refuse(CodeNotOwner, "task %s belongs to agent %s", t.ID, t.AgentID).At("task_id")
	}
	switch c.Status {
	case TaskCompleted, TaskFailed, TaskCancelled, TaskInterrupted:
	default:
		return Refuse(CodeInvalid, "a task cannot end as %q", Text(c.Status)).At("status").
			WithHint("use completed, failed, cancelled or interrupted")
	}
	s.receipt.AgentID, s.receipt.WorkItemID, s.receipt.TaskID = t.AgentID, t.WorkItemID, t.ID
	if t.Status != TaskRunning {
		return nil
	}
	result, err := optional("result", c.Result, MaxReport)
	if err != nil {
		return err
	}
	if c.End != nil && len(c.End.Tail) > MaxTail {
		return Refuse(CodeInvalid, "the tail has %d bytes, at most %d are kept", len(c.End.Tail), MaxTail).At("tail").
			WithHint("keep its end")
	}
	t.Status, t.Result, t.End, t.UpdatedAt = c.Status, result, c.End, s.at.At
	s.put(t)
	s.event(EventTaskEnded, t.WorkItemID, taskEnded(t))
	p := Provenance{Actor: s.at.Actor, Source: "task", Payload: cut(t.Result, previewReport)}
	s.wake(s.WaitsOn(t.AgentID, WaitTask, Text(t.ID)), p)
	return nil
}

func taskEnded(t Task) TaskNews {
	n := TaskNews{TaskID: t.ID, Status: t.Status, Summary: t.Summary, Blocking: t.Blocking, Result: cut(t.Result, previewReport)}
	if t.End != nil {
		n.ExitCode, n.Signal, n.DurationMS = &t.End.ExitCode, t.End.Signal, t.End.DurationMS
	}
	return n
}

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
	d := Delegation{
		ID: DelegationID(s.newID("dg-")), ParentAgentID: parent.AgentID, ParentWorkItemID: parent.ID, ChildAgentID: child.AgentID,
		ChildWorkItemID: child.ID, State: DelegationOpen, Blocking: c.Blocking, CreatedAt: s.at.At, UpdatedAt: s.at.At,
	}
	s.put(d)
	s.receipt.AgentID, s.receipt.WorkItemID, s.receipt.ItemRevision = parent.AgentID, parent.ID, parent.Revision
	s.receipt.DelegationID, s.receipt.ChildWorkItemID = d.ID, child.ID
	s.event(EventDelegationOpened, parent.ID, Delegated{DelegationID: d.ID, ChildAgentID: d.ChildAgentID,
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
