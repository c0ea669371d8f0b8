package model

import (
	"encoding/json"
	"time"
)

// EventKind names an event of the journal, by its stable name.
type EventKind string

// The kinds of events.
const (
	EventAgentAdded          EventKind = "agent_added"
	EventAgentRemoved        EventKind = "agent_removed"
	EventAgentUpdated        EventKind = "agent_updated"
	EventWorkItemWritten     EventKind = "work_item_written"
	EventWorkItemPicked      EventKind = "work_item_picked"
	EventFocusReleased       EventKind = "work_item_focus_released"
	EventPlanRefreshed       EventKind = "work_item_plan_artifact_refreshed"
	EventPlanTaken           EventKind = "work_item_plan_edit_taken"
	EventTodosRefreshed      EventKind = "work_item_todos_refreshed"
	eventLinksChanged        EventKind = "work_item_links_changed"
	EventCommented           EventKind = "work_item_commented"
	EventChecked             EventKind = "work_item_checked"
	EventOverlapNoted        EventKind = "work_item_overlap_noted"
	EventWaitRegistered      EventKind = "wait_condition_registered"
	EventWaitsCancelled      EventKind = "wait_conditions_cancelled"
	EventWaitTriggered       EventKind = "wait_condition_triggered"
	EventWaitChecked         EventKind = "wait_condition_checked"
	EventAwaited             EventKind = "work_item_awaited"
	EventCompletionWarning   EventKind = "work_item_completion_warning"
	EventReportPromoted      EventKind = "work_item_completion_report_promoted"
	EventReportOffered       EventKind = "work_item_completion_report_offered"
	EventReportDeclined      EventKind = "work_item_completion_report_declined"
	EventBriefSuppressed     EventKind = "turn_terminal_brief_suppressed"
	EventPermissionAsked     EventKind = "permission_asked"
	EventPermissionAnswered  EventKind = "permission_answered"
	EventPermissionEnded     EventKind = "permission_ended"
	EventTaskStarted         EventKind = "task_started"
	EventTaskEnded           EventKind = "task_ended"
	EventMessageQueued       EventKind = "message_queued"
	EventMessagesSent        EventKind = "messages_sent"
	EventMessagesSeen        EventKind = "messages_seen"
	EventMessagesRequeued    EventKind = "messages_requeued"
	EventOperatorAnswered    EventKind = "operator_answered"
	EventOperatorNotified    EventKind = "operator_notified"
	EventTurnStarted         EventKind = "turn_started"
	EventTurnEnded           EventKind = "turn_ended"
	EventRound               EventKind = "assistant_round"
	EventTickEmitted         EventKind = "system_tick_emitted"
	EventRecheckConsumed     EventKind = "work_item_recheck_consumed"
	EventStalled             EventKind = "work_item_stalled"
	EventRetried             EventKind = "retry_requested"
	EventUsageLimit          EventKind = "usage_limit_told"
	EventSnoozed             EventKind = "work_item_snoozed"
	EventAcknowledged        EventKind = "work_item_acknowledged"
	eventIngressMinted       EventKind = "external_trigger_created"
	eventIngressRevoked      EventKind = "external_trigger_revoked"
	EventIngressDelivered    EventKind = "callback_delivered"
	EventDelegationOpened    EventKind = "work_item_delegation_opened"
	EventDelegationCompleted EventKind = "work_item_delegation_completed"
	EventDelegationReported  EventKind = "work_item_delegation_reported"
	EventDelegationCancelled EventKind = "work_item_delegation_cancelled"
)

// event is one thing that a Change did.
type event struct {
	Kind       EventKind
	WorkItemID ItemID
	// Data is the rest of the event; it marshals to a JSON object.
	Data any
}

