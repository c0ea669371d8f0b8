package model

import "time"

// NotOffered says why a command makes no sense for the item that r shows, or "" when it
// does: what a frontend shows for a disabled action. Step judges; this only predicts.
func NotOffered(r Row, command string) string {
	name := string(r.Handle)
	done := r.Class == CompletedRecent
	switch {
	case command == "ReportWorkItem" && !done:
		return name + " is open; a report follows its completion"
	case command == "ReportWorkItem" && r.Reported:
		return name + " has its report already"
	case command == "ReportWorkItem":
		return ""
	case command == "DeclineReport" && !r.Offered():
		return name + " has no report to choose"
	case command == "DeclineReport":
		return ""
	case done:
		return name + " is completed, for good"
	case command == "PickWorkItem" && r.IsCurrent:
		return name + " is already current"
	case command == "Answer":
		return r.asksNothing()
	case command == "Trigger" && r.Wait.Kind == "":
		return name + " waits for nothing"
	}
	return ""
}

// asksNothing says why there is nothing to answer, or "" when there is.
func (r Row) asksNothing() string {
	switch {
	case r.NeedsOperator:
		return ""
	case r.Wait.Kind == WaitOperator:
		return string(r.Handle) + " has its answer; the agent decides what to do with it"
	}
	return string(r.Handle) + " asks nothing"
}

// Question is what an item asks the operator: the wait not answered yet, or only a plan
// that needs input.
type Question struct {
	// WaitID is the operator wait; empty when the plan alone needs input.
	WaitID WaitID
	Ask    Ask
	// Reason is what the wait waits for, in the asker's words.
	Reason Text
	// Since is when it was asked; zero where no wait says it.
	Since time.Time
	// PlanNeedsInput: the answer may also set the plan to ready.
	PlanNeedsInput bool
}

// Question is what the item asks; ok is false when it asks nothing.
func (v View) Question() (q Question, ok bool) {
	q.PlanNeedsInput = v.State == Open && v.PlanStatus == NeedsInput
	for _, x := range v.ActiveWaits {
		if x.Kind == WaitOperator && !x.Triggered() {
			q.WaitID, q.Ask, q.Reason, q.Since = x.ID, x.Ask, x.Reason, x.CreatedAt
			return q, true
		}
	}
	return q, q.PlanNeedsInput
}

// Outlook is what a pick would be, known before it is made.
type Outlook struct {
	// From is the focus that the pick leaves; nil when there is none.
	From *Row
	// AsksReason: runnable work is left, which should be said why.
	AsksReason bool
	// ReviewOnly: the item stays non-runnable; its blocker and waits are kept.
	ReviewOnly bool
}

// PickOutlook predicts a pick of target.
func (d Desk) PickOutlook(target Row) Outlook {
	return Outlook{
		From:       d.Current,
		AsksReason: d.Current != nil && d.Current.ID != target.ID && d.Current.Scheduling == Runnable,
		ReviewOnly: target.Scheduling != Runnable,
	}
}

// NextWithout is the candidate that the desk would offer if an item were out of the way:
// the current one, else the first triggered, else the first queued.
func (d Desk) NextWithout(id ItemID) (Row, bool) {
	if d.Current != nil && d.Current.ID != id && d.Current.Class == CurrentRunnable {
		return *d.Current, true
	}
	for _, class := range []Class{TriggeredBlocked, QueuedRunnable} {
		for _, s := range d.Sections {
			if s.Class != class {
				continue
			}
			for _, r := range s.Rows {
				if r.ID != id {
					return r, true
				}
			}
		}
	}
	return Row{}, false
}

// CanUnblock reports whether clearing the blocker would change anything.
func (r Row) CanUnblock() bool {
	return r.Class != CompletedRecent && (r.BlockedBy != "" || r.Wait.Kind != "")
}

// Unfinished warns of todos that completing the item would leave undone; nil without any.
func (v View) Unfinished() *Warning {
	w := unfinished(WorkItem{TodoList: v.TodoList})
	if len(w) == 0 {
		return nil
	}
	return &w[0]
}

// Next is the state that a todo is in after one more step; after the last it begins again.
func (s TodoState) Next() TodoState {
	switch s {
	case TodoPending:
		return TodoInProgress
	case TodoInProgress:
		return TodoCompleted
	}
	return TodoPending
}
