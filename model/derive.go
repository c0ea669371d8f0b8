package model

import (
	"slices"
	"time"
)

// Scheduling is an item's scheduling state: one function decides it (docs/lifecycle.md 2).
type Scheduling string

// The scheduling states.
const (
	Runnable        Scheduling = "runnable"
	WaitingTask     Scheduling = "waiting_task"
	WaitingOperator Scheduling = "waiting_operator"
	WaitingTimer    Scheduling = "waiting_timer"
	WaitingExternal Scheduling = "waiting_external"
	WaitingSystem   Scheduling = "waiting_system"
	Blocked         Scheduling = "blocked"
	ScheduledNever  Scheduling = "completed"
)

// Readiness is the reduced view of a scheduling state.
type Readiness string

// The readinesses.
const (
	ReadyToRun     Readiness = "runnable"
	ReadyOperator  Readiness = "waiting_for_operator"
	ReadyBlocked   Readiness = "blocked"
	ReadyCompleted Readiness = "completed"
)

// Readiness reduces a scheduling state.
func (s Scheduling) Readiness() Readiness {
	switch s {
	case Runnable:
		return ReadyToRun
	case WaitingOperator:
		return ReadyOperator
	case ScheduledNever:
		return ReadyCompleted
	}
	return ReadyBlocked
}

// Class is a candidate class, in which order work is offered.
type Class string

// The candidate classes (docs/lifecycle.md 10).
const (
	CurrentRunnable    Class = "current_runnable"
	TriggeredBlocked   Class = "triggered_blocked"
	QueuedRunnable     Class = "queued_runnable"
	WaitingForOperator Class = "waiting_for_operator"
	BlockedClass       Class = "blocked"
	CompletedRecent    Class = "completed_recent"
)

// ReportOffered is no candidate class: it gathers, apart from their class, the completed items
// whose report is offered and not chosen. Rows and ClassTally know it.
const ReportOffered Class = "report_offered"

// Classes is the order of the classes.
var Classes = []Class{CurrentRunnable, TriggeredBlocked, QueuedRunnable, WaitingForOperator, BlockedClass, CompletedRecent}

// Rank is a class's place in Classes.
func (c Class) Rank() int { return slices.Index(Classes, c) }

// Limit is how many items of a class are shown at first (docs/lifecycle.md 10).
func (c Class) Limit() int {
	switch c {
	case CurrentRunnable:
		return 1
	case QueuedRunnable:
		return 5
	}
	return 3
}

// Derived is everything about an item that follows from its record, its active waits and
// the focus. Nothing of it is stored as truth.
type Derived struct {
	Scheduling Scheduling
	Readiness  Readiness
	ReasonCode string
	Class      Class
	IsCurrent  bool
	// NeedsOperator: a plan that needs input, a question to the operator that nobody
	// answered yet, whatever outranks it in Scheduling, or a report that is only offered.
	NeedsOperator   bool
	LastTriggeredAt time.Time
	// Wait is the active wait that decides; nil without one.
	Wait        *Wait
	Diagnostics []string
}

// Derive tells what follows. waits are the item's active waits; current says that it is
// the focus.
func Derive(w WorkItem, waits []Wait, current bool) Derived {
	d := Derived{IsCurrent: current && w.State == Open, Wait: deciding(waits)}
	for _, x := range waits {
		if x.Triggered() && x.LastTriggeredAt.After(d.LastTriggeredAt) {
			d.LastTriggeredAt = x.LastTriggeredAt
		}
		d.NeedsOperator = d.NeedsOperator || x.Kind == WaitOperator && !x.Triggered()
	}
	d.NeedsOperator = w.State == Open && (d.NeedsOperator || w.PlanStatus == NeedsInput) || w.OffersReport()
	d.Scheduling, d.ReasonCode = scheduling(w, d.Wait)
	d.Readiness = d.Scheduling.Readiness()
	d.Class = class(w, d)
	d.Diagnostics = diagnose(w, waits)
	return d
}

// scheduling is the one precedence: completed, active wait, blocker, needs_input, runnable.
func scheduling(w WorkItem, wait *Wait) (Scheduling, string) {
	switch {
	case w.State == Completed:
		return ScheduledNever, "completed"
	case wait != nil:
		return Scheduling("waiting_" + wait.Kind), "active_" + string(wait.Kind) + "_wait"
	case w.BlockedBy != "":
		return Blocked, "manual_blocker"
	case w.PlanStatus == NeedsInput:
		return WaitingOperator, "plan_needs_input"
	}
	return Runnable, "runnable"
}

// class follows docs/lifecycle.md 10; a completed item is never a candidate.
func class(w WorkItem, d Derived) Class {
	switch {
	case w.State == Completed:
		return CompletedRecent
	case d.IsCurrent && d.Scheduling == Runnable:
		return CurrentRunnable
	case !d.LastTriggeredAt.IsZero() && w.BlockedBy != "":
		return TriggeredBlocked
	case d.Scheduling == Runnable:
		return QueuedRunnable
	case d.Scheduling == WaitingOperator:
		return WaitingForOperator
	}
	return BlockedClass
}

// deciding is the wait that outranks the others; among equals the oldest.
func deciding(waits []Wait) *Wait {
	var best *Wait
	for i := range waits {
		if best == nil || waitRank[waits[i].Kind] < waitRank[best.Kind] {
			best = &waits[i]
		}
	}
	return best
}

func diagnose(w WorkItem, waits []Wait) []string {
	var found []string
	if w.State == Completed && len(waits) > 0 {
		found = append(found, "completed_work_item_has_active_wait")
	}
	if len(waits) > 1 && slices.ContainsFunc(waits, func(x Wait) bool { return x.Kind != waits[0].Kind }) {
		found = append(found, "multiple_active_wait_kinds")
	}
	if w.State == Open && w.BlockedBy != "" && len(waits) == 0 && w.RecheckAt.IsZero() {
		found = append(found, "blocked_without_recheck_or_wait")
	}
	return found
}
