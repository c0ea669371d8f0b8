package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Record is a record that a Change can write. The store keeps it whole under its name, as JSON.
type Record interface {
	// Name is unique in a ledger.
	Name() RecordName
	// Part is the agent whose part of the ledger has the record.
	Part() AgentID
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
	KindAgent: readAs[Agent], KindItem: readItem, KindWait: readAs[Wait], KindTask: readAs[Task],
	KindBrief: readAs[brief], KindDelivery: readAs[delivery], KindDelegation: readAs[Delegation], KindMessage: readAs[Message],
	KindAttempt: readAs[Attempt], KindTrace: readAs[trace], KindIngress: readAs[Ingress], KindOffers: readAs[ReportOffers],
	KindSeen: readAs[Seen],
}

// Kinds are all kinds of records, in order.
func Kinds() []RecordKind { return slices.Sorted(maps.Keys(readers)) }

// Known reports whether there is such a kind of records.
func (k RecordKind) Known() bool {
	_, ok := readers[k]
	return ok
}

// ReadRecord decodes a stored record of a kind.
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

func readItem(raw []byte) (Record, error) {
	var w WorkItem
	err := json.Unmarshal(raw, &w)
	w.PlanArtifact = w.PlanArtifact.placed(w.AgentID, w.ID)
	return w, err
}

// WriteRecord encodes a record to store it, for ReadRecord.
func WriteRecord(r Record) ([]byte, error) {
	if w, ok := r.(WorkItem); ok {
		w.PlanArtifact = w.PlanArtifact.unplaced()
		r = w
	}
	return json.Marshal(r)
}

// Name is part of Record. Briefs, deliveries, attempts, offers and acknowledgements have the item's id as key, because an item
// has one of each.
func (a Agent) Name() RecordName        { return RecordName{KindAgent, string(a.ID)} }
func (w WorkItem) Name() RecordName     { return RecordName{KindItem, string(w.ID)} }
func (w Wait) Name() RecordName         { return RecordName{KindWait, string(w.ID)} }
func (t Task) Name() RecordName         { return RecordName{KindTask, string(t.ID)} }
func (b brief) Name() RecordName        { return RecordName{KindBrief, string(b.WorkItemID)} }
func (d delivery) Name() RecordName     { return RecordName{KindDelivery, string(d.WorkItemID)} }
func (d Delegation) Name() RecordName   { return RecordName{KindDelegation, string(d.ID)} }
func (m Message) Name() RecordName      { return RecordName{KindMessage, string(m.ID)} }
func (a Attempt) Name() RecordName      { return RecordName{KindAttempt, string(a.WorkItemID)} }
func (t trace) Name() RecordName        { return RecordName{KindTrace, traceKey(t.AgentID, t.WorkItemID)} }
func (i Ingress) Name() RecordName      { return RecordName{KindIngress, string(i.ID)} }
func (o ReportOffers) Name() RecordName { return RecordName{KindOffers, string(o.WorkItemID)} }
func (x Seen) Name() RecordName         { return RecordName{KindSeen, string(x.WorkItemID)} }

// Part is part of Record. A delegation belongs to its parent.
func (a Agent) Part() AgentID        { return a.ID }
func (w WorkItem) Part() AgentID     { return w.AgentID }
func (w Wait) Part() AgentID         { return w.AgentID }
func (t Task) Part() AgentID         { return t.AgentID }
func (b brief) Part() AgentID        { return b.AgentID }
func (d delivery) Part() AgentID     { return d.AgentID }
func (d Delegation) Part() AgentID   { return d.ParentAgentID }
func (m Message) Part() AgentID      { return m.AgentID }
func (a Attempt) Part() AgentID      { return a.AgentID }
func (t trace) Part() AgentID        { return t.AgentID }
func (i Ingress) Part() AgentID      { return i.AgentID }
func (o ReportOffers) Part() AgentID { return o.AgentID }
func (x Seen) Part() AgentID         { return x.AgentID }

// traceKey is the key of an item's trace, or of the agent's own when item is empty.
func traceKey(agent AgentID, item ItemID) string {
	if item == "" {
		return "@" + string(agent)
	}
	return string(item)
}

// Task is the run of a command or of a child agent. It never changes an item's scheduling state by itself; only a wait does
// (docs/lifecycle.md 4).
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

