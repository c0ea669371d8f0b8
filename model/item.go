package model

import "time"

// WorkItem is the durable record of one objective that an agent owns (docs/lifecycle.md 1).
// What can be derived (readiness, class, focus) is not in it.
type WorkItem struct {
	ID      ItemID  `json:"id"`
	Handle  Handle  `json:"handle"`
	AgentID AgentID `json:"agent_id"`
	// Revision is 1 at creation and grows by one with every write.
	Revision uint64 `json:"revision"`
	// Mutated is the revision of the last mutation by an agent or operator: a plan file
	// that was read again makes nobody's view of the item stale.
	Mutated      uint64       `json:"mutated_revision"`
	Objective    Text         `json:"objective"`
	State        State        `json:"state"`
	PlanStatus   PlanStatus   `json:"plan_status"`
	PlanArtifact PlanArtifact `json:"plan_artifact"`
	TodoList     []Todo       `json:"todo_list,omitempty"`
	// BlockedBy is the author's own words; the program never interprets them.
	BlockedBy         Text      `json:"blocked_by,omitempty"`
	RecheckAt         time.Time `json:"recheck_at,omitzero"`
	RecheckConsumedAt time.Time `json:"recheck_consumed_at,omitzero"`
	// ResultSummary is the promoted completion report; never synthesised.
	ResultSummary Text `json:"result_summary,omitempty"`
	// Offered is how many reports the operator has to choose from; 0 once they declined.
	Offered int `json:"offered_reports,omitempty"`
	// Replies are the operator's newest answers to the item's questions, oldest first.
	Replies   []Reply   `json:"replies,omitempty"`
	Links     Links     `json:"links,omitzero"`
	CreatedAt time.Time `json:"created_at"`
	// UpdatedAt moves with an agent's or operator's mutation, not with bookkeeping, so
	// that the orders built on it stay fair.
	UpdatedAt time.Time `json:"updated_at"`
}

// State is the hard lifecycle boundary of a WorkItem.
type State string

// The states of a WorkItem. Completed is final.
const (
	Open      State = "open"
	Completed State = "completed"
)

// PlanStatus is the planning posture of a WorkItem.
type PlanStatus string

// The plan statuses. NeedsInput makes an item non-runnable.
const (
	Draft      PlanStatus = "draft"
	Ready      PlanStatus = "ready"
	NeedsInput PlanStatus = "needs_input"
)

// Todo is one entry of a WorkItem's progress checklist. Order in the list is its order.
type Todo struct {
	Text  Text      `json:"text"`
	State TodoState `json:"state"`
}

// TodoState is how far a todo is. A todo is never blocked: a WorkItem is.
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

// Links tie a WorkItem to its neighbours: threads (where was the work left) and file
// todos (what exactly), and to anything else worth naming.
type Links struct {
	Threads  []ThreadLink `json:"threads,omitempty"`
	TodoRefs []TodoRef    `json:"todo_refs,omitempty"`
	Refs     []Ref        `json:"refs,omitempty"`
}

// ThreadLink names a Work State thread of a repository.
type ThreadLink struct {
	Repo   Text `json:"repo"`
	TaskID Text `json:"task_id"`
}

// TodoRef names a file todo of a session.
type TodoRef struct {
	TodosBase   Text `json:"todos_base"`
	QualifiedID Text `json:"qualified_id"`
}

// Ref names anything else: a file, an issue, a pull request, an imported record.
type Ref struct {
	Kind  Text `json:"kind"`
	Ref   Text `json:"ref"`
	Title Text `json:"title,omitempty"`
}

// OffersReport reports whether the item was completed without a report, and somebody has to
// say which of the offered ones is it.
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

// TodoCounts is how many todos are completed, in progress, and there at all.
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
