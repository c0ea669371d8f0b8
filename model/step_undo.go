package model

import (
	"cmp"
	"slices"
	"time"
)

// Undo undoes or redoes an act of the operator. It is a command of its own, judged and journalled like any other. It is refused
// if one of its items is not as the act left it; then no item changes. A completion has no Undo.
type Undo struct {
	// What names the act in words for the journal: "blocked wi-7f3k".
	What Text `json:"what"`
	// Again: the act is redone.
	Again bool       `json:"again,omitempty"`
	Items []restored `json:"items,omitempty"`
	// Focus is the move of the focus to undo; nil if there was none.
	Focus *refocus `json:"focus,omitempty"`
	// Seen are the acknowledgements that undo those of the act.
	Seen []Acknowledge `json:"seen,omitempty"`
	// Comment withdraws the act's comment, or makes it again.
	Comment *CommentOn `json:"comment,omitempty"`
	// Snooze ends the act's snooze, or makes it again.
	Snooze *Snooze `json:"snooze,omitempty"`
	// Answer withdraws the act's answer, or gives it again.
	Answer *withdrawal `json:"answer,omitempty"`
}

// restored is an item to restore.
type restored struct {
	WorkItemID ItemID `json:"work_item_id"`
	// Left is the item's state after the act, Back the state to restore.
	Left standing `json:"left"`
	Back standing `json:"back"`
}

// refocus moves the focus from Left back to Back; empty is no focus.
type refocus struct {
	Left ItemID `json:"left,omitempty"`
	Back ItemID `json:"back,omitempty"`
}

// standing is the part of an open item that an act of the operator can change and undo.
type standing struct {
	Objective         Text         `json:"objective"`
	PlanStatus        PlanStatus   `json:"plan_status"`
	Priority          ItemPriority `json:"priority,omitempty"`
	TodoList          []Todo       `json:"todo_list,omitempty"`
	BlockedBy         Text         `json:"blocked_by,omitempty"`
	BlockedByActor    Actor        `json:"blocked_by_actor,omitempty"`
	RecheckAt         time.Time    `json:"recheck_at,omitzero"`
	RecheckConsumedAt time.Time    `json:"recheck_consumed_at,omitzero"`
	// Waits are the active waits, with the trigger count of each.
	Waits []waitMark `json:"waits,omitempty"`
	// UpdatedAt decides the item's place in its class. Same ignores it.
	UpdatedAt time.Time `json:"updated_at,omitzero"`
}

// waitMark is a wait with its trigger count.
type waitMark struct {
	ID    WaitID `json:"id"`
	Count int    `json:"count,omitempty"`
}

// standingOf is the standing of an item.
func standingOf(f Facts, w WorkItem) standing {
	out := standing{Objective: w.Objective, PlanStatus: w.PlanStatus, Priority: w.Priority, TodoList: w.TodoList,
		BlockedBy: w.BlockedBy, BlockedByActor: w.BlockedByActor, RecheckAt: w.RecheckAt, RecheckConsumedAt: w.RecheckConsumedAt,
		UpdatedAt: w.UpdatedAt}
	for _, x := range f.ItemWaits(w.AgentID, w.ID) {
		out.Waits = append(out.Waits, waitMark{x.ID, x.TriggerCount})
	}
	return out
}

// Same reports whether no relevant field differs. A recheck that came due in between is bookkeeping.
func (a standing) Same(b standing) bool {
	return len(a.differs(b)) == 0 && slices.Equal(a.Waits, b.Waits)
}

// differs names the fields that differ from b, except the waits.
func (a standing) differs(b standing) []string {
	var out []string
	for _, f := range []struct {
		name   string
		differ bool
	}{
		{"objective", a.Objective != b.Objective}, {"plan_status", a.PlanStatus != b.PlanStatus}, {"priority", a.Priority != b.Priority},
		{"todo_list", !slices.Equal(a.TodoList, b.TodoList)}, {"blocked_by", a.BlockedBy != b.BlockedBy},
		{"recheck_at", !a.RecheckAt.Equal(b.RecheckAt)},
	} {
		if f.differ {
			out = append(out, f.name)
		}
	}
	return out
}

// Reversed is the command that undoes u.
func (u Undo) Reversed() Undo {
	out := Undo{What: u.What, Again: !u.Again}
	for _, r := range u.Items {
		out.Items = append(out.Items, restored{r.WorkItemID, r.Back, r.Left})
	}
	if u.Focus != nil {
		out.Focus = &refocus{u.Focus.Back, u.Focus.Left}
	}
	for _, x := range u.Seen {
		x.Withdraw = !x.Withdraw
		out.Seen = append(out.Seen, x)
	}
	return out
}

func (u Undo) step(s *step) error {
	what, err := required("what", u.What, MaxReason)
	if err != nil {
		return err
	}
	if u.Comment != nil {
		return u.Comment.step(s)
	}
	if u.Snooze != nil {
		return u.Snooze.step(s)
	}
	if u.Answer != nil && u.Again {
		return u.Answer.Answer.step(s)
	}
	if u.Answer != nil {
		return u.Answer.step(s, what)
	}
	if len(u.Items) == 0 && u.Focus == nil && len(u.Seen) == 0 {
		return Invalid("nothing to undo").At("items")
	}
	if err := u.acknowledge(s); err != nil {
		return err
	}
	for _, r := range u.Items {
		if err := s.restore(r, u.action(), what); err != nil {
			return err
		}
	}
	if u.Focus == nil {
		return nil
	}
	return s.refocus(*u.Focus, len(u.Items) == 0, Text(u.action())+": "+what)
}

