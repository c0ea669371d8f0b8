package model

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// WorkItem is the durable record of one objective that an agent owns (docs/lifecycle.md 1). It holds nothing that can be
// derived (readiness, class, focus).
type WorkItem struct {
	ID      ItemID  `json:"id"`
	Handle  Handle  `json:"handle"`
	AgentID AgentID `json:"agent_id"`
	// Revision is 1 at creation and grows by one with every write.
	Revision uint64 `json:"revision"`
	// Mutated is the revision of the last change by an agent or the operator. A plan that is read again does not move it, so
	// nobody's view of the item gets stale.
	Mutated      uint64       `json:"mutated_revision"`
	Objective    Text         `json:"objective"`
	State        State        `json:"state"`
	PlanStatus   PlanStatus   `json:"plan_status"`
	PlanArtifact PlanArtifact `json:"plan_artifact"`
	// PlanSeen is the plan's hash at the last change by an agent or the operator after the creation.
	PlanSeen string `json:"plan_seen,omitempty"`
	// PlanAwaited are the hashes, oldest first, that the plan file can have while an edit of another machine is on its way to it.
	PlanAwaited []string `json:"plan_awaited,omitempty"`
	TodoList    []Todo   `json:"todo_list,omitempty"`
	// Priority is the order by hand within the queue (docs/lifecycle.md 10); empty is normal.
	Priority ItemPriority `json:"priority,omitempty"`
	// BlockedBy is in the author's own words; the program never interprets them.
	BlockedBy Text `json:"blocked_by,omitempty"`
	// BlockedByActor set the blocker; empty in records of older versions.
	BlockedByActor    Actor     `json:"blocked_by_actor,omitempty"`
	RecheckAt         time.Time `json:"recheck_at,omitzero"`
	RecheckConsumedAt time.Time `json:"recheck_consumed_at,omitzero"`
	// ResultSummary is the promoted completion report; vise never makes one up.
	ResultSummary Text `json:"result_summary,omitempty"`
	// ReportDue are the delegations that the item served and that ended with its completion, before it had a report.
	ReportDue []reportDue `json:"report_due,omitempty"`
	// AwaitedBy are the agents with waits for the item's completion, past ones too.
	AwaitedBy []AgentID `json:"awaited_by,omitempty"`
	// Offered is how many reports the operator can choose from; 0 after they declined.
	Offered int `json:"offered_reports,omitempty"`
	// Replies are the operator's newest answers to the item's questions, oldest first.
	Replies []Reply `json:"replies,omitempty"`
	// Comments are the operator's newest comments on the changed files, oldest first.
	Comments []Comment `json:"comments,omitempty"`
	// Overlaps are files that another agent's item changes too, oldest first.
	Overlaps  []Overlap `json:"overlaps,omitempty"`
	Links     Links     `json:"links,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	// UpdatedAt moves with a change by an agent or the operator, not with bookkeeping. So the orders built on it stay fair.
	UpdatedAt time.Time `json:"updated_at"`
}

// State says whether a WorkItem is open or completed.
type State string

// The states of a WorkItem. Completed is final.
const (
	Open      State = "open"
	Completed State = "completed"
)

// ItemPriority orders an agent's queue by hand (docs/lifecycle.md 10).
type ItemPriority string

// The priorities of items. A normal one is stored as an empty string.
const (
	PriorityHigh   ItemPriority = "high"
	PriorityNormal ItemPriority = "normal"
	PriorityLow    ItemPriority = "low"
)

// validPriority is a priority in its stored form.
func validPriority(p ItemPriority) (ItemPriority, error) {
	if p == PriorityNormal || p == "" {
		return "", nil
	}
	return p, oneOf("priority", p, PriorityHigh, PriorityNormal, PriorityLow)
}

// PlanStatus says how far a WorkItem's plan is.
type PlanStatus string

// The plan statuses. NeedsInput makes an item non-runnable.
const (
	Draft      PlanStatus = "draft"
	Ready      PlanStatus = "ready"
	NeedsInput PlanStatus = "needs_input"
)

// Todo is one entry of a WorkItem's checklist; the list keeps their order.
type Todo struct {
	Text  Text      `json:"text"`
	State TodoState `json:"state"`
}

// TodoState is how far a todo is. A todo is never blocked; only a WorkItem is.
type TodoState string

// The states of a todo.
const (
	TodoPending    TodoState = "pending"
	TodoInProgress TodoState = "in_progress"
	TodoCompleted  TodoState = "completed"
)

// Limits of a WorkItem's texts, in Unicode scalars (docs/lifecycle.md 1).
const (
	MaxObjective = 2000
	MaxTodos     = 200
	MaxTodoText  = 500
	MaxBlocker   = 2000
	MaxReport    = 64 << 10
	MaxReason    = 2000
)

// PlanMoved reports whether plan.md has changed since an agent or the operator last changed the item. It is false as long as
// nobody has changed the item since its creation.
func (w WorkItem) PlanMoved() bool {
	p := w.PlanArtifact
	return w.PlanSeen != "" && p.Condition == PlanOK && p.Hash != w.PlanSeen && p.UpdatedAt.After(w.UpdatedAt)
}

// OffersReport reports whether the item was completed without a report, and the operator has to choose among the offered ones.
func (w WorkItem) OffersReport() bool {
	return w.State == Completed && w.ResultSummary == "" && w.Offered > 0
}

// CurrentTodo is the first todo in progress, else the first pending one.
func (w WorkItem) CurrentTodo() (Todo, bool) {
	for _, want := range []TodoState{TodoInProgress, TodoPending} {
		for _, t := range w.TodoList {
			if t.State == want {
				return t, true
			}
		}
	}
	return Todo{}, false
}

// TodoCounts are the numbers of completed todos, of todos in progress, and of all.
func (w WorkItem) TodoCounts() (done, inProgress, total int) {
	for _, t := range w.TodoList {
		switch t.State {
		case TodoCompleted:
			done++
		case TodoInProgress:
			inProgress++
		}
	}
	return done, inProgress, len(w.TodoList)
}

// PlanArtifact describes a WorkItem's plan.md at its last reading (docs/lifecycle.md 13). The file is the truth; this is a
// cache of it.
type PlanArtifact struct {
	// The place of the file follows from its item. The ledger does not store it.
	OwnerAgentID   AgentID `json:"owner_agent_id,omitempty"`
	WorkspaceID    string  `json:"workspace_id,omitempty"`
	WorkspaceAlias string  `json:"workspace_alias,omitempty"`
	RelativePath   string  `json:"relative_path,omitempty"`
	// Path is absolute. The ledger does not store it, so that a home can be moved.
	Path string `json:"path,omitempty"`
	// Hash is "sha256:" and the hex of the raw bytes; empty unless Condition is ok or not_text.
	Hash            string        `json:"hash,omitempty"`
	Bytes           int64         `json:"bytes"`
	UpdatedAt       time.Time     `json:"updated_at,omitzero"`
	Preview         Text          `json:"preview"`
	PreviewComplete bool          `json:"preview_complete"`
	Condition       PlanCondition `json:"condition"`
	// Awaited: the file, on another machine, does not have the last edit yet. The ledger does not store it.
	Awaited bool `json:"awaited,omitempty"`
}

// PlanCondition says whether the plan file can be shown. A bad plan never blocks an operation.
type PlanCondition string

// The conditions of a plan file.
const (
	PlanOK          PlanCondition = "ok"
	PlanMissing     PlanCondition = "missing"
	PlanUnreadable  PlanCondition = "unreadable"
	PlanNotRegular  PlanCondition = "not_regular"
	PlanOutsideHome PlanCondition = "outside_home"
	PlanTooLarge    PlanCondition = "too_large"
	PlanNotText     PlanCondition = "not_text"
	// PlanElsewhere is the condition of a file on another machine. The description and the preview are the ledger's, and there is no Path.
	PlanElsewhere PlanCondition = "elsewhere"
)

const (
	// PreviewRunes bounds a preview, in Unicode scalars.
	PreviewRunes = 1600
	// MaxPlanBytes bounds the size of a plan file that is read.
	MaxPlanBytes = 8 << 20
)

// NewPlanArtifact describes raw, the whole content of item id's plan file. Text that is not UTF-8, or that holds a NUL, has
// condition not_text and no preview.
func NewPlanArtifact(agent AgentID, id ItemID, raw []byte, modified time.Time) PlanArtifact {
	p := BadPlanArtifact(agent, id, PlanOK)
	p.Hash, p.Bytes, p.UpdatedAt = hashOf(raw), int64(len(raw)), modified.UTC()
	if !isText(raw) {
		p.Condition = PlanNotText
		return p
	}
	p.Preview, p.PreviewComplete = preview(raw)
	return p
}

// BadPlanArtifact describes a plan file that could not be read.
func BadPlanArtifact(agent AgentID, id ItemID, c PlanCondition) PlanArtifact {
	return PlanArtifact{Condition: c}.placed(agent, id)
}

// placed returns p with the place of an item's plan.
func (p PlanArtifact) placed(agent AgentID, id ItemID) PlanArtifact {
	p.OwnerAgentID, p.WorkspaceID, p.WorkspaceAlias = agent, "agent_home:"+string(agent), "agent_home"
	p.RelativePath = "work-items/" + string(id) + "/plan.md"
	return p
}

// unplaced returns p without that place.
func (p PlanArtifact) unplaced() PlanArtifact {
	p.OwnerAgentID, p.WorkspaceID, p.WorkspaceAlias, p.RelativePath = "", "", "", ""
	return p
}

// SamePlan reports whether two descriptors describe the same content: a touched file is no news.
func SamePlan(a, b PlanArtifact) bool {
	return a.Hash == b.Hash && a.Bytes == b.Bytes && a.Condition == b.Condition
}

func hashOf(raw []byte) string { return "sha256:" + Hash(string(raw)) }

// Hash is the SHA-256 of parts, with a zero byte between two, in hexadecimal digits.
func Hash(parts ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(parts, "\x00"))))
}

func isText(raw []byte) bool { return utf8.Valid(raw) && bytes.IndexByte(raw, 0) < 0 }

// preview is the first PreviewRunes scalars of raw; the bool says whether they are all.
func preview(raw []byte) (Text, bool) {
	t := cut(Text(raw[:min(len(raw), PreviewRunes*utf8.UTFMax)]), PreviewRunes)
	return t, len(t) == len(raw)
}

// Wait says what would wake a WorkItem or, if WorkItemID is empty, the agent itself. Its status is active or cancelled.
// Triggered is derived from TriggerCount, so that one wait can count many events (docs/lifecycle.md 4).
type Wait struct {
	ID         WaitID     `json:"id"`
	AgentID    AgentID    `json:"agent_id"`
	WorkItemID ItemID     `json:"work_item_id,omitempty"`
	Status     waitStatus `json:"status"`
	Kind       WaitKind   `json:"kind"`
	Reason     Text       `json:"waiting_for"`
	// Resource names the task, the external thing, or the timer's instant in words.
	Resource  Text `json:"resource,omitempty"`
	Source    Text `json:"source,omitempty"`
	Condition Text `json:"condition,omitempty"`
	Ask       Ask  `json:"ask,omitzero"`
	// Replaces is the unanswered question that this one replaced.
	Replaces WaitID  `json:"replaces,omitempty"`
	Deliver  Deliver `json:"deliver"`
	// WakeAt is when a timer wait is due.
	WakeAt       time.Time `json:"wake_at,omitzero"`
	TriggerCount int       `json:"trigger_count"`
	// SeenCount is how many of the triggers a turn, a person or a receipt has seen.
	SeenCount       int        `json:"seen_count,omitempty"`
	LastTriggeredAt time.Time  `json:"last_triggered_at,omitzero"`
	LastTrigger     Provenance `json:"last_trigger,omitzero"`
	// Checked is the forge's last answer, for a wait about which vise asks one.
	Checked      Checked   `json:"checked,omitzero"`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`
	CancelledAt  time.Time `json:"cancelled_at,omitzero"`
	CancelReason string    `json:"cancel_reason,omitempty"`
}

