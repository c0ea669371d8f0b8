package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Step judges one command and returns the change or a refusal. It changes nothing itself, and equal arguments give equal
// results.
func Step(f Facts, at Stamp, c Command) (Change, error) {
	at.At = at.At.UTC()
	s := &step{overlay: newOverlay(f), at: at}
	if err := s.judge(c); err != nil {
		return Change{}, err
	}
	s.settleDelegations()
	s.noteProgress(c)
	s.receipt.Inverse = s.inverse(c)
	return Change{Writes: s.writes(), Events: s.events, NewPlans: s.plans, Receipt: s.receipt}, nil
}

// step is the judgement of one command: the facts, and the change so far. It sees its own writes.
type step struct {
	*overlay
	at      Stamp
	events  []event
	plans   []NewPlan
	receipt Receipt
	ids     int
	// batch: the command is one of a batch.
	batch bool
	// completed are the items that the command completed.
	completed []ItemID
	// handles are the handles given out in this command.
	handles map[Handle]bool
}

// newID returns a fresh id. The first id of a command is the stamp's ULID alone.
func (s *step) newID(prefix string) string {
	s.ids++
	id := prefix + s.at.NewID
	if s.ids > 1 {
		id += "-" + strconv.Itoa(s.ids)
	}
	return id
}

func (s *step) event(kind EventKind, item ItemID, data any) {
	s.events = append(s.events, event{Kind: kind, WorkItemID: item, Data: data})
}

func (s *step) warn(w ...Warning) { s.receipt.Warnings = append(s.receipt.Warnings, w...) }

