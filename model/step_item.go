package model

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// defaultRecheck is after what time a blocker without a recheck of its own is due for a second look (docs/lifecycle.md 11).
const defaultRecheck = time.Hour

// maxRecheck keeps the due time a date that can be written.
const maxRecheck = 10 * 365 * 24 * time.Hour

func (c UpdateWorkItem) step(s *step) error {
	w, err := s.openItem(c.WorkItemID, c.SeenRevision, "update")
	if err != nil {
		return err
	}
	if c.Objective == nil && c.PlanStatus == nil && c.TodoList == nil && c.Priority == nil &&
		c.RecheckAfterMS == nil && !c.BlockedBy.given {
		return Invalid("nothing to update").WithHint("give what is to change: objective, plan_status, todo_list or blocked_by")
	}
	u := update{step: s, before: w, w: w, action: "updated"}
	for _, part := range []func(UpdateWorkItem) error{u.objective, u.planStatus, u.todoList, u.priority, u.blocker} {
		if err := part(c); err != nil {
			return err
		}
	}
	u.finish()
	return nil
}

// update is the work on one UpdateWorkItem.
type update struct {
	*step
	before, w WorkItem
	action    string
	changed   []string
	// release is the reason for releasing the focus; empty keeps it.
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

func (u *update) priority(c UpdateWorkItem) error {
	if c.Priority == nil {
		return nil
	}
	p, err := validPriority(*c.Priority)
	u.set("priority", p != u.w.Priority)
	u.w.Priority = p
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
	if c.BlockedBy.given {
		if err := u.mayClear(u.w); err != nil {
			return err
		}
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
			return Invalid("recheck_after_ms needs blocked_by").At("recheck_after_ms",
				"say what blocks it, or leave the recheck out")
		}
		return nil
	}
	text, err := required("blocked_by", c.BlockedBy.text, MaxBlocker)
	if err != nil && trimmed(c.BlockedBy.text) == "" {
		return err.(*Error).WithHint("say what blocks it; null clears the blocker")
	}
	if err != nil {
		return err
	}
	u.action, u.release = "blocked", "work_item_blocked"
	if text == u.w.BlockedBy && c.RecheckAfterMS == nil {
		return nil
	}
	u.set("blocked_by", text != u.w.BlockedBy)
	u.w.BlockedBy, u.w.BlockedByActor = text, u.at.Actor
	u.rearm(cmp.Or(after, defaultRecheck))
	return nil
}

// rearm sets the time of the blocker's second look.
func (u *update) rearm(after time.Duration) {
	u.w.RecheckAt, u.w.RecheckConsumedAt = u.at.At.Add(after), time.Time{}
	u.set("recheck_at", true)
}

// unblock clears the blocker. finish then cancels the item's waits, because unblocked means runnable.
func (u *update) unblock() {
	u.action, u.unblocked = "unblocked", true
	u.set("blocked_by", u.w.BlockedBy != "")
	u.w = unblocked(u.w)
}

func unblocked(w WorkItem) WorkItem {
	w.BlockedBy, w.BlockedByActor, w.RecheckAt, w.RecheckConsumedAt = "", "", time.Time{}, time.Time{}
	return w
}

func (u *update) set(field string, differs bool) {
	if differs {
		u.changed = append(u.changed, field)
	}
}

// finish writes the differences. An update that changes nothing leaves no trace.
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
		if slices.Contains(u.changed, "plan_status") {
			e.PlanStatus = u.w.PlanStatus
		}
		if slices.Contains(u.changed, "todo_list") {
			e.Todo = new(todoGist(u.w))
		}
		u.event(EventWorkItemWritten, u.w.ID, e)
	}
	u.cancelWaits(u.w.ID, waits, "blocker_cleared")
	if u.release != "" {
		u.releaseFocus(u.w, u.release)
	}
	if u.unblocked {
		u.stillNeedsInput(u.w)
	}
}

// stillNeedsInput warns that the plan needs input although the blocker is cleared.
func (s *step) stillNeedsInput(w WorkItem) {
	if w.PlanStatus == NeedsInput {
		s.warnf(warnNeedsInput, "its plan still needs input: answer it with --plan-ready, or set the plan status")
	}
}

// recheckAfter converts a time span in milliseconds; nil is 0.
func recheckAfter(ms *int64) (time.Duration, error) {
	if ms == nil {
		return 0, nil
	}
	if *ms < 1 || *ms > maxRecheck.Milliseconds() {
		return 0, Invalid("recheck_after_ms must be between 1 and %d", maxRecheck.Milliseconds()).At("recheck_after_ms",
			"give the delay in milliseconds")
	}
	return time.Duration(*ms) * time.Millisecond, nil
}

func (c CreateWorkItem) step(s *step) error {
	status := cmp.Or(c.PlanStatus, Draft)
	objective, noObjective := required("objective", c.Objective, MaxObjective)
	todos, warnings, noTodos := validTodos(c.TodoList)
	priority, noPriority := validPriority(c.Priority)
	if err := cmp.Or(noObjective, noTodos, validPlanStatus(status), noPriority); err != nil {
		return err
	}
	if len(c.Plan) > MaxPlanBytes {
		return Invalid("plan has %d bytes, at most %d are kept", len(c.Plan), MaxPlanBytes).At("plan",
			"write the plan file itself")
	}
	agent, err := s.agentOfCreate()
	if err != nil {
		return err
	}
	w := WorkItem{ID: ItemID(s.newID("wi-")), AgentID: agent.ID, Objective: objective, State: Open, PlanStatus: status, TodoList: todos,
		Priority: priority}
	s.warn(warnings...)
	w = s.born(w, c.Plan, s.at.At)
	s.serve(w)
	s.event(EventWorkItemWritten, w.ID, Written{Action: "created", Revision: w.Revision, PlanStatus: noDraft(status)})
	return nil
}