// afterItem begins the resource of an external wait for the completion of a work item of any agent; its id follows.
const afterItem = "item:"

// After is the item for whose completion an external wait waits, or "".
func (w Wait) After() ItemID {
	id, ok := strings.CutPrefix(string(w.Resource), afterItem)
	if !ok || w.Kind != WaitExternal {
		return ""
	}
	return ItemID(id)
}

// Triggered reports whether an active wait was triggered.
func (w Wait) Triggered() bool { return w.Status == WaitActive && w.TriggerCount > 0 }

// Ask is an operator wait's question with its proposed answers.
type Ask struct {
	Question Text   `json:"question,omitempty"`
	Choices  []Text `json:"choices,omitempty"`
}

// Provenance says who sent a trigger, through what, and what it carried.
type Provenance struct {
	Actor   Actor `json:"actor"`
	Person  Text  `json:"person,omitempty"`
	Source  Text  `json:"source,omitempty"`
	Payload Text  `json:"payload,omitempty"`
}

// waitStatus is the stored status of a wait.
type waitStatus string

// The statuses of a wait.
const (
	WaitActive    waitStatus = "active"
	WaitCancelled waitStatus = "cancelled"
)

// WaitKind is the kind of event that wakes a wait.
type WaitKind string

// The kinds of waits, in their order of precedence (docs/lifecycle.md 2).
const (
	WaitTask     WaitKind = "task"
	WaitOperator WaitKind = "operator"
	WaitTimer    WaitKind = "timer"
	WaitExternal WaitKind = "external"
	WaitSystem   WaitKind = "system"
)

var waitRank = map[WaitKind]int{WaitTask: 0, WaitOperator: 1, WaitTimer: 2, WaitExternal: 3, WaitSystem: 4}

// Wake is the kind of a wait in WaitFor (docs/lifecycle.md 4).
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

// Deliver is the way in which a trigger reaches the agent.
type Deliver string

// The ways of delivery. A wake hint says only that something changed; an enqueued message carries the content.
const (
	DeliverWakeHint       Deliver = "wake_hint"
	DeliverEnqueueMessage Deliver = "enqueue_message"
)

// Limits of a wait's texts, in Unicode scalars; MaxPayload in bytes.
const (
	MaxWaitText = 2000
	maxChoices  = 5
	MaxPayload  = 64 << 10
)
