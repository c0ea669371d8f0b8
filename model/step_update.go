package model

import (
	"slices"
	"time"
)

// DefaultRecheck is when a blocker without a deadline of its own is due for a second look
// (docs/lifecycle.md 11).
const DefaultRecheck = time.Hour

// maxRecheck keeps a deadline a date that can be written.
const maxRecheck = 10 * 365 * 24 * time.Hour

func (c UpdateWorkItem) step(s *step) error {
	w, err := s.open(c.WorkItemID, c.SeenRevision, "update")
	if err != nil {
		return err
	}
	u := update{step: s, before: w, w: w, action: "updated"}
	for _, part := range []func(UpdateWorkItem) error{u.objective, u.planStatus, u.todoList, u.blocker} {
		if err := part(c); err != nil {
			return err
		}
	}
	u.finish()
	return nil
}

// update is an UpdateWorkItem under way.
type update struct {
	*step
	before, w WorkItem
	action    string
	changed   []string
	// release is why the focus goes, if it goes.
	release   string
	unblocked bool
}

func (u *update) objective(c UpdateWorkItem) error {
	if c.Objective == nil {
		return nil
	}
	t, err := required("objective", *c.Objective, MaxObjective)
	u.set("objective", t != u.w.Objective)
	u.w.Objective = t
	return err
}

func (u *update) planStatus(c UpdateWorkItem) error {
	if c.PlanStatus == nil {
		return nil
	}
	if *c.PlanStatus == NeedsInput {
		u.release = "work_item_needs_input"
	}
	u.set("plan_status", *c.PlanStatus != u.w.PlanStatus)
	u.w.PlanStatus = *c.PlanStatus
	return validPlanStatus(*c.PlanStatus)
}

func (u *update) todoList(c UpdateWorkItem) error {
	if c.TodoList == nil {
		return nil
	}
	todos, warnings, err := validTodos(*c.TodoList)
	u.warn(warnings...)
	u.set("todo_list", !slices.Equal(todos, u.w.TodoList))
	u.w.TodoList = todos
	return err
}

func (u *update) blocker(c UpdateWorkItem) error {
	after, err := recheckAfter(c.RecheckAfterMS)
	if err != nil {
		return err
	}
	if c.BlockedBy.null {
		u.unblock()
	}
	if !c.BlockedBy.given || c.BlockedBy.null {
		if c.RecheckAfterMS != nil && !c.BlockedBy.given && u.w.BlockedBy != "" {
			u.rearm(after)
			return nil
		}
		if c.RecheckAfterMS != nil {
			return Refuse(CodeInvalid, "recheck_after_ms needs blocked_by").At("recheck_after_ms").WithHint("say what blocks it, or leave the recheck out")
		}
		return nil
	}
	text, err := required("blocked_by", c.BlockedBy.text, MaxBlocker)
	if err != nil {
		return err.(*Error).WithHint("say what blocks it; null clears the blocker")
	}
	u.action, u.release = "blocked", "work_item_blocked"
	if text == u.w.BlockedBy && c.RecheckAfterMS == nil {
		return nil
	}
	u.set("blocked_by", text != u.w.BlockedBy)
	if after == 0 {
		after = DefaultRecheck
	}
	u.w.BlockedBy = text
	u.rearm(after)
	return nil
}

// rearm sets when a blocker is due for a second look.
func (u *update) rearm(after time.Duration) {
	u.w.RecheckAt, u.w.RecheckConsumedAt = u.at.At.Add(after), time.Time{}
	u.set("recheck_at", true)
}

// unblock clears the blocker; finish cancels what the item waited for: unblocked means
// runnable.
func (u *update) unblock() {
	u.action, u.unblocked = "unblocked", true
	u.set("blocked_by", u.w.BlockedBy != "")
	u.w = unblocked(u.w)
}

func unblocked(w WorkItem) WorkItem {
	w.BlockedBy, w.RecheckAt, w.RecheckConsumedAt = "", time.Time{}, time.Time{}
	return w
}

func (u *update) set(field string, differs bool) {
	if differs {
		u.changed = append(u.changed, field)
	}
}

// finish writes what differs. An update that changes nothing leaves no trace.
func (u *update) finish() {
	var waits []Wait
	if u.unblocked {
		waits = u.ItemWaits(u.w.AgentID, u.w.ID)
	}
	if len(u.changed) > 0 || len(waits) > 0 {
		u.w = u.save(u.w, true)
		e := Written{Action: u.action, Revision: u.w.Revision, Changed: u.changed, BlockedBy: u.w.BlockedBy}
		if u.w.Objective != u.before.Objective {
			e.PreviousObjective = u.before.Objective
		}
		u.event(EventWorkItemWritten, u.w.ID, e)
	}
	u.cancelWaits(u.w.ID, waits, "blocker_cleared")
	if u.release != "" {
		u.releaseFocus(u.w, u.release)
	}
}

// recheckAfter reads a deadline in milliseconds; nil is 0.
func recheckAfter(ms *int64) (time.Duration, error) {
	if ms == nil {
		return 0, nil
	}
	if *ms < 1 || *ms > maxRecheck.Milliseconds() {
		return 0, Refuse(CodeInvalid, "recheck_after_ms must be between 1 and %d", maxRecheck.Milliseconds()).At("recheck_after_ms").
			WithHint("give the delay in milliseconds")
	}
	return time.Duration(*ms) * time.Millisecond, nil
}