// Entry is an event as the journal keeps it.
type Entry struct {
	// Revision is the ledger's revision of the change; N is the event's place in that change.
	Revision uint64    `json:"revision"`
	N        int       `json:"n"`
	At       time.Time `json:"at"`
	AgentID  AgentID   `json:"agent_id"`
	// Seq counts the agent's events without a gap.
	Seq        uint64          `json:"seq"`
	Actor      Actor           `json:"actor"`
	Kind       EventKind       `json:"kind"`
	WorkItemID ItemID          `json:"work_item_id,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
}

// Position is the event's place in the journal.
func (e Entry) Position() Position { return Position{e.Revision, e.AgentID, e.N} }

// DataOf reads an event's data. From data of another shape it takes the fields that fit.
func DataOf[D any](e Entry) (d D) {
	_ = json.Unmarshal(e.Data, &d)
	return d
}

// Written is the data of work_item_written. Action is created, updated, blocked,
// unblocked, waiting, completed, recheck_consumed, imported, undone or redone.
type Written struct {
	Action   string `json:"action"`
	Revision uint64 `json:"revision"`
	// Changed names the fields that differ from before.
	Changed           []string `json:"changed,omitempty"`
	PreviousObjective Text     `json:"previous_objective,omitempty"`
	// PlanStatus is the new status, if it changed; for a new item, its status if that is not draft.
	PlanStatus PlanStatus `json:"plan_status,omitempty"`
	// Todo is the item's progress, if the list changed.
	Todo      *TodoGist `json:"todo,omitempty"`
	BlockedBy Text      `json:"blocked_by,omitempty"`
	// Undone is the act that was undone or redone.
	Undone Text `json:"undone,omitempty"`
	// The remaining fields belong to a completion (docs/lifecycle.md 8).
	Warnings            []Warning `json:"warnings,omitempty"`
	WarningCount        int       `json:"warning_count,omitempty"`
	WithUnfinishedTodos bool      `json:"completed_with_unfinished_todos,omitempty"`
	UnfinishedTodos     int       `json:"unfinished_todo_count,omitempty"`
	PendingTodos        int       `json:"pending_todo_count,omitempty"`
	InProgressTodos     int       `json:"in_progress_todo_count,omitempty"`
	Forced              bool      `json:"forced,omitempty"`
	// LinkedTodos are the decisions on open linked file todos, by qualified id.
	LinkedTodos map[string]Text `json:"linked_todos,omitempty"`
}

// Picked is the data of work_item_picked: the transition, and whether it needed a reason.
type Picked struct {
	Transition
	ReasonRequired bool `json:"reason_required"`
	ReasonMissing  bool `json:"reason_missing"`
}

// Released is the data of work_item_focus_released.
type Released struct {
	Reason    string    `json:"reason"`
	Readiness readiness `json:"readiness"`
	Revision  uint64    `json:"revision"`
}

// ReleasedByPick is the reason if an item lost the focus to another one.
const ReleasedByPick = "other_work_item_picked"

// refreshed is the data of work_item_plan_artifact_refreshed.
type refreshed struct {
	Revision     uint64        `json:"revision"`
	PreviousHash string        `json:"previous_hash,omitempty"`
	Hash         string        `json:"hash,omitempty"`
	Bytes        int64         `json:"bytes"`
	Condition    PlanCondition `json:"condition"`
	// Added and Removed count the lines that were added and removed, if both previews hold the whole plan.
	Added   int `json:"added,omitempty"`
	Removed int `json:"removed,omitempty"`
	// Aside names the file beside plan.md that keeps the text of another machine, which this one replaced.
	Aside Text `json:"aside,omitempty"`
}

// planTaken is the data of work_item_plan_edit_taken: the plan file has the text of another machine.
type planTaken struct {
	Revision uint64 `json:"revision"`
	Hash     string `json:"hash"`
}

// todosRefreshed is the data of work_item_todos_refreshed: the rows whose state changed.
type todosRefreshed struct {
	Revision uint64 `json:"revision"`
	Rows     []Todo `json:"rows"`
}

// registered is the data of wait_condition_registered.
type registered struct {
	WaitID    WaitID    `json:"wait_condition_id"`
	Kind      WaitKind  `json:"kind"`
	Reason    Text      `json:"waiting_for"`
	Resource  Text      `json:"resource,omitempty"`
	Source    Text      `json:"source,omitempty"`
	Condition Text      `json:"condition,omitempty"`
	Question  Text      `json:"question,omitempty"`
	WakeAt    time.Time `json:"wake_at,omitzero"`
	Cancelled []WaitID  `json:"cancelled_wait_condition_ids,omitempty"`
	// Count is the trigger count with which the wait starts.
	Count int `json:"trigger_count,omitempty"`
}

// cancelled is the data of wait_conditions_cancelled.
type cancelled struct {
	WaitIDs []WaitID `json:"wait_condition_ids"`
	Reason  string   `json:"reason"`
}

// TriggerNews is the data of wait_condition_triggered.
type TriggerNews struct {
	WaitID WaitID   `json:"wait_condition_id"`
	Kind   WaitKind `json:"kind"`
	Count  int      `json:"trigger_count"`
	Provenance
}

// promoted is the data of work_item_completion_report_promoted.
type promoted struct {
	Revision    uint64     `json:"revision"`
	Source      ReportOf   `json:"source"`
	TextPreview Text       `json:"text_preview,omitempty"`
	Warnings    []Warning  `json:"warnings,omitempty"`
	DeliveryID  deliveryID `json:"delivery_summary_id"`
	BriefID     briefID    `json:"brief_id"`
}

// suppressed is the data of turn_terminal_brief_suppressed: the turn's own final brief must not repeat the promoted one.
type suppressed struct {
	Reason  string  `json:"reason"`
	BriefID briefID `json:"brief_id"`
}

// TaskNews is the data of task_started and task_ended.
type TaskNews struct {
	TaskID   TaskID     `json:"task_id"`
	Status   TaskStatus `json:"status"`
	Summary  Text       `json:"summary,omitempty"`
	Blocking bool       `json:"blocking,omitempty"`
	// The remaining fields belong to a supervised command.
	Command    []Text `json:"command,omitempty"`
	GitHead    string `json:"git_head,omitempty"`
	ExitCode   *int   `json:"exit_code,omitempty"`
	Signal     string `json:"signal,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	Result     Text   `json:"result,omitempty"`
}

