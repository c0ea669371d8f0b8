package model

import "time"

// Facts is what a command may ask of the ledger. Each answer is a read by key or by
// index, so that a command costs O(log n) in the ledger's size.
type Facts interface {
	Agent(AgentID) (Agent, bool)
	Item(ItemID) (WorkItem, bool)
	Wait(WaitID) (Wait, bool)
	// ItemWaits are the active waits of an item, oldest first; with an empty item, the agent's own.
	ItemWaits(AgentID, ItemID) []Wait
	// WaitsOn are the agent's active waits of a kind on a resource, oldest first.
	WaitsOn(AgentID, WaitKind, Text) []Wait
	Task(TaskID) (Task, bool)
	// BlockingTasks are the running blocking tasks of an item.
	BlockingTasks(AgentID, ItemID) []Task
	// Delegations are the open delegations of a parent's item, ParentsOf those that a child's item serves.
	Delegations(parent AgentID, item ItemID) []Delegation
	ParentsOf(child ItemID) []Delegation
	Delegation(DelegationID) (Delegation, bool)
	Brief(AgentID, ItemID) (Brief, bool)
	HandleTaken(Handle) bool
	Message(MessageID) (Message, bool)
	// QueuedMessages are the agent's first queued messages, by priority, then oldest first.
	QueuedMessages(agent AgentID, limit int) []Message
	Attempt(AgentID, ItemID) (Attempt, bool)
	// Trace is what was said while an item (or none) was the focus.
	Trace(AgentID, ItemID) (Trace, bool)
	Ingress(IngressID) (Ingress, bool)
	// Offers are the reports that are offered for a completed item without one.
	Offers(AgentID, ItemID) (ReportOffers, bool)
	// Seen is what the operator acknowledged of an item last.
	Seen(AgentID, ItemID) (Seen, bool)
	// Rows are the first limit rows of a class after a row (nil: from the start), in the class's order.
	Rows(agent AgentID, class Class, after *Row, limit int) []Row
	// Count is how many of the agent's items a tally counts.
	Count(AgentID, Tally) int
	// Due are the agent's entries due at or before now, earliest first.
	Due(agent AgentID, now time.Time, limit int) []Due
	// Entries are the newest limit events of an item, newest first.
	Entries(item ItemID, limit int) []Entry
}

// Reader is what a door may ask beside: pages of agents and of history.
type Reader interface {
	Facts
	// Revision is the ledger's; it grows by one with every change.
	Revision() uint64
	// Agents are the first limit agents with an id greater than after.
	Agents(after AgentID, limit int) []Agent
	// History are entries newer than the position, oldest first; of one agent, or of all when empty.
	History(agent AgentID, after Position, limit int) []Entry
	// HistoryBefore are entries older than the position, newest first; a zero position is the end.
	HistoryBefore(agent AgentID, before Position, limit int) []Entry
	// Inbox visits the entries of a need, of all agents, until visit says no: those of open
	// items longest waiting first, those of finished ones newest first.
	Inbox(need Need, visit func(Inboxed) bool)
	// Finished are the completed items of all agents, newest first, after a row (nil: from
	// the newest).
	Finished(after *Row, limit int) []Row
	// RunningTasks are the agent's running tasks, oldest first.
	RunningTasks(agent AgentID, limit int) []Task
	// Tasks are the agent's tasks, running ones first, then newest first.
	Tasks(agent AgentID, limit int) []Task
	// Ingresses are the capabilities that reach the agent, newest first, revoked ones too.
	Ingresses(agent AgentID, limit int) []Ingress
	// Waits are all waits of an item, cancelled ones too, newest first.
	Waits(agent AgentID, item ItemID, limit int) []Wait
}

// Position is a place in the journal.
type Position struct {
	Revision uint64 `json:"revision"`
	N        int    `json:"n"`
}
