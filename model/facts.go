package model

import "time"

// Facts is what a command may ask of the ledger. Each answer is a read by key or by
// index, so that a command costs O(log n) in the ledger's size.
type Facts interface {
	Getter
	Lister
}

// Getter reads one record. Whoever keeps records embeds a Records and is one.
type Getter interface {
	Record(RecordName) (Record, bool)
	Agent(AgentID) (Agent, bool)
	Item(ItemID) (WorkItem, bool)
	Wait(WaitID) (Wait, bool)
	Task(TaskID) (Task, bool)
	Delegation(DelegationID) (Delegation, bool)
	Brief(AgentID, ItemID) (Brief, bool)
	Message(MessageID) (Message, bool)
	Attempt(AgentID, ItemID) (Attempt, bool)
	// Trace is what was said while an item (or none) was the focus.
	Trace(AgentID, ItemID) (Trace, bool)
	Ingress(IngressID) (Ingress, bool)
	// Offers are the reports that are offered for a completed item without one.
	Offers(AgentID, ItemID) (ReportOffers, bool)
	// Seen is what the operator acknowledged of an item last.
	Seen(AgentID, ItemID) (Seen, bool)
}

// Lister reads several.
type Lister interface {
	// ItemWaits are the active waits of an item, oldest first; with an empty item, the agent's own.
	ItemWaits(AgentID, ItemID) []Wait
	// WaitsOn are the agent's active waits of a kind on a resource, oldest first.
	WaitsOn(AgentID, WaitKind, Text) []Wait
	// BlockingTasks are the running blocking tasks of an item.
	BlockingTasks(AgentID, ItemID) []Task
	// Delegations are the open delegations of a parent's item, ParentsOf those that a child's item serves.
	Delegations(parent AgentID, item ItemID) []Delegation
	ParentsOf(child ItemID) []Delegation
	HandleTaken(Handle) bool
	// QueuedMessages are the agent's first queued messages, by priority, then oldest first.
	QueuedMessages(agent AgentID, limit int) []Message
	// Rows are the first limit rows of a class after a row (nil: from the start), in the class's order.
	Rows(agent AgentID, class Class, after *Row, limit int) []Row
	// Count is how many of the agent's items a tally counts.
	Count(AgentID, Tally) int
	// Due are the agent's entries due at or before now, earliest first.
	Due(agent AgentID, now time.Time, limit int) []Due
	// Entries are the newest limit events of an item, newest first.
	Entries(item ItemID, limit int) []Entry
}

// Records is a Getter on one function that finds a record by its name.
type Records struct {
	Get func(RecordName) (Record, bool)
}

// Record implements Getter, and so do the other methods.
func (r Records) Record(n RecordName) (Record, bool) { return r.Get(n) }

func getAs[R Record, K ~string](r Records, kind RecordKind, key K) (R, bool) {
	x, _ := r.Get(RecordName{kind, string(key)})
	v, ok := x.(R)
	return v, ok
}

func (r Records) Agent(id AgentID) (Agent, bool)       { return getAs[Agent](r, KindAgent, id) }
func (r Records) Item(id ItemID) (WorkItem, bool)      { return getAs[WorkItem](r, KindItem, id) }
func (r Records) Wait(id WaitID) (Wait, bool)          { return getAs[Wait](r, KindWait, id) }
func (r Records) Task(id TaskID) (Task, bool)          { return getAs[Task](r, KindTask, id) }
func (r Records) Message(id MessageID) (Message, bool) { return getAs[Message](r, KindMessage, id) }
func (r Records) Ingress(id IngressID) (Ingress, bool) { return getAs[Ingress](r, KindIngress, id) }
func (r Records) Delegation(id DelegationID) (Delegation, bool) {
	return getAs[Delegation](r, KindDelegation, id)
}
func (r Records) Attempt(_ AgentID, id ItemID) (Attempt, bool) {
	return getAs[Attempt](r, KindAttempt, id)
}
func (r Records) Trace(a AgentID, id ItemID) (Trace, bool) {
	return getAs[Trace](r, KindTrace, traceKey(a, id))
}
func (r Records) Offers(_ AgentID, id ItemID) (ReportOffers, bool) {
	return getAs[ReportOffers](r, KindOffers, id)
}
func (r Records) Seen(_ AgentID, id ItemID) (Seen, bool) { return getAs[Seen](r, KindSeen, id) }
func (r Records) Brief(a AgentID, id ItemID) (Brief, bool) {
	b, ok := getAs[Brief](r, KindBrief, id)
	return b, ok && b.AgentID == a
}

// Reader is what a frontend may ask as well: pages of agents and of history.
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
