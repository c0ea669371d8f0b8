package model

import (
	"fmt"
	"time"
)

// Advice is something worth a thought. It never changes anything (docs/lifecycle.md 18).
type Advice struct {
	Kind AdviceKind `json:"kind"`
	Text string     `json:"text"`
}

// AdviceKind is the stable name of an advice.
type AdviceKind string

// The kinds of advice.
const (
	AdviceManyRounds AdviceKind = "many_rounds_without_mutation"
	AdviceStaleTodo  AdviceKind = "stale_todo_in_progress"
	AdviceDraftPlan  AdviceKind = "draft_plan_with_completed_todos"
	AdviceNoWayBack  AdviceKind = "external_wait_has_weak_recoverability"
	AdviceForgotten  AdviceKind = "blocked_work_item_without_recheck_or_wait"
)

// When advice is due: after this many rounds, or this long, without a mutation of the item.
const (
	manyRounds = 12
	staleTodo  = 4 * time.Hour
)

// Advise looks at one open item.
func Advise(f Facts, w WorkItem, now time.Time) []Advice {
	if w.State == Completed {
		return nil
	}
	var out []Advice
	add := func(k AdviceKind, format string, args ...any) {
		out = append(out, Advice{k, fmt.Sprintf(format, args...)})
	}
	if n := roundsSince(f, w); n >= manyRounds {
		add(AdviceManyRounds, "%d rounds since the work item was last updated; say what changed, or complete it", n)
	}
	done, running, _ := w.TodoCounts()
	if idle := now.Sub(w.UpdatedAt); running > 0 && idle >= staleTodo {
		add(AdviceStaleTodo, "a todo is in progress and was not touched for %s", idle.Round(time.Minute))
	}
	if w.PlanStatus == Draft && done > 0 {
		add(AdviceDraftPlan, "todos are completed while the plan is still a draft")
	}
	return append(out, noWayBack(w, f.ItemWaits(w.AgentID, w.ID))...)
}

// roundsSince counts the rounds said about w since its last mutation.
func roundsSince(f Facts, w WorkItem) int {
	t, _ := f.Trace(w.AgentID, w.ID)
	n := 0
	for _, e := range t.Entries {
		if e.At.After(w.UpdatedAt) {
			n++
		}
	}
	return n
}

// noWayBack tells of items that nothing wakes if the event that they wait for stays away.
func noWayBack(w WorkItem, waits []Wait) []Advice {
	armed := !w.RecheckAt.IsZero() && w.RecheckConsumedAt.Before(w.RecheckAt)
	for _, x := range waits {
		if x.Kind == WaitTimer || x.Kind == WaitSystem || x.Triggered() {
			armed = true
		}
	}
	switch {
	case armed:
		return nil
	case len(waits) == 0 && w.BlockedBy != "":
		return []Advice{{AdviceForgotten, "it is blocked, and nothing reminds of it any more"}}
	}
	for _, x := range waits {
		if x.Kind == WaitExternal {
			return []Advice{{AdviceNoWayBack, "nothing wakes it if the event never comes; a recheck would"}}
		}
	}
	return nil
}