// delegated is the data of the delegation events.
type awaitedNews struct {
	WaitID     WaitID  `json:"wait_condition_id"`
	AgentID    AgentID `json:"agent_id"`
	WorkItemID ItemID  `json:"waiting_work_item_id"`
}

type delegated struct {
	DelegationID    DelegationID `json:"delegation_id"`
	ChildAgentID    AgentID      `json:"child_agent_id"`
	ChildWorkItemID ItemID       `json:"child_work_item_id,omitempty"`
	ResultSummary   Text         `json:"result_summary,omitempty"`
}

// agentAdded is the data of agent_added.
type agentAdded struct {
	AgentID       AgentID `json:"agent_id"`
	ParentAgentID AgentID `json:"parent_agent_id,omitempty"`
}

// agentNews is the data of agent_updated.
type agentNews struct {
	AgentID  AgentID      `json:"agent_id"`
	AutoPick bool         `json:"auto_pick"`
	Posture  Posture      `json:"posture"`
	Limits   Limits       `json:"limits,omitzero"`
	Evidence EvidenceRule `json:"evidence,omitzero"`
}

// limitNews is the data of usage_limit_told.
type limitNews struct {
	AgentID AgentID `json:"agent_id"`
	// Until is the end of the limit; zero if it is over.
	Until time.Time `json:"until,omitzero"`
}

// messageNews is the data of message_queued.
type messageNews struct {
	MessageID MessageID `json:"message_id"`
	Priority  Priority  `json:"priority"`
	Source    Text      `json:"source,omitempty"`
	Text      Text      `json:"text"`
}