// brief is the note for the operator about a completion. Each completion with a promoted report has exactly one.
type brief struct {
	ID         briefID  `json:"id"`
	AgentID    AgentID  `json:"agent_id"`
	WorkItemID ItemID   `json:"work_item_id"`
	BriefKind  string   `json:"kind"`
	Text       Text     `json:"text"`
	Provenance ReportOf `json:"provenance"`
	// Person is who the operator was, if it is the operator's.
	Person Text `json:"person,omitempty"`
	// Warnings are the completion's warnings; they stay with its report.
	Warnings  []Warning `json:"warnings,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// ReportOf says where a report's words came from.
type ReportOf string

// The provenances of a report. Only same_round and operator are promoted without a choice.
const (
	ReportSameRound ReportOf = "same_round"
	ReportNearRound ReportOf = "near_round"
	ReportTurnFinal ReportOf = "turn_final"
	ReportOperator  ReportOf = "operator"
	// reportImported is the provenance of a report from an import.
	reportImported ReportOf = "imported"
)

// delivery is the delivery summary of a completed WorkItem, with its evidence.
type delivery struct {
	ID         deliveryID `json:"id"`
	AgentID    AgentID    `json:"agent_id"`
	WorkItemID ItemID     `json:"work_item_id"`
	BriefID    briefID    `json:"brief_id"`
	Text       Text       `json:"text"`
	Provenance ReportOf   `json:"provenance"`
	CreatedAt  time.Time  `json:"created_at"`
}

// Delegation ties a child agent's WorkItem to its parent's by a flat record (docs/lifecycle.md 15). It lies in the parent's
// partition and by itself never blocks.
type Delegation struct {
	ID               DelegationID `json:"delegation_id"`
	ParentAgentID    AgentID      `json:"parent_agent_id"`
	ParentWorkItemID ItemID       `json:"parent_work_item_id"`
	ChildAgentID     AgentID      `json:"child_agent_id"`
	// ChildWorkItemID is empty until the child made its item.
	ChildWorkItemID ItemID `json:"child_work_item_id,omitempty"`
	// Label is the first line of the words with which the child was made.
	Label Text            `json:"label,omitempty"`
	State delegationState `json:"state"`
	// Blocking refuses the parent's completion while the delegation is open.
	Blocking      bool      `json:"blocking,omitempty"`
	ResultSummary Text      `json:"result_summary,omitempty"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// delegationState says whether a delegation is open.
type delegationState string

// The states of a delegation.
const (
	DelegationOpen      delegationState = "open"
	delegationCompleted delegationState = "completed"
	delegationCancelled delegationState = "cancelled"
)

// Facts is what a command can ask of the ledger. Each answer is a read by key or by index, so a command costs O(log n) in the
// ledger's size.
type Facts interface {
	getter
	Lister
}

// getter reads one record. A type that keeps records implements it by embedding Records.
type getter interface {
	Record(RecordName) (Record, bool)
	Agent(AgentID) (Agent, bool)
	Item(ItemID) (WorkItem, bool)
	Wait(WaitID) (Wait, bool)
	Task(TaskID) (Task, bool)
	Delegation(DelegationID) (Delegation, bool)
	Brief(AgentID, ItemID) (brief, bool)
	Message(MessageID) (Message, bool)
	Attempt(AgentID, ItemID) (Attempt, bool)
	// Trace holds the rounds during which an item (or none) was the focus. One that is not there yet has only its name.
	Trace(AgentID, ItemID) (trace, bool)
	Ingress(IngressID) (Ingress, bool)
	// Offers are the reports that are offered for a completed item without one.
	Offers(AgentID, ItemID) (ReportOffers, bool)
	// Seen is the operator's last acknowledgement of an item.
	Seen(AgentID, ItemID) (Seen, bool)
}

// Lister reads several records.
type Lister interface {
	// ItemWaits are the active waits of an item, oldest first; with an empty item, the agent's own.
	ItemWaits(AgentID, ItemID) []Wait
	// WaitsOn are the agent's active waits of a kind on a resource, oldest first.
	WaitsOn(AgentID, WaitKind, Text) []Wait
	// BlockingTasks are the running blocking tasks of an item.
	BlockingTasks(AgentID, ItemID) []Task
	// Delegations are the open delegations of a parent's item; ParentsOf are those that a child's item serves.
	Delegations(parent AgentID, item ItemID) []Delegation
	ParentsOf(child ItemID) []Delegation
	// ItemOf is the item with a handle; empty without one.
	ItemOf(Handle) ItemID
	// QueuedMessages are the agent's first queued messages, by priority, then oldest first.
	QueuedMessages(agent AgentID, limit int) []Message
	// Rows are the first limit rows of a class after the given row (nil: from the start), in the class's order.
	Rows(agent AgentID, class Class, after *Row, limit int) []Row
	// Count is the agent's count under a tally.
	Count(AgentID, Tally) int
	// Due are the agent's entries due at or before now, earliest first.
	Due(agent AgentID, now time.Time, limit int) []Due
	// Entries are the newest limit events of an item, newest first.
	Entries(item ItemID, limit int) []Entry
}

// Records implements getter with one function that finds a record by its name.
type Records struct {
	Get func(RecordName) (Record, bool)
}

// Record and the other methods implement getter.
func (r Records) Record(n RecordName) (Record, bool) { return r.Get(n) }

func getAs[R Record, K ~string](r Records, key K) (v R, ok bool) {
	x, _ := r.Get(RecordName{v.Name().Kind, string(key)})
	v, ok = x.(R)
	return v, ok
}

func (r Records) Agent(id AgentID) (Agent, bool) {
	a, ok := getAs[Agent](r, id)
	return a, ok && !a.Removed
}
func (r Records) Item(id ItemID) (WorkItem, bool)      { return getAs[WorkItem](r, id) }
func (r Records) Wait(id WaitID) (Wait, bool)          { return getAs[Wait](r, id) }
func (r Records) Task(id TaskID) (Task, bool)          { return getAs[Task](r, id) }
func (r Records) Message(id MessageID) (Message, bool) { return getAs[Message](r, id) }
func (r Records) Ingress(id IngressID) (Ingress, bool) { return getAs[Ingress](r, id) }
func (r Records) Delegation(id DelegationID) (Delegation, bool) {
	return getAs[Delegation](r, id)
}
func (r Records) Attempt(_ AgentID, id ItemID) (Attempt, bool) {
	return getAs[Attempt](r, id)
}
func (r Records) Trace(a AgentID, id ItemID) (trace, bool) {
	t, ok := getAs[trace](r, traceKey(a, id))
	t.AgentID, t.WorkItemID = a, id
	return t, ok
}
func (r Records) Offers(_ AgentID, id ItemID) (ReportOffers, bool) {
	return getAs[ReportOffers](r, id)
}
func (r Records) Seen(_ AgentID, id ItemID) (Seen, bool) { return getAs[Seen](r, id) }
func (r Records) Brief(a AgentID, id ItemID) (brief, bool) {
	b, ok := getAs[brief](r, id)
	return b, ok && b.AgentID == a
}

// Reader adds what a frontend asks: pages of agents and of history.
type Reader interface {
	Facts
	// Revision is the ledger's revision; every change adds one.
	Revision() uint64
	// Changed are the agents with events that were committed after a revision was read, even if their place in the history is
	// earlier. If all is false, there can be others, and the caller must read everything.
	Changed(after uint64) (agents map[AgentID]bool, all bool)
	// Agents are the first limit agents with an id greater than after.
	Agents(after AgentID, limit int) []Agent
	// History are the entries newer than the position, oldest first: those of one agent, or of all if agent is empty.
	History(agent AgentID, after Position, limit int) []Entry
	// HistoryBefore are the entries older than the position, newest first; a zero position is the end.
	HistoryBefore(agent AgentID, before Position, limit int) []Entry
	// News are the entries that were saved after the one at the position, in the order in which they were saved: those of one
	// agent, or of all if agent is empty. Where agents do not wait for one another, this is not the order of positions.
	News(agent AgentID, after Position, limit int) []Entry
	// Inbox visits the entries of a need, of all agents, until visit returns false. Those of open items come longest waiting
	// first, those of completed ones newest first.
	Inbox(need Need, visit func(Inboxed) bool)
	// Items are at most limit items by id, the greatest first, whose stored record passes may. Several goroutines call may at
	// once. It stops after a bounded number of records, looked. The next call begins at next, which is empty at the end.
	Items(from string, limit int, may func(stored []byte) bool) (found []WorkItem, next string, looked int)
	// ItemsOf does the same for items of a class, in its order, whose row passes may.
	ItemsOf(a AgentID, c Class, from string, limit int, may func(Row) bool) (found []WorkItem, next string, looked int)
	// Finished are the completed items of all agents, newest first, after the given row (nil: from the newest).
	Finished(after *Row, limit int) []Row
	// ExternalWaits are the agent's active waits for something outside, its items' and its own, after the given one (nil: from the start),
	// in an order of the ledger's.
	ExternalWaits(agent AgentID, after *Wait, limit int) []Wait
	// RunningTasks are the agent's running tasks, oldest first.
	RunningTasks(agent AgentID, limit int) []Task
	// Tasks are the agent's tasks, running ones first, then newest first.
	Tasks(agent AgentID, limit int) []Task
	// Ingresses are the capabilities that reach the agent, newest first, including revoked ones.
	Ingresses(agent AgentID, limit int) []Ingress
	// OpenDelegations are the open delegations of an agent's items.
	OpenDelegations(parent AgentID, limit int) []Delegation
	// Waits are all waits of an item, including cancelled ones, newest first.
	Waits(agent AgentID, item ItemID, limit int) []Wait
}

// Position is a place in the journal. Where agents do not wait for one another, changes of different agents can have one revision.
type Position struct {
	Revision uint64  `json:"revision"`
	Agent    AgentID `json:"agent,omitempty"`
	N        int     `json:"n"`
}

// Before reports whether p is earlier in the journal than q.
func (p Position) Before(q Position) bool {
	return cmp.Or(cmp.Compare(p.Revision, q.Revision), cmp.Compare(p.Agent, q.Agent), cmp.Compare(p.N, q.N)) < 0
}

// AfterRevision is the place after all changes of a revision.
func AfterRevision(n uint64) Position { return Position{Revision: n + 1} }
