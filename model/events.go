package model

import (
	"encoding/json"
	"time"
)

// EventKind names an event of the journal, by its stable name.
type EventKind string

// The kinds of events. Their comments are docs/codes.md.
const (
	// an agent began
	EventAgentAdded EventKind = "agent_added"
	// an agent was removed
	EventAgentRemoved EventKind = "agent_removed"
	// an agent's settings changed
	EventAgentUpdated EventKind = "agent_updated"
	// `action`: created, updated, blocked, unblocked, waiting, completed, imported, undone, redone; `todo`: `done`, `total`, `current`,
	// if the list changed
	EventWorkItemWritten EventKind = "work_item_written"
	// the focus moved: the transition, `reason_required`, `reason_missing`
	EventWorkItemPicked EventKind = "work_item_picked"
	// `reason`, `readiness`
	EventFocusReleased EventKind = "work_item_focus_released"
	// plan.md has other bytes; `added`, `removed`: lines, if the preview holds the whole plan; `aside`: the file beside it that keeps an
	// edit of another machine
	EventPlanRefreshed EventKind = "work_item_plan_artifact_refreshed"
	// plan.md has the edit of another machine now
	EventPlanTaken EventKind = "work_item_plan_edit_taken"
	// todo states derived from files
	EventTodosRefreshed EventKind = "work_item_todos_refreshed"
	// `added`, `removed`
	eventLinksChanged EventKind = "work_item_links_changed"
	// `comment`: the operator commented on a change; `withdrawn`: took it back
	EventCommented EventKind = "work_item_commented"
	// `command`, `kind` (`test`, `build`, `lint`, `named`), `exit_status` (missing if not seen), `head`, `dirty`: a check of the work
	// ended
	EventChecked EventKind = "work_item_checked"
	// `overlap`: another agent's open item changes the same file: `with_work_item_id`, `agent_id`, `handle`, `objective`, `file`,
	// `lines` (`from`, `to`: both changed them), `other_lines` (none in common), `same_work_tree`, `at`
	EventOverlapNoted EventKind = "work_item_overlap_noted"
	// a wait began
	EventWaitRegistered EventKind = "wait_condition_registered"
	// waits ended
	EventWaitsCancelled EventKind = "wait_conditions_cancelled"
	// what a wait waits for happened
	EventWaitTriggered EventKind = "wait_condition_triggered"
	// a forge's answer: `state` (`open`, `merged`, `closed`), `review` (`approved`, `changes_requested`), `checks` (`running`,
	// `failing`, `passing`), `failing` (a check's name), `commit`; `problem`: the forge cannot be asked
	EventWaitChecked EventKind = "wait_condition_checked"
	// another work item waits for the end of this one: `wait_condition_id`, `agent_id`, `waiting_work_item_id`
	EventAwaited EventKind = "work_item_awaited"
	// a warning of a completion
	EventCompletionWarning EventKind = "work_item_completion_warning"
	// the report, `brief_id`, `delivery_summary_id`
	EventReportPromoted EventKind = "work_item_completion_report_promoted"
	// a report to choose
	EventReportOffered EventKind = "work_item_completion_report_offered"
	// no offered report was chosen
	EventReportDeclined EventKind = "work_item_completion_report_declined"
	// the report is shown in place of the turn's last text
	EventBriefSuppressed EventKind = "turn_terminal_brief_suppressed"
	// an agent's program asks for a permission: `permission_id`, `program`, `tool`, `input`
	EventPermissionAsked EventKind = "permission_asked"
	// `permission_id`, `answer`
	EventPermissionAnswered EventKind = "permission_answered"
	// `permission_id`: nobody need answer it any more
	EventPermissionEnded EventKind = "permission_ended"
	// a task began
	EventTaskStarted EventKind = "task_started"
	// a task ended
	EventTaskEnded EventKind = "task_ended"
	// a message waits for the agent
	EventMessageQueued EventKind = "message_queued"
	// the agent was given messages
	EventMessagesSent EventKind = "messages_sent"
	// the agent acted after it was given them
	EventMessagesSeen EventKind = "messages_seen"
	// messages wait for the agent again
	EventMessagesRequeued EventKind = "messages_requeued"
	// an answer
	EventOperatorAnswered EventKind = "operator_answered"
	// an agent's message to the operator that needs no answer: `text`
	EventOperatorNotified EventKind = "operator_notified"
	// a turn began
	EventTurnStarted EventKind = "turn_started"
	// a turn ended
	EventTurnEnded EventKind = "turn_ended"
	// a reply of the agent
	EventRound EventKind = "assistant_round"
	// the scheduler offered work
	EventTickEmitted EventKind = "system_tick_emitted"
	// a blocked item was due for a second look
	EventRecheckConsumed EventKind = "work_item_recheck_consumed"
	// `attempts` turns for it changed nothing
	EventStalled EventKind = "work_item_stalled"
	// the operator asks to try an agent or a stalled item again now
	EventRetried EventKind = "retry_requested"
	// a session reported its program's usage limit: `until`; without it the limit is over
	EventUsageLimit EventKind = "usage_limit_told"
	// the inbox hides it: `need`, `until` (absent: until its next change); `withdrawn`: it is back
	EventSnoozed EventKind = "work_item_snoozed"
	// the operator acknowledged its need
	EventAcknowledged EventKind = "work_item_acknowledged"
	// a capability was made
	eventIngressMinted EventKind = "external_trigger_created"
	// a capability was revoked
	eventIngressRevoked EventKind = "external_trigger_revoked"
	// an event came through a capability; `early`: before any wait
	EventIngressDelivered EventKind = "callback_delivered"
	// a delegation began
	EventDelegationOpened EventKind = "work_item_delegation_opened"
	// a delegation's item was completed
	EventDelegationCompleted EventKind = "work_item_delegation_completed"
	// a delegation's item has a later report
	EventDelegationReported EventKind = "work_item_delegation_reported"
	// a delegation was cancelled
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
	Seq   uint64 `json:"seq"`
	Actor Actor  `json:"actor"`
	// Person is who the operator was; empty if not known.
	Person     Text            `json:"person,omitempty"`
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
