package model

import (
	"fmt"
	"time"
)

// DefaultLease is how long a turn runs without a beat (River's leader lease is of this
// order: short enough to take over, long enough for a stalled disk).
const DefaultLease = 30 * time.Second

// maxLease bounds what a holder may ask for.
const maxLease = time.Hour

// TurnOutcome is how a turn ended.
type TurnOutcome string

// The outcomes of a turn.
const (
	TurnCompleted   TurnOutcome = "completed"
	TurnFailed      TurnOutcome = "failed"
	TurnAborted     TurnOutcome = "aborted"
	TurnTimedOut    TurnOutcome = "timed_out"
	TurnInterrupted TurnOutcome = "interrupted"
)

// TurnCode is the stable name of what went wrong with an agent's program.
type TurnCode string

// The codes of a turn that did not go well.
const (
	ProgramMissing  TurnCode = "agent_program_missing"
	ProgramFailed   TurnCode = "agent_program_failed"
	ProgramTimedOut TurnCode = "agent_program_timed_out"
	ProgramFlooded  TurnCode = "agent_output_too_large"
	ProgramGarbled  TurnCode = "agent_output_not_understood"
	ProgramTooLong  TurnCode = "agent_rounds_exhausted"
	RoundsRefused   TurnCode = "agent_rounds_refused"
	TurnStopped     TurnCode = "agent_stopped"
	TurnInterjected TurnCode = "operator_interjected"
	DriverStopped   TurnCode = "driver_stopped"
)

// Attempt counts how often the scheduler offered an item for one reason without anything
// new: it spaces the offers and ends them as stalled, so that no item is stranded and none
// spins (docs/lifecycle.md 12).
type Attempt struct {
	AgentID    AgentID `json:"agent_id"`
	WorkItemID ItemID  `json:"work_item_id"`
	// TickKey is what was offered; another key is news, and begins afresh.
	TickKey string    `json:"key"`
	Count   int       `json:"count"`
	LastAt  time.Time `json:"last_at"`
	NextAt  time.Time `json:"next_at"`
	Stalled bool      `json:"stalled,omitempty"`
}

// systemPause is how long a wait for the system lasts.
const systemPause = 10 * time.Second

const (
	firstBackoff = 30 * time.Second
	lastBackoff  = time.Hour
	// maxAttempts is how often an item is offered without news before it counts as stalled.
	maxAttempts = 5
)

// backoff is the pause after the n-th offer.
func backoff(n int) time.Duration {
	d := firstBackoff
	for range n - 1 {
		if d *= 2; d > lastBackoff {
			return lastBackoff
		}
	}
	return d
}

// Offered is a tick that no turn has answered yet.
type Offered struct {
	Key        string    `json:"key"`
	Reason     string    `json:"reason"`
	WorkItemID ItemID    `json:"work_item_id,omitempty"`
	At         time.Time `json:"at"`
	Until      time.Time `json:"until"`
}

// reasonRecheck is the reason of a tick that offers nothing but a second look.
const reasonRecheck = "work_item_recheck"

// tickKey names an offer: the same item, for the same reason, with nothing new about it.
func tickKey(reason string, r Row) string {
	key := fmt.Sprintf("work_queue:%s:%s:%d", reason, r.ID, r.Revision)
	if !r.Wait.LastTriggeredAt.IsZero() {
		key += fmt.Sprintf(":%d", r.Wait.LastTriggeredAt.UnixNano())
	}
	return key
}

// Trace is what was said and called while an item was the focus, newest last and bounded:
// process, not memory (docs/lifecycle.md 9).
type Trace struct {
	AgentID    AgentID      `json:"agent_id"`
	WorkItemID ItemID       `json:"work_item_id,omitempty"`
	Entries    []TraceEntry `json:"entries"`
}

// TraceEntry is one round.
type TraceEntry struct {
	At    time.Time `json:"at"`
	Turn  int       `json:"turn,omitempty"`
	Round int       `json:"round,omitempty"`
	Text  Text      `json:"text,omitempty"`
	Calls []string  `json:"calls,omitempty"`
	// Refused says why the calls were not carried out.
	Refused Text `json:"refused,omitempty"`
}

// Bounds of a trace.
const (
	maxTrace     = 20
	maxTraceText = 2000
)

// Ingress is a capability of the outside: whoever knows its token may trigger what it is
// bound to, a wait or the agent.
type Ingress struct {
	ID        IngressID `json:"id"`
	AgentID   AgentID   `json:"agent_id"`
	WaitID    WaitID    `json:"wait_id,omitempty"`
	TokenHash string    `json:"token_hash"`
	Secret    string    `json:"secret,omitempty"`
	Deliver   Deliver   `json:"deliver"`
	Revoked   bool      `json:"revoked,omitempty"`
	// Deliveries counts what came in.
	Deliveries      int       `json:"deliveries,omitempty"`
	LastDeliveredAt time.Time `json:"last_delivered_at,omitzero"`
	CreatedAt       time.Time `json:"created_at"`
	UpdatedAt       time.Time `json:"updated_at"`
}

// IngressID identifies a capability.
type IngressID string
