package model

import "time"

// Wait says what would wake a WorkItem, or the agent itself when WorkItemID is empty.
// Its status is active or cancelled; triggered is derived from TriggerCount, so that one
// wait can count many events (docs/lifecycle.md 4).
type Wait struct {
	ID         WaitID     `json:"id"`
	AgentID    AgentID    `json:"agent_id"`
	WorkItemID ItemID     `json:"work_item_id,omitempty"`
	Status     WaitStatus `json:"status"`
	Kind       WaitKind   `json:"kind"`
	Reason     Text       `json:"waiting_for"`
	// Resource names the task, the external thing or the timer's instant in words.
	Resource  Text    `json:"resource,omitempty"`
	Source    Text    `json:"source,omitempty"`
	Condition Text    `json:"condition,omitempty"`
	Ask       Ask     `json:"ask,omitzero"`
	Deliver   Deliver `json:"deliver"`
	// WakeAt is when a timer wait is due.
	WakeAt          time.Time  `json:"wake_at,omitzero"`
	TriggerCount    int        `json:"trigger_count"`
	LastTriggeredAt time.Time  `json:"last_triggered_at,omitzero"`
	LastTrigger     Provenance `json:"last_trigger,omitzero"`
	CreatedAt       time.Time  `json:"created_at"`
	UpdatedAt       time.Time  `json:"updated_at"`
	CancelledAt     time.Time  `json:"cancelled_at,omitzero"`
	CancelReason    string     `json:"cancel_reason,omitempty"`
}

// Triggered reports whether an active wait was triggered.
func (w Wait) Triggered() bool { return w.Status == WaitActive && w.TriggerCount > 0 }

// Ask is an operator wait's question and the answers it proposes.
type Ask struct {
	Question Text   `json:"question,omitempty"`
	Choices  []Text `json:"choices,omitempty"`
}

// Provenance tells who sent a trigger, through what, and what it carried.
type Provenance struct {
	Actor   Actor `json:"actor"`
	Source  Text  `json:"source,omitempty"`
	Payload Text  `json:"payload,omitempty"`
}

// WaitStatus is the persisted status of a wait.
type WaitStatus string

// The statuses of a wait.
const (
	WaitActive    WaitStatus = "active"
	WaitCancelled WaitStatus = "cancelled"
)

// WaitKind is what kind of event wakes a wait.
type WaitKind string

// The kinds of waits, in the order in which they outrank each other (docs/lifecycle.md 2).
const (
	WaitTask     WaitKind = "task"
	WaitOperator WaitKind = "operator"
	WaitTimer    WaitKind = "timer"
	WaitExternal WaitKind = "external"
	WaitSystem   WaitKind = "system"
)

var waitRank = map[WaitKind]int{WaitTask: 0, WaitOperator: 1, WaitTimer: 2, WaitExternal: 3, WaitSystem: 4}

// Wake is how WaitFor names a wait's kind (docs/lifecycle.md 4).
type Wake string

// The wakes of WaitFor.
const (
	WakeOperatorInput Wake = "operator_input"
	WakeTaskResult    Wake = "task_result"
	WakeExternal      Wake = "external"
	WakeTimer         Wake = "timer"
	WakeSystem        Wake = "system"
)

var kindOfWake = map[Wake]WaitKind{
	WakeOperatorInput: WaitOperator, WakeTaskResult: WaitTask, WakeExternal: WaitExternal,
	WakeTimer: WaitTimer, WakeSystem: WaitSystem,
}

// Deliver is how a trigger reaches the agent.
type Deliver string

// The ways of delivery. A wake hint says that something changed; an enqueued message
// carries the content.
const (
	DeliverWakeHint       Deliver = "wake_hint"
	DeliverEnqueueMessage Deliver = "enqueue_message"
)

// Limits of a wait's texts, in Unicode scalars; MaxPayload in bytes.
const (
	MaxWaitText = 2000
	MaxChoices  = 5
	MaxPayload  = 64 << 10
)