func (u Undo) acknowledge(s *step) error {
	switch len(u.Seen) {
	case 0:
		return nil
	case 1:
		return u.Seen[0].step(s)
	}
	var all Batch
	for _, x := range u.Seen {
		all.Calls = append(all.Calls, Call{Command: x})
	}
	if err := all.step(s); err != nil {
		return err
	}
	if len(s.events) == 0 {
		return Refused("what was acknowledged needs nothing from you any more").At("items", "vise inbox lists what does")
	}
	return nil
}

func (u Undo) action() string {
	if u.Again {
		return "redone"
	}
	return "undone"
}

// restore puts an item back into its earlier state, if it is as the act left it.
func (s *step) restore(r restored, action string, what Text) error {
	w, err := s.openItem(r.WorkItemID, 0, "undo a change of")
	if err != nil {
		return err
	}
	left := standingOf(s, w)
	if !left.Same(r.Left) {
		return s.movedOn(w)
	}
	before, place := schedulingIn(s, w), w.UpdatedAt.Equal(r.Left.UpdatedAt)
	if w, err = r.Back.on(w); err != nil {
		return err
	}
	var gone []Wait
	for _, x := range s.ItemWaits(w.AgentID, w.ID) {
		if !slices.ContainsFunc(r.Back.Waits, func(m waitMark) bool { return m.ID == x.ID }) {
			gone = append(gone, x)
		}
	}
	w = s.save(w, true)
	if place && !r.Back.UpdatedAt.IsZero() { // its old place in its class, unless it was changed since
		w.UpdatedAt = r.Back.UpdatedAt
		s.put(w)
	}
	done := Written{Action: action, Revision: w.Revision, Changed: left.differs(r.Back), BlockedBy: w.BlockedBy, Undone: what}
	if left.PlanStatus != w.PlanStatus {
		done.PlanStatus = w.PlanStatus
	}
	s.event(EventWorkItemWritten, w.ID, done)
	s.cancelWaits(w.ID, gone, action)
	if err := s.awaken(w, r.Back.Waits); err != nil {
		return err
	}
	if before == Runnable && schedulingIn(s, w) != Runnable {
		s.releaseFocus(w, "work_item_"+action)
	}
	return nil
}

// movedOn refuses to undo an act after somebody else changed the item.
func (s *step) movedOn(w WorkItem) *Error {
	e := s.stale(w, w.Revision)
	e.Message = "work item " + string(w.Handle) + " moved on since: nothing was undone"
	e.Field = "items"
	return e
}

// on is w with the standing b, if that is valid.
func (b standing) on(w WorkItem) (WorkItem, error) {
	objective, noObjective := required("objective", b.Objective, MaxObjective)
	_, noPriority := validPriority(b.Priority)
	todos, _, noTodos := validTodos(b.TodoList)
	blocker, noBlocker := optional("blocked_by", b.BlockedBy, max(MaxBlocker, MaxWaitText))
	if err := cmp.Or(noObjective, validPlanStatus(b.PlanStatus), noPriority, noTodos, noBlocker); err != nil {
		return w, err
	}
	w.Objective, w.PlanStatus, w.Priority, w.TodoList = objective, b.PlanStatus, b.Priority, todos
	w.BlockedBy, w.BlockedByActor, w.RecheckAt, w.RecheckConsumedAt = blocker, b.BlockedByActor, b.RecheckAt, b.RecheckConsumedAt
	return w, nil
}

// awaken makes the waits active again that the act cancelled.
func (s *step) awaken(w WorkItem, waits []waitMark) error {
	for _, m := range waits {
		x, ok := s.Wait(m.ID)
		if !ok || x.WorkItemID != w.ID || x.AgentID != w.AgentID {
			return NotFound("unknown wait %s", Text(m.ID)).At("waits")
		}
		if x.Status == WaitActive {
			continue
		}
		x.Status, x.CancelledAt, x.CancelReason, x.UpdatedAt = WaitActive, time.Time{}, "", s.at.At
		s.put(x)
		s.registered(x, nil)
		if !x.Triggered() {
			s.wakeByEnded(x)
		}
	}
	return nil
}

// refocus undoes a move of the focus. A focus that has moved again stays; if nothing else is undone, that is a refusal.
func (s *step) refocus(f refocus, alone bool, reason Text) error {
	w, err := s.openItem(cmp.Or(f.Back, f.Left), 0, "give the focus back to")
	if err != nil {
		return err
	}
	a, err := s.agent(w.AgentID)
	if err != nil {
		return err
	}
	switch {
	case a.CurrentWorkItemID == f.Back:
		return nil
	case a.CurrentWorkItemID != f.Left && alone:
		return Refuse(CodeStale, "the focus of %s moved on since: nothing was undone", a.ID).At("focus",
			"pick what it should be on")
	case a.CurrentWorkItemID != f.Left:
		s.warnf(warnFocusMoved, "the focus is elsewhere by now and stays there")
		return nil
	case f.Back == "":
		s.releaseFocus(w, "work_item_undone")
		return nil
	}
	s.focus(a, w, s.transition(a, w, cut(reason, MaxReason)))
	return nil
}
