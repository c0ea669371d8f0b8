package model

import "time"

// Written is the data of work_item_written. Action is created, updated, blocked,
// unblocked, waiting, completed, recheck_consumed, imported, undone or redone.
type Written struct {
	Action   string `json:"action"`
	Revision uint64 `json:"revision"`
	// Changed names the fields that differ from before.
	Changed           []string `json:"changed,omitempty"`
	PreviousObjective Text     `json:"previous_objective,omitempty"`
	BlockedBy         Text     `json:"blocked_by,omitempty"`
	// Undone is the act that was taken back, or carried out again.
	Undone Text `json:"undone,omitempty"`
	// The rest is a completion's (docs/lifecycle.md 8).
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

// Picked is the data of work_item_picked: the transition, and whether a reason was due.
type Picked struct {
	Transition
	ReasonRequired bool `json:"reason_required"`
	ReasonMissing  bool `json:"reason_missing"`
}

// Released is the data of work_item_focus_released.
type Released struct {
	Reason    string    `json:"reason"`
	Readiness Readiness `json:"readiness"`
	Revision  uint64    `json:"revision"`
}

// Refreshed is the data of work_item_plan_artifact_refreshed.
type Refreshed struct {
	Revision     uint64        `json:"revision"`
	PreviousHash string        `json:"previous_hash,omitempty"`
	Hash         string        `json:"hash,omitempty"`
	Bytes        int64         `json:"bytes"`
	Condition    PlanCondition `json:"condition"`
}

// TodosRefreshed is the data of work_item_todos_refreshed: the rows whose state changed.
type TodosRefreshed struct {
	Revision uint64 `json:"revision"`
	Rows     []Todo `json:"rows"`
}

// Registered is the data of wait_condition_registered.
type Registered struct {
	WaitID    WaitID    `json:"wait_condition_id"`
	Kind      WaitKind  `json:"kind"`
	Reason    Text      `json:"waiting_for"`
	Resource  Text      `json:"resource,omitempty"`
	Source    Text      `json:"source,omitempty"`
	Condition Text      `json:"condition,omitempty"`
	Question  Text      `json:"question,omitempty"`
	WakeAt    time.Time `json:"wake_at,omitzero"`
	Cancelled []WaitID  `json:"cancelled_wait_condition_ids,omitempty"`
}

// Cancelled is the data of wait_conditions_cancelled.
type Cancelled struct {
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

// Promoted is the data of work_item_completion_report_promoted.
type Promoted struct {
	Revision    uint64     `json:"revision"`
	Source      ReportOf   `json:"source"`
	TextPreview Text       `json:"text_preview,omitempty"`
	Warnings    []Warning  `json:"warnings,omitempty"`
	DeliveryID  DeliveryID `json:"delivery_summary_id"`
	BriefID     BriefID    `json:"brief_id"`
}

// Suppressed is the data of turn_terminal_brief_suppressed: the turn's own final brief
// must not repeat the one promoted.
type Suppressed struct {
	Reason  string  `json:"reason"`
	BriefID BriefID `json:"brief_id"`
}

// TaskNews is the data of task_started and task_ended.
type TaskNews struct {
	TaskID   TaskID     `json:"task_id"`
	Status   TaskStatus `json:"status"`
	Summary  Text       `json:"summary,omitempty"`
	Blocking bool       `json:"blocking,omitempty"`
	// The rest is a supervised command's.
	Command    []Text `json:"command,omitempty"`
	GitHead    string `json:"git_head,omitempty"`
	ExitCode   *int   `json:"exit_code,omitempty"`
	Signal     string `json:"signal,omitempty"`
	DurationMS int64  `json:"duration_ms,omitempty"`
	Result     Text   `json:"result,omitempty"`
}

// Delegated is the data of the delegation events.
type Delegated struct {
	DelegationID    DelegationID `json:"delegation_id"`
	ChildAgentID    AgentID      `json:"child_agent_id"`
	ChildWorkItemID ItemID       `json:"child_work_item_id"`
	ResultSummary   Text         `json:"result_summary,omitempty"`
}

// AgentNews is the data of agent_updated.
type AgentNews struct {
	AgentID  AgentID `json:"agent_id"`
	AutoPick bool    `json:"auto_pick"`
	Posture  Posture `json:"posture"`
}
