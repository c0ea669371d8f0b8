package model

import "time"

// step takes over records, all or none. Times, revisions and reports stay as they were;
// handles and plan files are made here.
func (c Import) step(s *step) error {
	a, err := s.agent(c.AgentID)
	if err != nil {
		return err
	}
	for _, in := range c.Items {
		if err := s.importItem(a, in); err != nil {
			return err
		}
	}
	for _, x := range c.Waits {
		if err := s.importWait(a, x); err != nil {
			return err
		}
	}
	if w, ok := s.Item(c.Focus); ok && a.CurrentWorkItemID == "" && w.State == Open && w.AgentID == a.ID {
		s.focus(a, w, s.transition(a, w, "imported"))
		s.receipt.Transition = nil
	}
	s.receipt.AgentID, s.receipt.WorkItemID = a.ID, ""
	return nil
}

func (s *step) importItem(a Agent, in Imported) error {
	w := in.Item
	if !ValidID(string(w.ID)) {
		return Refuse(CodeInvalid, "work item id %q is not usable", Text(w.ID)).At("id").WithHint("use 1 to 64 of a-z, 0-9, - and _")
	}
	if _, ok := s.Item(w.ID); ok {
		s.receipt.Skipped++
		return nil
	}
	var err error
	if w.Objective, err = required("objective", w.Objective, MaxObjective); err != nil {
		return within(err, "work item "+string(w.ID))
	}
	if w.State != Open && w.State != Completed {
		return within(Refuse(CodeInvalid, "unknown state %q", Text(w.State)).At("state").
			WithHint("use open or completed"), "work item "+string(w.ID))
	}
	if err := validPlanStatus(w.PlanStatus); err != nil {
		return within(err, "work item "+string(w.ID))
	}
	if w.TodoList, _, err = validTodos(w.TodoList); err != nil {
		return within(err, "work item "+string(w.ID))
	}
	w.AgentID = a.ID
	w.Revision = max(w.Revision, 1)
	w.Mutated = w.Revision
	w.Handle = newHandle(w.ID, s.handleTaken)
	w.PlanArtifact = NewPlanArtifact(a.ID, w.ID, []byte(in.Plan), s.at.At)
	w.CreatedAt, w.UpdatedAt = orNow(w.CreatedAt, s.at.At), orNow(w.UpdatedAt, s.at.At)
	s.plans = append(s.plans, NewPlan{AgentID: a.ID, ItemID: w.ID, Seed: in.Plan})
	if w.State == Completed {
		w = s.importCompleted(w)
	}
	s.put(w)
	s.event(EventWorkItemWritten, w.ID, Written{Action: "imported", Revision: w.Revision})
	s.receipt.Imported++
	return nil
}

// importCompleted gives a completed item's report the brief and delivery that it has here.
func (s *step) importCompleted(w WorkItem) WorkItem {
	w = unblocked(w)
	if w.ResultSummary = trimmed(w.ResultSummary); w.ResultSummary != "" {
		s.put(Brief{ID: BriefID(s.newID("br-")), AgentID: w.AgentID, WorkItemID: w.ID, BriefKind: "result", Text: w.ResultSummary,
			Provenance: ReportImported, CreatedAt: w.UpdatedAt})
		s.put(Delivery{ID: DeliveryID(s.newID("dl-")), AgentID: w.AgentID, WorkItemID: w.ID, Text: w.ResultSummary,
			Provenance: ReportImported, CreatedAt: w.UpdatedAt})
	}
	return w
}

func (s *step) importWait(a Agent, x Wait) error {
	if !ValidID(string(x.ID)) {
		return Refuse(CodeInvalid, "wait id %q is not usable", Text(x.ID)).At("id")
	}
	w, ok := s.Item(x.WorkItemID)
	if _, known := s.Wait(x.ID); known || x.WorkItemID != "" && (!ok || w.AgentID != a.ID || w.State == Completed) {
		s.receipt.Skipped++
		return nil
	}
	if _, ok := waitRank[x.Kind]; !ok {
		return Refuse(CodeInvalid, "wait %s: unknown kind %q", x.ID, Text(x.Kind)).At("kind")
	}
	x.AgentID = a.ID
	x.CreatedAt, x.UpdatedAt = orNow(x.CreatedAt, s.at.At), orNow(x.UpdatedAt, s.at.At)
	s.put(x)
	return nil
}

func orNow(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t.UTC()
}
