package model

import "time"

// Agent is what the ledger knows of one agent: its focus and its posture.
type Agent struct {
	ID AgentID `json:"id"`
	// CurrentWorkItemID is the focus. Only a pick sets it; whatever makes the item
	// non-runnable clears it (docs/lifecycle.md 5).
	CurrentWorkItemID ItemID `json:"current_work_item_id,omitempty"`
	// AutoPick lets the scheduler pick the first queued item at idle (off by default).
	AutoPick bool    `json:"auto_pick,omitempty"`
	Posture  Posture `json:"posture"`
	// Turn is the turn that runs now; nil when none does.
	Turn *Turn `json:"turn,omitempty"`
	// TurnIndex counts the agent's turns.
	TurnIndex int `json:"turn_index,omitempty"`
	// Offered is the tick that waits for a turn to answer it.
	Offered *Offered `json:"offered,omitempty"`
	// FailedTurns counts turns that failed in a row; until RestUntil none is tried.
	FailedTurns int       `json:"failed_turns,omitempty"`
	RestUntil   time.Time `json:"rest_until,omitzero"`
	// DueRechecks are blocked items whose second look is due and that no turn was told of.
	DueRechecks []ItemID `json:"due_rechecks,omitempty"`
	// QueuedInput counts messages that wait for the agent's next turn.
	QueuedInput int `json:"queued_input,omitempty"`
	// Handed are messages that a program got without a turn, and did not prove to have read.
	Handed    []MessageID `json:"handed_message_ids,omitempty"`
	CreatedAt time.Time   `json:"created_at"`
	UpdatedAt time.Time   `json:"updated_at"`
}

// Posture is whether an agent may be woken.
type Posture string

// The postures of an agent. A stopped agent is left alone whatever happens.
const (
	Awake   Posture = "awake"
	Asleep  Posture = "asleep"
	Stopped Posture = "stopped"
)

// Turn is one run of an agent under a lease: whoever holds it beats while it runs, and a
// turn whose lease ran out is over. Index is the fence: a late holder is refused by it.
type Turn struct {
	Index  int  `json:"index"`
	Holder Text `json:"holder"`
	// Tick is the key of the tick that the turn answers; empty for messages alone.
	Tick       string `json:"tick,omitempty"`
	WorkItemID ItemID `json:"work_item_id,omitempty"`
	// OfferedID is the item that the tick offered.
	OfferedID ItemID `json:"offered_work_item_id,omitempty"`
	// Rechecks are the blocked items whose second look the turn is told of.
	Rechecks []ItemID `json:"rechecks,omitempty"`
	Rounds   int      `json:"rounds,omitempty"`
	// Messages are those that the turn took; Promoted says that a report became its brief.
	Messages  []MessageID `json:"messages,omitempty"`
	Promoted  bool        `json:"promoted,omitempty"`
	StartedAt time.Time   `json:"started_at"`
	BeatAt    time.Time   `json:"beat_at"`
	ExpiresAt time.Time   `json:"expires_at"`
}

// Runs reports whether the turn's lease holds at now.
func (t *Turn) Runs(now time.Time) bool { return t != nil && now.Before(t.ExpiresAt) }

// Actor is who makes a command: "operator", "scheduler", "agent:<id>", "external:<name>"
// or "unknown".
type Actor string

// The actors that are always the same.
const (
	Operator  Actor = "operator"
	Scheduler Actor = "scheduler"
	Unknown   Actor = "unknown"
	// Watcher notes what changed in files: whoever changed them did not say.
	Watcher Actor = "external:watcher"
)

const agentPrefix = "agent:"

// AgentActor is the actor of agent id.
func AgentActor(id AgentID) Actor { return Actor(agentPrefix + string(id)) }

// Agent is the agent that a speaks for, if a is one.
func (a Actor) Agent() (AgentID, bool) {
	if len(a) > len(agentPrefix) && a[:len(agentPrefix)] == agentPrefix {
		return AgentID(a[len(agentPrefix):]), true
	}
	return "", false
}