func (s *step) warnf(kind WarningKind, format string, args ...any) {
	s.warn(Warning{Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// handleTaken reports whether an item has the handle. It includes those given out in this command, and remembers them.
func (s *step) handleTaken(h Handle) bool {
	if s.handles[h] || s.ItemOf(h) != "" {
		return true
	}
	if s.handles == nil {
		s.handles = map[Handle]bool{}
	}
	s.handles[h] = true
	return false
}

// itemOf loads the item that a command names. It refuses an item that does not exist, that belongs to somebody else, or that changed since
// its author read it.
func (s *step) itemOf(id ItemID, seen uint64) (WorkItem, error) {
	if id == "" {
		return WorkItem{}, Invalid("work_item_id is missing").At("work_item_id",
			"name the work item; ListWorkItems or vise list shows them")
	}
	w, ok := s.Item(id)
	if !ok {
		return WorkItem{}, notFound(id)
	}
	caller, isAgent := s.at.Actor.Agent()
	if isAgent && caller != w.AgentID || s.at.Agent != "" && s.at.Agent != w.AgentID {
		return WorkItem{}, Refuse(CodeNotOwner, "work item %s belongs to agent %s", w.Handle, w.AgentID).At("work_item_id",
			"act on an item of your own: ListWorkItems, or vise list")
	}
	if seen != 0 && (seen < w.Mutated || seen > w.Revision) {
		return WorkItem{}, s.stale(w, seen)
	}
	s.concerns(w)
	return w, nil
}

// concerns names w in the receipt.
func (s *step) concerns(w WorkItem) {
	s.receipt.AgentID, s.receipt.WorkItemID, s.receipt.ItemRevision = w.AgentID, w.ID, w.Revision
}

// stale is the refusal with the changes of w since the seen revision.
func (s *step) stale(w WorkItem, seen uint64) *Error {
	e := Refuse(CodeStale, "work item %s moved on: revision %d, you saw %d", w.Handle, w.Revision, seen).At("seen_revision")
	var what []string
	for _, x := range s.Entries(w.ID, staleEvents) {
		what = append(what, cut(x.Describe(), rowText).String())
	}
	return e.WithHint("look again, then decide; newest first: %s", strings.Join(what, "; "))
}

const staleEvents = 3

// openItem is itemOf for commands that make sense only while the item is open; verb names the act in the refusal.
func (s *step) openItem(id ItemID, seen uint64, verb string) (WorkItem, error) {
	w, err := s.itemOf(id, seen)
	if err == nil && w.State == Completed {
		return w, Refuse(CodeCompleted, "cannot %s completed work item %s", verb, w.Handle).At("work_item_id",
			"completion is final; create a new work item for what is left")
	}
	return w, err
}

// save writes w as its next revision. A change by an agent or the operator moves UpdatedAt; bookkeeping does not.
func (s *step) save(w WorkItem, mutation bool) WorkItem {
	w.Revision++
	if mutation {
		w.UpdatedAt, w.Mutated = s.at.At, w.Revision
		if w.Revision > 1 {
			w.PlanSeen = w.PlanArtifact.Hash
		}
	}
	s.put(w)
	s.concerns(w)
	return w
}

// agent loads the agent or creates it: an agent exists from its first act.
func (s *step) agent(id AgentID) (Agent, error) { return s.agentUnder("", id) }

// agentUnder is agent, except that a created agent works for parent.
func (s *step) agentUnder(parent, id AgentID) (Agent, error) {
	if !ValidID(string(id)) {
		return Agent{}, Invalid("agent id %q is not usable", Text(id)).At("agent_id",
			"use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit")
	}
	if a, ok := s.Agent(id); ok {
		return a, nil
	}
	a := Agent{ID: id, Posture: Awake, ParentAgentID: parent, CreatedAt: s.at.At, UpdatedAt: s.at.At}
	s.put(a)
	s.event(EventAgentAdded, "", agentAdded{AgentID: id, ParentAgentID: parent})
	return a, nil
}

// actingAgent is the agent that a command without an item is for.
func (s *step) actingAgent() AgentID {
	if id, ok := s.at.Actor.Agent(); ok {
		return id
	}
	return s.at.Agent
}

// releaseFocus clears the focus if w has it, in the change that makes w non-runnable (docs/lifecycle.md 5).
func (s *step) releaseFocus(w WorkItem, reason string) {
	a, ok := s.Agent(w.AgentID)
	if !ok || a.CurrentWorkItemID != w.ID {
		return
	}
	a.CurrentWorkItemID, a.UpdatedAt = "", s.at.At
	s.put(a)
	s.receipt.FocusReleased = true
	s.event(EventFocusReleased, w.ID, Released{Reason: reason, Readiness: schedulingIn(s, w).Readiness(), Revision: w.Revision})
}

// cancelWaits cancels waits and writes one event for all.
func (s *step) cancelWaits(item ItemID, waits []Wait, reason string) []WaitID {
	if len(waits) == 0 {
		return nil
	}
	s.tellUnseen(waits)
	ids := make([]WaitID, len(waits))
	for i, x := range waits {
		ids[i] = x.ID
		x.Status, x.CancelledAt, x.UpdatedAt, x.CancelReason = WaitCancelled, s.at.At, s.at.At, reason
		s.put(x)
	}
	s.receipt.CancelledWaits = append(s.receipt.CancelledWaits, ids...)
	s.event(EventWaitsCancelled, item, cancelled{WaitIDs: ids, Reason: reason})
	if s.at.Actor == Operator && reason != "work_item_completed" && reason != "undone" {
		s.tellWithdrawn(waits)
	}
	return ids
}

// tellWithdrawn tells an agent which questions the operator has ended without an answer.
func (s *step) tellWithdrawn(waits []Wait) {
	for _, x := range waits {
		if a, ok := s.Agent(x.AgentID); ok && x.asks() {
			s.queue(a, Message{WorkItemID: x.WorkItemID, WaitID: x.ID, Question: x.asked(), Source: "withdrawn", Priority: Next,
				Body: "The question was withdrawn; there is no answer to it."})
		}
	}
}

// trimmed is t without surrounding white space.
func trimmed(t Text) Text { return Text(strings.TrimSpace(string(t))) }

// required checks a text field: not empty, valid UTF-8, at most limit scalars.
func required(field string, t Text, limit int) (Text, error) {
	t = trimmed(t)
	if t == "" {
		return "", Invalid("%s must not be empty", field).At(field, "give %s some words", field)
	}
	return optional(field, t, limit)
}

// optional checks a text field that can be empty.
func optional(field string, t Text, limit int) (Text, error) {
	t = trimmed(t)
	if !utf8.ValidString(string(t)) {
		return "", Invalid("%s is not UTF-8 text", field).At(field, "send text in UTF-8")
	}
	if n := utf8.RuneCountInString(string(t)); n > limit {
		return "", Invalid("%s has %d characters, at most %d are kept", field, n, limit).At(field,
			"shorten it; details belong in plan.md")
	}
	return t, nil
}

// oneOf refuses a value that is none of those that a field can have.
func oneOf[V ~string](field string, v V, of ...V) error {
	if slices.Contains(of, v) {
		return nil
	}
	last := len(of) - 1
	return Invalid("unknown %s %q", Spaced(field), Text(v)).At(field, "use %s or %s", Join(of[:last], ", "), of[last])
}

func validPlanStatus(p PlanStatus) error { return oneOf("plan_status", p, Draft, Ready, NeedsInput) }

// validTodos checks a whole checklist and returns it trimmed. More than one todo in progress is only a warning.
func validTodos(list []Todo) ([]Todo, []Warning, error) {
	if len(list) > MaxTodos {
		return nil, nil, Invalid("todo_list has %d todos, at most %d are kept", len(list), MaxTodos).At("todo_list",
			"a checklist is short; scope belongs in plan.md")
	}
	out := make([]Todo, len(list))
	running := 0
	for i, t := range list {
		field := fmt.Sprintf("todo_list[%d]", i)
		text, err := required(field+".text", t.Text, MaxTodoText)
		if err != nil {
			return nil, nil, err
		}
		if err := validTodoState(field, t.State); err != nil {
			return nil, nil, err
		}
		if t.State == TodoInProgress {
			running++
		}
		out[i] = Todo{Text: text, State: t.State}
	}
	if running > 1 {
		return out, []Warning{{Kind: warnManyInProgress, Message: fmt.Sprintf("%d todos are in progress; normally one is", running)}}, nil
	}
	return out, nil, nil
}

func validTodoState(field string, s TodoState) error {
	switch s {
	case TodoPending, TodoInProgress, TodoCompleted:
		return nil
	}
	return Invalid("%s: unknown todo state %q", field, Text(s)).At("todo_list",
		`a todo is {"text":"…","state":"pending"}; its state is pending, in_progress or completed`)
}

// validDecisions checks a completion's decisions on linked todos. model/todo defines the valid decisions.
func validDecisions(d map[string]Text) error {
	if len(d) > MaxTodos {
		return Invalid("linked_todos has %d decisions, at most %d are kept", len(d), MaxTodos).At("linked_todos")
	}
	for ref, word := range d {
		if _, err := required("linked_todos["+Text(ref).String()+"]", word, MaxReason); err != nil {
			return err
		}
	}
	return nil
}

// Batch makes several changes of one agent's items in one transaction, all or none. A refusal names its item. A batch cannot
// complete items.
type Batch struct {
	Calls []Call `json:"calls"`
}

// MaxBatch is how many changes a batch can hold.
const MaxBatch = 200

func (c Batch) step(s *step) error {
	if len(c.Calls) == 0 || len(c.Calls) > MaxBatch {
		return Invalid("a batch holds 1 to %d changes, not %d", MaxBatch, len(c.Calls)).At("calls", "mark fewer items")
	}
	outer := s.receipt
	s.batch = true
	for i, call := range c.Calls {
		id, ok := batched(call.Command)
		if !ok {
			return Invalid("%s is not for batches", CommandName(call.Command)).At("calls", "do it to one item at a time")
		}
		s.receipt = Receipt{}
		if err := s.judge(call.Command); err != nil {
			return s.refusedIn(id, err)
		}
		if i > 0 && s.receipt.AgentID != outer.AgentID {
			return Invalid("a batch is of one agent's items").At("calls")
		}
		outer.AgentID, outer.FocusReleased = s.receipt.AgentID, outer.FocusReleased || s.receipt.FocusReleased
		outer.CancelledWaits = append(outer.CancelledWaits, s.receipt.CancelledWaits...)
		outer.Calls = append(outer.Calls, s.receipt)
	}
	s.receipt = outer
	return nil
}

// batched is the item of a command that a batch can hold.
func batched(c Command) (ItemID, bool) {
	switch c := c.(type) {
	case UpdateWorkItem:
		return c.WorkItemID, true
	case WaitFor:
		return c.WorkItemID, c.WorkItemID != ""
	case Acknowledge:
		return c.WorkItemID, true
	}
	return "", false
}

// refusedIn says that the batch changed nothing, and which item is the cause.
func (s *step) refusedIn(id ItemID, err error) error {
	if w, ok := s.Item(id); ok && !strings.Contains(err.Error(), string(w.Handle)) {
		err = within(err, string(w.Handle))
	}
	return within(err, "nothing was changed")
}
