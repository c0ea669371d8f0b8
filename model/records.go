package model

import (
	"encoding/json"
	"fmt"
	"time"
)

// Record is anything a Change can write. The store keeps it under its name, whole, as JSON.
type Record interface {
	// Name is unique in a ledger.
	Name() RecordName
}

// RecordName names a record: its kind, and a key that is unique within the kind.
type RecordName struct {
	Kind RecordKind
	Key  string
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

var readers = map[RecordKind]func([]byte) (Record, error){
	KindAgent: readAs[Agent], KindItem: readAs[WorkItem], KindWait: readAs[Wait], KindTask: readAs[Task],
	KindBrief: readAs[Brief], KindDelivery: readAs[Delivery], KindDelegation: readAs[Delegation], KindMessage: readAs[Message],
	KindAttempt: readAs[Attempt], KindTrace: readAs[Trace], KindIngress: readAs[Ingress], KindOffers: readAs[ReportOffers],
	KindSeen: readAs[Seen],
}

// ReadRecord reads a record of a kind as a store kept it.
func ReadRecord(kind RecordKind, raw []byte) (Record, error) {
	read, ok := readers[kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind of record %q", kind)
	}
	return read(raw)
}

func readAs[R Record](raw []byte) (Record, error) {
	var r R
	err := json.Unmarshal(raw, &r)
	return r, err
}

// Name is part of Record. Briefs, deliveries, attempts, offers and acknowledgements are
// kept by their item: it has one of each.
func (a Agent) Name() RecordName        { return RecordName{KindAgent, string(a.ID)} }
func (w WorkItem) Name() RecordName     { return RecordName{KindItem, string(w.ID)} }
func (w Wait) Name() RecordName         { return RecordName{KindWait, string(w.ID)} }
func (t Task) Name() RecordName         { return RecordName{KindTask, string(t.ID)} }
func (b Brief) Name() RecordName        { return RecordName{KindBrief, string(b.WorkItemID)} }
func (d Delivery) Name() RecordName     { return RecordName{KindDelivery, string(d.WorkItemID)} }
func (d Delegation) Name() RecordName   { return RecordName{KindDelegation, string(d.ID)} }
func (m Message) Name() RecordName      { return RecordName{KindMessage, string(m.ID)} }
func (a Attempt) Name() RecordName      { return RecordName{KindAttempt, string(a.WorkItemID)} }
func (t Trace) Name() RecordName        { return RecordName{KindTrace, traceKey(t.AgentID, t.WorkItemID)} }
func (i Ingress) Name() RecordName      { return RecordName{KindIngress, string(i.ID)} }
func (o ReportOffers) Name() RecordName { return RecordName{KindOffers, string(o.WorkItemID)} }
func (x Seen) Name() RecordName         { return RecordName{KindSeen, string(x.WorkItemID)} }

// traceKey is the key of an item's trace, or of the agent's own when item is empty.
func traceKey(agent AgentID, item ItemID) string {
	if item == "" {
		return "@" + string(agent)
	}
	return string(item)
}

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
