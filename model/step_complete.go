package model

import "fmt"

// sampleTodos bounds the unfinished todos that a warning shows.
const sampleTodos = 5

func (c CompleteWorkItem) step(s *step) error {
	w, err := s.own(c.WorkItemID, c.SeenRevision)
	if err != nil {
		return err
	}
	if err := validDecisions(c.LinkedTodos); err != nil {
		return err
	}
	warnings := unfinished(w)
	s.warn(warnings...)
	if w.State == Completed {
		return nil
	}
	forced, err := s.mayComplete(w, c.Force)
	if err != nil {
		return err
	}
	waits := s.ItemWaits(w.AgentID, w.ID)
	w = unblocked(w)
	w.State = Completed
	w = s.save(w, true)
	s.receipt.CompletedTransition = true
	s.cancelWaits(w.ID, waits, "work_item_completed")
	s.releaseFocus(w, "work_item_completed")
	done := completion(w, warnings, forced)
	done.LinkedTodos = c.LinkedTodos
	s.event(EventWorkItemWritten, w.ID, done)
	s.completed = append(s.completed, w.ID)
	return nil
}

// mayComplete refuses while clearly unfinished blocking execution remains
// (docs/lifecycle.md 8); the operator may force.
func (s *step) mayComplete(w WorkItem, force bool) (forced bool, err error) {
	if force && s.at.Actor != Operator {
		return false, Refuse(CodeRefused, "only the operator may force a completion").At("force").WithHint("end the blocking work first")
	}
	what := ""
	if tasks := s.BlockingTasks(w.AgentID, w.ID); len(tasks) > 0 {
		what = "task " + string(tasks[0].ID)
	}
	for _, d := range s.Delegations(w.AgentID, w.ID) {
		if d.Blocking {
			what = "delegation " + string(d.ID)
		}
	}
	if what == "" {
		return false, nil
	}
	if !force {
		return false, Refuse(CodeUnfinishedExecution, "work item %s has blocking work that still runs: %s", w.Handle, Text(what)).
			WithHint("wait for it, or stop it; the operator may force")
	}
	return true, nil
}

func completion(w WorkItem, warnings []Warning, forced bool) Written {
	e := Written{Action: "completed", Revision: w.Revision, Warnings: warnings, WarningCount: len(warnings), Forced: forced}
	done, running, total := w.TodoCounts()
	e.UnfinishedTodos, e.InProgressTodos = total-done, running
	e.PendingTodos = e.UnfinishedTodos - running
	e.WithUnfinishedTodos = e.UnfinishedTodos > 0
	return e
}

// unfinished warns of todos that are not completed (docs/lifecycle.md 8).
func unfinished(w WorkItem) []Warning {
	done, running, total := w.TodoCounts()
	if done == total {
		return nil
	}
	u := Warning{
		Kind: WarnUnfinishedTodos, PendingCount: total - done - running, InProgressCount: running,
		Message: fmt.Sprintf("%d of %d todos are unfinished", total-done, total),
	}
	for _, t := range w.TodoList {
		if t.State != TodoCompleted && len(u.Sample) < sampleTodos {
			u.Sample = append(u.Sample, t)
		}
	}
	return []Warning{u}
}

// settleDelegations closes the delegations that the completed items serve: by their
// record, whatever the parent's focus is (docs/lifecycle.md 15).
func (s *step) settleDelegations() {
	for _, id := range s.completed {
		w, _ := s.Item(id)
		for _, d := range s.ParentsOf(id) {
			d.State, d.ResultSummary, d.UpdatedAt = DelegationCompleted, w.ResultSummary, s.at.At
			s.put(d)
			s.event(EventDelegationCompleted, d.ParentWorkItemID, Delegated{
				DelegationID: d.ID, ChildAgentID: d.ChildAgentID, ChildWorkItemID: d.ChildWorkItemID, ResultSummary: d.ResultSummary,
			})
			s.wake(s.WaitsOn(d.ParentAgentID, WaitTask, Text(d.ID)), Provenance{
				Actor: s.at.Actor, Source: "delegation", Payload: cut(w.ResultSummary, previewReport),
			})
		}
	}
}