// noDraft is the plan status in the event of a new item; empty for a draft.
func noDraft(p PlanStatus) PlanStatus {
	if p == Draft {
		return ""
	}
	return p
}

// agentOfCreate is the agent that gets a new item. An unknown agent is created, with a warning against a mistyped name.
func (s *step) agentOfCreate() (Agent, error) {
	id := s.actingAgent()
	if id == "" {
		return Agent{}, Invalid("no agent named for the new work item").At("agent_id", "name one: --agent")
	}
	if caller, isAgent := s.at.Actor.Agent(); isAgent && s.at.Agent != "" && s.at.Agent != caller {
		return Agent{}, Refuse(CodeNotOwner, "agent %s makes no work items for agent %s", caller, Text(s.at.Agent)).At("agent_id",
			"have it done by a delegation: vise delegate")
	}
	_, known := s.Agent(id)
	a, err := s.agent(id)
	if err == nil && !known {
		s.warnAdded(a.ID)
	}
	return a, err
}

func (s *step) warnAdded(id AgentID) {
	s.warnf(warnAgentAdded, "agent %s was not known before; it is now", id)
}

// born writes a new item's first revision, with its handle and plan file.
func (s *step) born(w WorkItem, plan Text, planned time.Time) WorkItem {
	w.Handle = newHandle(w.ID, s.handleTaken)
	w.PlanArtifact = NewPlanArtifact(w.AgentID, w.ID, []byte(plan), planned)
	w.CreatedAt, w.UpdatedAt = s.at.At, s.at.At
	s.plans = append(s.plans, NewPlan{AgentID: w.AgentID, ItemID: w.ID, Seed: plan})
	return s.save(w, true)
}

func (c AddAgent) step(s *step) error {
	a, err := s.agent(c.AgentID)
	s.receipt.AgentID = a.ID
	return err
}

func (c UpdateAgent) step(s *step) error {
	a, err := s.agentFor(c.AgentID, "change")
	if err != nil {
		return err
	}
	before := a
	if c.AutoPick != nil {
		a.AutoPick = *c.AutoPick
	}
	if c.Posture != nil {
		if err := oneOf("posture", *c.Posture, Awake, asleep, Stopped); err != nil {
			return err
		}
		a.Posture = *c.Posture
	}
	if c.MaxQuietTurnsPerHour != nil || c.MaxTurnsPerHour != nil || c.MaxCostPerDay != nil || c.MaxTokensPerDay != nil {
		if err := s.may(onlyLimits); err != nil {
			return err
		}
	}
	if a.Limits, err = a.Limits.changed(c); err != nil {
		return err
	}
	if c.Evidence != nil || c.CheckCommand != nil {
		if err := s.may(onlyEvidence); err != nil {
			return err
		}
	}
	if a.Evidence, err = a.Evidence.changed(c); err != nil {
		return err
	}
	if a.AutoPick == before.AutoPick && a.Posture == before.Posture && a.Limits == before.Limits && a.Evidence == before.Evidence {
		return nil
	}
	a.UpdatedAt = s.at.At
	s.put(a)
	s.event(EventAgentUpdated, "", agentNews{AgentID: a.ID, AutoPick: a.AutoPick, Posture: a.Posture, Limits: a.Limits,
		Evidence: a.Evidence})
	return nil
}

// step keeps the file's present description. Equal content is no news, whatever its mtime. It is bookkeeping: UpdatedAt stays.
// A completed item's descriptor stays unchanged.
func (c RefreshPlan) step(s *step) error {
	w, err := s.itemOf(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	p := c.Plan.described(w)
	if w.State == Completed || SamePlan(p, w.PlanArtifact) {
		return nil
	}
	before := w.PlanArtifact
	w.PlanArtifact, w.PlanAwaited = p, nil
	s.planRefreshed(s.save(w, false), before, "")
	return nil
}

// linesMoved counts the lines that occur more often in a plan than before, and less often. It counts none if a preview is not
// complete.
func linesMoved(before, after PlanArtifact) (added, removed int) {
	if !before.PreviewComplete || !after.PreviewComplete {
		return 0, 0
	}
	more := map[string]int{}
	for line := range strings.Lines(after.Preview.Raw()) {
		more[strings.TrimSuffix(line, "\n")]++
	}
	for line := range strings.Lines(before.Preview.Raw()) {
		more[strings.TrimSuffix(line, "\n")]--
	}
	for _, n := range more {
		added, removed = added+max(n, 0), removed+max(-n, 0)
	}
	return added, removed
}

// step keeps the derived states of rows whose text is unchanged. It is bookkeeping: UpdatedAt stays. A completed item's list
// stays unchanged.
func (c RefreshTodos) step(s *step) error {
	w, err := s.itemOf(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	if w.State == Completed {
		return nil
	}
	list := slices.Clone(w.TodoList)
	var changed []Todo
	for _, r := range c.Rows {
		if err := validTodoState("rows", r.State); err != nil {
			return err
		}
		if r.At < 0 || r.At >= len(list) || list[r.At].Text != r.Text || list[r.At].State == r.State {
			continue
		}
		list[r.At].State = r.State
		changed = append(changed, list[r.At])
	}
	if len(changed) == 0 {
		return nil
	}
	w.TodoList = list
	w = s.save(w, false)
	s.event(EventTodosRefreshed, w.ID, todosRefreshed{Revision: w.Revision, Rows: changed})
	return nil
}