// answered is the data of operator_answered.
type answered struct {
	WaitID    WaitID `json:"wait_condition_id,omitempty"`
	Text      Text   `json:"text"`
	PlanReady bool   `json:"plan_ready,omitempty"`
	// Revision is the item's; an agent's own question has none.
	Revision uint64 `json:"revision,omitempty"`
}

// notice is the data of operator_notified.
type notice struct {
	Text Text `json:"text"`
}

// TurnNews is the data of turn_started and turn_ended.
type TurnNews struct {
	Turn     int         `json:"turn"`
	Holder   Text        `json:"holder,omitempty"`
	Tick     string      `json:"tick,omitempty"`
	Messages []MessageID `json:"message_ids,omitempty"`
	Outcome  TurnOutcome `json:"outcome,omitempty"`
	Reason   Text        `json:"reason,omitempty"`
	Code     TurnCode    `json:"code,omitempty"`
	Rounds   int         `json:"rounds,omitempty"`
	Final    Text        `json:"final,omitempty"`
	// RestUntil is when work is offered again after a turn that failed or changed nothing.
	RestUntil time.Time `json:"rest_until,omitzero"`
	// Progress: the turn changed something. Commit is the checked-out commit, if it changed.
	Progress bool   `json:"progress,omitempty"`
	Commit   string `json:"commit,omitempty"`
	Usage
	// BriefSuppressed: a promoted report replaces the turn's final text.
	BriefSuppressed bool  `json:"brief_suppressed,omitempty"`
	DurationMS      int64 `json:"duration_ms,omitempty"`
}

// roundNews is the data of assistant_round.
type roundNews struct {
	Turn  int      `json:"turn"`
	Round int      `json:"round"`
	Text  Text     `json:"text,omitempty"`
	Calls []string `json:"calls,omitempty"`
	// Refused says why the calls were not carried out.
	Refused Text `json:"refused,omitempty"`
}

// tickNews is the data of system_tick_emitted. A tick never switches the focus.
type tickNews struct {
	Subsystem string       `json:"subsystem"`
	Reason    string       `json:"reason,omitempty"`
	Key       string       `json:"idempotency_key,omitempty"`
	Objective Text         `json:"objective,omitempty"`
	Attempt   int          `json:"attempt,omitempty"`
	Switched  bool         `json:"runtime_switched_current_item"`
	Count     int          `json:"recheck_count,omitempty"`
	Rechecks  []DueRecheck `json:"rechecks,omitempty"`
}

// DueRecheck is a blocked item whose second look is due.
type DueRecheck struct {
	WorkItemID ItemID    `json:"work_item_id"`
	Objective  Text      `json:"objective"`
	BlockedBy  Text      `json:"blocked_by"`
	RecheckAt  time.Time `json:"recheck_at"`
}

// recheckNews is the data of work_item_recheck_consumed. Silent: the agent had a turn or queued input, or was stopped.
type recheckNews struct {
	Revision  uint64    `json:"revision"`
	RecheckAt time.Time `json:"recheck_at"`
	Silent    bool      `json:"silent,omitempty"`
}

// stallNews is the data of work_item_stalled.
type stallNews struct {
	Key      string `json:"idempotency_key"`
	Attempts int    `json:"attempts"`
}

// ingressNews is the data of the events of capabilities. It never holds a token.
type ingressNews struct {
	IngressID  IngressID `json:"external_trigger_id"`
	WorkItemID ItemID    `json:"work_item_id,omitempty"`
	Resource   Text      `json:"resource,omitempty"`
	Deliver    Deliver   `json:"delivery_mode"`
	Deliveries int       `json:"delivery_count,omitempty"`
	// Early is a delivery that came before any wait, and is kept.
	Early *Provenance `json:"early,omitempty"`
}
