package model

import "time"

// MessageNews is the data of message_queued.
type MessageNews struct {
	MessageID MessageID `json:"message_id"`
	Priority  Priority  `json:"priority"`
	Source    Text      `json:"source,omitempty"`
	Text      Text      `json:"text"`
}

// Answered is the data of operator_answered.
type Answered struct {
	WaitID    WaitID `json:"wait_condition_id,omitempty"`
	Text      Text   `json:"text"`
	PlanReady bool   `json:"plan_ready,omitempty"`
	Revision  uint64 `json:"revision"`
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
	// RestUntil is when a turn is tried again after one that failed.
	RestUntil time.Time `json:"rest_until,omitzero"`
	// BriefSuppressed: a promoted report stands for the turn's final text.
	BriefSuppressed bool  `json:"brief_suppressed,omitempty"`
	DurationMS      int64 `json:"duration_ms,omitempty"`
}

// RoundNews is the data of assistant_round.
type RoundNews struct {
	Turn  int      `json:"turn"`
	Round int      `json:"round"`
	Text  Text     `json:"text,omitempty"`
	Calls []string `json:"calls,omitempty"`
	// Refused says why the calls were not carried out.
	Refused Text `json:"refused,omitempty"`
}

// TickNews is the data of system_tick_emitted. A tick never switches the focus.
type TickNews struct {
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

// RecheckNews is the data of work_item_recheck_consumed. Silent: the agent was at work.
type RecheckNews struct {
	Revision  uint64    `json:"revision"`
	RecheckAt time.Time `json:"recheck_at"`
	Silent    bool      `json:"silent,omitempty"`
}

// StallNews is the data of work_item_stalled.
type StallNews struct {
	Key      string `json:"idempotency_key"`
	Attempts int    `json:"attempts"`
}

// IngressNews is the data of the events of capabilities. It never holds a token.
type IngressNews struct {
	IngressID  IngressID `json:"external_trigger_id"`
	WaitID     WaitID    `json:"wait_condition_id,omitempty"`
	Deliver    Deliver   `json:"delivery_mode"`
	Deliveries int       `json:"delivery_count,omitempty"`
}
