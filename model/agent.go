package model

import "time"

// Agent is what the ledger knows of one agent: its focus and its posture.
type Agent struct {
	ID AgentID `json:"id"`
	// CurrentWorkItemID is the focus. Only a pick sets it; whatever makes the item
	// non-runnable clears it (seed 002, "Current Focus Release").
	CurrentWorkItemID ItemID `json:"current_work_item_id,omitempty"`
	// AutoPick lets the scheduler pick the first queued item at idle (off by default).
	AutoPick bool    `json:"auto_pick,omitempty"`
	Posture  Posture `json:"posture"`
	// Turn is the turn that runs now; nil when none does.
	Turn *Turn `json:"turn,omitempty"`
	// QueuedInput counts messages that wait for the agent's next turn.
	QueuedInput int       `json:"queued_input,omitempty"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// Posture is whether an agent may be woken.
type Posture string

// The postures of an agent. A stopped agent is left alone whatever happens.
const (
	Awake   Posture = "awake"
	Asleep  Posture = "asleep"
	Stopped Posture = "stopped"
)

// Turn is one run of an agent, bound to at most one WorkItem at a time.
type Turn struct {
	Index      int       `json:"index"`
	WorkItemID ItemID    `json:"work_item_id,omitempty"`
	Rounds     int       `json:"rounds,omitempty"`
	StartedAt  time.Time `json:"started_at"`
}

// Actor is who makes a command: "operator", "scheduler", "agent:<id>", "external:<name>"
// or "unknown".
type Actor string

// The actors without a name.
const (
	Operator  Actor = "operator"
	Scheduler Actor = "scheduler"
	Unknown   Actor = "unknown"
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
