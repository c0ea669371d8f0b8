package model

import "time"

// Record is anything a Change can write. The store keeps it under its partition (an
// agent) and key, whole, as JSON.
type Record interface {
	// Partition is the agent that the record belongs to: the unit of consistency.
	Partition() AgentID
	// Key is unique within the partition and the record's kind.
	Key() string
	RecordKind() RecordKind
	record()
}

// RecordKind names a kind of record; it is part of its key in a store.
type RecordKind string

// The kinds of records.
const (
	KindAgent      RecordKind = "agent"
	KindItem       RecordKind = "item"
	KindWait       RecordKind = "wait"
	KindTask       RecordKind = "task"
	KindBrief      RecordKind = "brief"
	KindDelivery   RecordKind = "delivery"
	KindDelegation RecordKind = "delegation"
	KindMessage    RecordKind = "message"
	KindAttempt    RecordKind = "attempt"
	KindTrace      RecordKind = "trace"
	KindIngress    RecordKind = "ingress"
	KindOffers     RecordKind = "offers"
	KindSeen       RecordKind = "seen"
)

// Task is an operational execution: a command, a child agent's run. Its presence never
// changes an item's scheduling state; only a wait does (docs/lifecycle.md 4).
type Task struct {
	ID         TaskID     `json:"id"`
	AgentID    AgentID    `json:"agent_id"`
	WorkItemID ItemID     `json:"work_item_id,omitempty"`
	Summary    Text       `json:"summary"`
	Status     TaskStatus `json:"status"`
	// Blocking refuses the completion of WorkItemID while the task runs.
	Blocking  bool      `json:"blocking,omitempty"`
	Result    Text      `json:"result,omitempty"`
	Run       TaskRun   `json:"run,omitzero"`
	End       *TaskEnd  `json:"end,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// TaskStatus is how far a task is.
type TaskStatus string

// The statuses of a task; all but running are final.
const (
	TaskRunning     TaskStatus = "running"
	TaskCompleted   TaskStatus = "completed"
	TaskFailed      TaskStatus = "failed"
	TaskCancelled   TaskStatus = "cancelled"
	TaskInterrupted TaskStatus = "interrupted"
)

// Brief is the operator-facing note of a completion. Exactly one exists for each
// completion whose report was promoted.
type Brief struct {
	ID         BriefID  `json:"id"`
	AgentID    AgentID  `json:"agent_id"`
	WorkItemID ItemID   `json:"work_item_id"`
	BriefKind  string   `json:"kind"`
	Text       Text     `json:"text"`
	Provenance ReportOf `json:"provenance"`
	// Warnings are the completion's; they stay attached to its report.
	Warnings  []Warning `json:"warnings,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// ReportOf is where a completion report's words came from.
type ReportOf string

// The provenances of a report. Only same_round and operator are promoted by themselves.
const (
	ReportSameRound ReportOf = "same_round"
	ReportNearRound ReportOf = "near_round"
	ReportTurnFinal ReportOf = "turn_final"
	ReportOperator  ReportOf = "operator"
	// ReportImported came with an import.
	ReportImported ReportOf = "imported"
)

// Delivery is the delivery summary of a completed WorkItem, with its evidence.
type Delivery struct {
	ID         DeliveryID `json:"id"`
	AgentID    AgentID    `json:"agent_id"`
	WorkItemID ItemID     `json:"work_item_id"`
	BriefID    BriefID    `json:"brief_id"`
	Text       Text       `json:"text"`
	Provenance ReportOf   `json:"provenance"`
	CreatedAt  time.Time  `json:"created_at"`
}

// Delegation ties a child agent's WorkItem to its parent's, flat (docs/lifecycle.md 15).
// It lives in the parent's partition and never blocks by itself.
type Delegation struct {
	ID               DelegationID    `json:"delegation_id"`
	ParentAgentID    AgentID         `json:"parent_agent_id"`
	ParentWorkItemID ItemID          `json:"parent_work_item_id"`
	ChildAgentID     AgentID         `json:"child_agent_id"`
	ChildWorkItemID  ItemID          `json:"child_work_item_id"`
	State            DelegationState `json:"state"`
	// Blocking refuses the parent's completion while the delegation is open.
	Blocking      bool      `json:"blocking,omitempty"`
	ResultSummary Text      `json:"result_summary,omitempty"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// DelegationState is whether a delegation's child still works.
type DelegationState string

// The states of a delegation.
const (
	DelegationOpen      DelegationState = "open"
	DelegationCompleted DelegationState = "completed"
)

func (Agent) record()      {}
func (WorkItem) record()   {}
func (Wait) record()       {}
func (Task) record()       {}
func (Brief) record()      {}
func (Delivery) record()   {}
func (Delegation) record() {}

// RecordKind is part of Record.
func (Agent) RecordKind() RecordKind      { return KindAgent }
func (WorkItem) RecordKind() RecordKind   { return KindItem }
func (Wait) RecordKind() RecordKind       { return KindWait }
func (Task) RecordKind() RecordKind       { return KindTask }
func (Brief) RecordKind() RecordKind      { return KindBrief }
func (Delivery) RecordKind() RecordKind   { return KindDelivery }
func (Delegation) RecordKind() RecordKind { return KindDelegation }

// Partition is part of Record.
func (a Agent) Partition() AgentID      { return a.ID }
func (w WorkItem) Partition() AgentID   { return w.AgentID }
func (w Wait) Partition() AgentID       { return w.AgentID }
func (t Task) Partition() AgentID       { return t.AgentID }
func (b Brief) Partition() AgentID      { return b.AgentID }
func (d Delivery) Partition() AgentID   { return d.AgentID }
func (d Delegation) Partition() AgentID { return d.ParentAgentID }

// Key is part of Record. Briefs and deliveries are kept by their item: it has one of each.
func (a Agent) Key() string      { return string(a.ID) }
func (w WorkItem) Key() string   { return string(w.ID) }
func (w Wait) Key() string       { return string(w.ID) }
func (t Task) Key() string       { return string(t.ID) }
func (b Brief) Key() string      { return string(b.WorkItemID) }
func (d Delivery) Key() string   { return string(d.WorkItemID) }
func (d Delegation) Key() string { return string(d.ID) }

func (Message) record() {}

// RecordKind is part of Record.
func (Message) RecordKind() RecordKind { return KindMessage }

// Partition is part of Record.
func (m Message) Partition() AgentID { return m.AgentID }

// Key is part of Record.
func (m Message) Key() string { return string(m.ID) }

func (Attempt) record() {}

// RecordKind is part of Record.
func (Attempt) RecordKind() RecordKind { return KindAttempt }

// Partition is part of Record.
func (a Attempt) Partition() AgentID { return a.AgentID }

// Key is part of Record.
func (a Attempt) Key() string { return string(a.WorkItemID) }

func (Trace) record() {}

// RecordKind is part of Record.
func (Trace) RecordKind() RecordKind { return KindTrace }

// Partition is part of Record.
func (t Trace) Partition() AgentID { return t.AgentID }

// Key is part of Record. What was said without a focus is the agent's.
func (t Trace) Key() string { return TraceKey(t.AgentID, t.WorkItemID) }

// TraceKey is the key of an item's trace, or of the agent's own when item is empty.
func TraceKey(agent AgentID, item ItemID) string {
	if item == "" {
		return "@" + string(agent)
	}
	return string(item)
}

func (Ingress) record() {}

// RecordKind is part of Record.
func (Ingress) RecordKind() RecordKind { return KindIngress }

// Partition is part of Record.
func (i Ingress) Partition() AgentID { return i.AgentID }

// Key is part of Record.
func (i Ingress) Key() string { return string(i.ID) }
