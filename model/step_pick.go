package model

func (c PickWorkItem) step(s *step) error {
	w, err := s.open(c.WorkItemID, c.SeenRevision, "pick")
	if err != nil {
		return err
	}
	reason, err := optional("reason", c.Reason, MaxReason)
	if err != nil {
		return err
	}
	if c.ClearBlocker && reason == "" {
		return Refuse(CodeInvalid, "clear_blocker needs a reason").At("reason").
			WithHint("say why the blocker is gone; picking for inspection needs no clear_blocker")
	}
	a, err := s.agent(w.AgentID)
	if err != nil {
		return err
	}
	if err := s.mayAutoPick(a, w); err != nil {
		return err
	}
	t := s.transition(a, w, reason)
	if c.ClearBlocker {
		w = s.clearBlocker(w, &t)
	}
	s.focus(a, w, t)
	return nil
}

// mayAutoPick holds the scheduler to docs/lifecycle.md 7: only where it is allowed, only a
// runnable item, never away from a focus.
func (s *step) mayAutoPick(a Agent, w WorkItem) error {
	if s.at.Actor != Scheduler {
		return nil
	}
	_, focused := Focus(s, a.ID)
	if a.AutoPick && !focused && Derive(w, s.ItemWaits(w.AgentID, w.ID), false).Scheduling == Runnable {
		return nil
	}
	return Refuse(CodeRefused, "the scheduler may not pick %s for agent %s", w.Handle, a.ID).WithHint("the agent or the operator picks")
}

func (s *step) transition(a Agent, w WorkItem, reason Text) Transition {
	t := Transition{CurrentWorkItemID: w.ID, Reason: reason, SwitchKind: SwitchPick, Warnings: []Warning{}}
	prev, ok := Focus(s, a.ID)
	if ok {
		t.PreviousWorkItemID = prev.ID
		t.PreviousReadiness = Derive(prev, s.ItemWaits(prev.AgentID, prev.ID), true).Readiness
	}
	switch {
	case ok && prev.ID == w.ID:
		t.SwitchKind = SwitchSame
	case t.PreviousReadiness == ReadyToRun:
		t.SwitchKind = SwitchOverride
	case s.at.Actor == Scheduler:
		t.SwitchKind = SwitchAutoPick
	}
	return t
}

// clearBlocker makes w free to run: its blocker goes, and with it what it waited for.
func (s *step) clearBlocker(w WorkItem, t *Transition) WorkItem {
	waits := s.ItemWaits(w.AgentID, w.ID)
	if w.BlockedBy == "" && len(waits) == 0 {
		return w
	}
	w = s.save(unblocked(w), true)
	t.BlockerCleared = true
	t.CancelledWaits = s.cancelWaits(w.ID, waits, "pick_work_item_clear_blocker")
	s.event(EventWorkItemWritten, w.ID, Written{Action: "unblocked", Revision: w.Revision, Changed: []string{"blocked_by"}})
	return w
}

// focus moves the focus to w. Leaving runnable work asks for a reason; a missing one is a
// warning (docs/lifecycle.md 6).
func (s *step) focus(a Agent, w WorkItem, t Transition) {
	t.CurrentReadiness, t.FocusMode = ReadyToRun, FocusRunnable
	if d := Derive(w, s.ItemWaits(w.AgentID, w.ID), true); d.Scheduling != Runnable {
		t.CurrentReadiness, t.FocusMode = d.Readiness, FocusInspection
	}
	required := t.SwitchKind == SwitchOverride
	missing := required && t.Reason == ""
	if missing {
		t.Warnings = []Warning{{Kind: WarnMissingPickReason, Message: "left runnable work without a reason; say why next time"}}
		s.warn(t.Warnings...)
	}
	if a.CurrentWorkItemID != w.ID {
		a.CurrentWorkItemID, a.UpdatedAt = w.ID, s.at.At
		s.put(a)
	}
	s.event(EventWorkItemPicked, w.ID, Picked{Transition: t, ReasonRequired: required, ReasonMissing: missing})
	s.receipt.Transition = &t
}
