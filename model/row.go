package model

import (
	"cmp"
	"encoding/binary"
	"time"
)

// Row is what a list shows of an item: the compact value in the class index. Only RowOf derives it.
type Row struct {
	ID            ItemID     `json:"id"`
	Handle        Handle     `json:"handle"`
	AgentID       AgentID    `json:"agent_id"`
	Revision      uint64     `json:"revision"`
	Objective     Text       `json:"objective"`
	Class         Class      `json:"class"`
	Scheduling    Scheduling `json:"scheduling"`
	ReasonCode    string     `json:"reason_code"`
	IsCurrent     bool       `json:"is_current,omitempty"`
	NeedsOperator bool       `json:"needs_operator,omitempty"`
	PlanStatus    PlanStatus `json:"plan_status"`
	// Priority is the order by hand within the queue; empty is normal.
	Priority  ItemPriority `json:"priority,omitempty"`
	Todo      TodoGist     `json:"todo,omitzero"`
	BlockedBy Text         `json:"blocked_by,omitempty"`
	Wait      WaitGist     `json:"wait,omitzero"`
	RecheckAt time.Time    `json:"recheck_at,omitzero"`
	// Reported: the item has a completion report.
	Reported bool `json:"reported,omitempty"`
	// Stalled is filled when a list is read; the class index does not have it.
	Stalled   bool      `json:"stalled,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Offered reports whether the item waits for the operator to choose its report.
func (r Row) Offered() bool { return r.Class == CompletedRecent && r.NeedsOperator }

// TodoGist is the progress of a checklist.
type TodoGist struct {
	Done    int  `json:"done,omitempty"`
	Total   int  `json:"total,omitempty"`
	Current Text `json:"current,omitempty"`
}

// WaitGist is the deciding wait in a few words.
type WaitGist struct {
	Kind            WaitKind  `json:"kind,omitempty"`
	Source          Text      `json:"source,omitempty"`
	Resource        Text      `json:"resource,omitempty"`
	Question        Text      `json:"question,omitempty"`
	WakeAt          time.Time `json:"wake_at,omitzero"`
	LastTriggeredAt time.Time `json:"last_triggered_at,omitzero"`
	TriggeredBy     Text      `json:"triggered_by,omitempty"`
	// Checked is the forge's last answer, in a few words.
	Checked Text `json:"checked,omitempty"`
}

// Came is the news of a trigger in a few words: the forge's answer, else the sender.
func (g WaitGist) Came() Text { return cmp.Or(g.Checked, Text(Spaced(g.TriggeredBy))) }

// Bounds of the texts in a row, in Unicode scalars; a longer text never fits on a line.
const (
	rowObjective = 200
	rowText      = 120
)

// RowOf derives an item's row.
func RowOf(w WorkItem, waits []Wait, current bool) Row {
	d := Derive(w, waits, current)
	r := Row{
		ID: w.ID, Handle: w.Handle, AgentID: w.AgentID, Revision: w.Revision,
		Objective: cut(w.Objective, rowObjective), Class: d.Class, Scheduling: d.Scheduling,
		ReasonCode: d.ReasonCode, IsCurrent: d.IsCurrent, NeedsOperator: d.NeedsOperator,
		PlanStatus: w.PlanStatus, Priority: w.Priority, BlockedBy: cut(w.BlockedBy, rowText), Wait: gist(waits, d),
		RecheckAt: w.RecheckAt, Reported: w.ResultSummary != "", CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
	}
	r.Todo = todoGist(w)
	return r
}

// rowIn derives the row of an item with the waits and the focus in f.
func rowIn(f Facts, w WorkItem) Row {
	a, _ := f.Agent(w.AgentID)
	return RowOf(w, f.ItemWaits(w.AgentID, w.ID), a.CurrentWorkItemID == w.ID)
}

func todoGist(w WorkItem) (g TodoGist) {
	g.Done, _, g.Total = w.TodoCounts()
	if t, ok := w.CurrentTodo(); ok {
		g.Current = cut(t.Text, rowText)
	}
	return g
}

func gist(waits []Wait, d derived) WaitGist {
	if d.Wait == nil {
		return WaitGist{}
	}
	g := WaitGist{
		Kind: d.Wait.Kind, Source: cut(d.Wait.Source, rowText), Resource: cut(d.Wait.Resource, rowText),
		Question: cut(d.Wait.Ask.Question, rowObjective), WakeAt: d.Wait.WakeAt, LastTriggeredAt: d.LastTriggeredAt,
		Checked: cut(d.Wait.Checked.Gist(), rowText),
	}
	for _, x := range waits {
		if x.Triggered() && x.LastTriggeredAt.Equal(d.LastTriggeredAt) {
			g.TriggeredBy = cut(cmp.Or(x.LastTrigger.Source, Text(x.LastTrigger.Actor)), rowText)
		}
	}
	return g
}

// cut keeps the first n Unicode scalars of t.
func cut(t Text, n int) Text {
	for i := range t {
		if n == 0 {
			return t[:i]
		}
		n--
	}
	return t
}

// SortKey orders the rows of a class bytewise (docs/lifecycle.md 10): triggered ones by last trigger, newest first; queued ones
// by priority, then by update, oldest first; the others by update, newest first. Ties go by creation, oldest first, then by id.
func (r Row) SortKey() []byte {
	key := make([]byte, 0, 24+len(r.ID))
	switch r.Class {
	case TriggeredBlocked:
		key = appendTime(key, r.Wait.LastTriggeredAt, true)
		key = appendTime(key, r.UpdatedAt, true)
	case QueuedRunnable:
		key = appendTime(key, r.UpdatedAt, false)
		key[0] ^= priorityBits[r.Priority]
		key = appendTime(key, r.CreatedAt, false)
	default:
		key = appendTime(key, r.UpdatedAt, true)
		key = appendTime(key, r.CreatedAt, false)
	}
	return append(key, r.ID...)
}

// priorityBits change the first byte of a queued row's key. An instant between 1970 and 2116 begins
// with the bits 10: high priority begins with 00, low with 11, and a normal key is the instant alone.
var priorityBits = map[ItemPriority]byte{PriorityHigh: 0x80, PriorityLow: 0x40}

func appendTime(key []byte, t time.Time, newestFirst bool) []byte {
	n := uint64(t.UnixNano()) ^ 1<<63
	if newestFirst {
		n = ^n
	}
	return binary.BigEndian.AppendUint64(key, n)
}

// Tally names a count that the class index keeps for each agent.
type Tally string

// The tallies of neither a class nor a scheduling state.
const (
	TallyOpen          Tally = "open"
	TallyCompleted     Tally = "completed"
	TallyNeedsOperator Tally = "needs_operator"
	// tallyBlocked counts the items in the filter blocked: blocked and not current.
	tallyBlocked            Tally = "blocked"
	tallyWaitingForOperator Tally = "waiting_for_operator"
	tallyRunnable           Tally = "runnable"
)

// ClassTally counts a class.
func ClassTally(c Class) Tally { return Tally("class:" + c) }

// schedulingTally counts a scheduling state.
func schedulingTally(s Scheduling) Tally { return Tally("scheduling:" + s) }

// Tallies are the counts to which r adds one.
func (r Row) Tallies() []Tally {
	out := []Tally{ClassTally(r.Class), schedulingTally(r.Scheduling)}
	if r.Offered() {
		out = append(out, TallyNeedsOperator, ClassTally(ReportOffered))
	}
	if r.Scheduling == scheduledNever {
		return append(out, TallyCompleted)
	}
	out = append(out, TallyOpen)
	if r.NeedsOperator {
		out = append(out, TallyNeedsOperator)
	}
	switch r.Scheduling.Readiness() {
	case readyToRun:
		out = append(out, tallyRunnable)
	case readyOperator:
		out = append(out, tallyWaitingForOperator)
	case readyBlocked:
		if !r.IsCurrent {
			out = append(out, tallyBlocked)
		}
	}
	return out
}

// Due is an entry with a due time: an item's recheck, a timer wait or a system wait.
type Due struct {
	At     time.Time `json:"at"`
	ItemID ItemID    `json:"item_id,omitempty"`
	// WaitID names the timer or system wait; empty for a recheck.
	WaitID WaitID `json:"wait_id,omitempty"`
}

// DuesOf are the due entries of an item and its active waits; for an agent's own waits, w is the zero item. A consumed recheck
// and a fired timer are not due.
func DuesOf(w WorkItem, waits []Wait) []Due {
	var out []Due
	armed := w.State == Open && w.BlockedBy != "" && !w.RecheckAt.IsZero()
	if armed && w.RecheckConsumedAt.Before(w.RecheckAt) {
		out = append(out, Due{At: w.RecheckAt, ItemID: w.ID})
	}
	for _, x := range waits {
		if (x.Kind == WaitTimer || x.Kind == WaitSystem) && x.TriggerCount == 0 && !x.WakeAt.IsZero() {
			out = append(out, Due{At: x.WakeAt, ItemID: x.WorkItemID, WaitID: x.ID})
		}
	}
	return out
}

// View is an item as tools, command line and console show it: the record and everything derived from it (docs/lifecycle.md 2).
type View struct {
	ID            ItemID       `json:"id"`
	Handle        Handle       `json:"handle"`
	AgentID       AgentID      `json:"agent_id"`
	WorkspaceID   string       `json:"workspace_id"`
	Revision      uint64       `json:"revision"`
	Objective     Text         `json:"objective"`
	State         State        `json:"state"`
	Focus         string       `json:"focus"`
	Readiness     readiness    `json:"readiness"`
	Scheduling    Scheduling   `json:"scheduling_state"`
	ReasonCode    string       `json:"reason_code"`
	Class         Class        `json:"candidate_class"`
	IsCurrent     bool         `json:"is_current"`
	IsRunnable    bool         `json:"is_runnable"`
	NeedsOperator bool         `json:"needs_operator"`
	PlanStatus    PlanStatus   `json:"plan_status"`
	Plan          PlanArtifact `json:"plan_artifact"`
	Priority      ItemPriority `json:"priority,omitempty"`
	ViewMore
}

// ViewMore is the part of a View that is often empty.
type ViewMore struct {
	TodoList          []Todo            `json:"todo_list,omitempty"`
	CurrentTodo       *Todo             `json:"current_todo,omitempty"`
	BlockedBy         Text              `json:"blocked_by,omitempty"`
	RecheckAt         time.Time         `json:"recheck_at,omitzero"`
	RecheckConsumedAt time.Time         `json:"recheck_consumed_at,omitzero"`
	Report            *completionReport `json:"completion_report,omitempty"`
	// Offered are the reports to choose from, for a completed item without a report.
	Offered         []ReportOffer `json:"offered_reports,omitempty"`
	ActiveWaits     []Wait        `json:"active_wait_conditions,omitempty"`
	LastTriggeredAt time.Time     `json:"last_triggered_at,omitzero"`
	Links           Links         `json:"links,omitzero"`
	// Replies are the operator's newest answers, oldest first.
	Replies     []Delivered `json:"replies,omitempty"`
	Diagnostics []string    `json:"diagnostics,omitempty"`
	// Used is what the turns about the item used, as far as the program reports it.
	Used Usage `json:"used,omitzero"`
	// Stalled: several turns for the item changed nothing (docs/lifecycle.md 12).
	Stalled bool `json:"stalled,omitempty"`
	// Overlaps are files that another agent's open item changes too, newest first.
	Overlaps  []Overlapped `json:"overlaps,omitempty"`
	CreatedAt time.Time    `json:"created_at"`
	UpdatedAt time.Time    `json:"updated_at"`
}

// completionReport is a completed item's report and where it came from.
type completionReport struct {
	Text      Text      `json:"text"`
	Source    string    `json:"source"`
	By        ReportOf  `json:"provenance,omitempty"`
	Person    Text      `json:"person,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	// Warnings are those of the completion.
	Warnings []Warning `json:"warnings,omitempty"`
	// TurnFinal are the last words of the turn, beside a short report.
	TurnFinal Text `json:"turn_final,omitempty"`
}

// planReader is a Reader that knows the present state of plan files.
type planReader interface {
	// PlanOf describes an item's plan file. If the file cannot be read now, it returns the ledger's description.
	PlanOf(WorkItem) PlanArtifact
}

// ViewOf is the view of an item. It takes the plan file's present state if f is a planReader, else the ledger's description.
func ViewOf(f Facts, w WorkItem) View {
	if plans, ok := f.(planReader); ok {
		w.PlanArtifact = plans.PlanOf(w)
	}
	a, _ := f.Agent(w.AgentID)
	waits := f.ItemWaits(w.AgentID, w.ID)
	d := Derive(w, waits, a.CurrentWorkItemID == w.ID)
	v := View{
		ID: w.ID, Handle: w.Handle, AgentID: w.AgentID, WorkspaceID: "agent_home:" + string(w.AgentID),
		Revision: w.Revision, Objective: w.Objective, State: w.State, Focus: focusWord(w, d),
		Readiness: d.Readiness, Scheduling: d.Scheduling, ReasonCode: d.ReasonCode, Class: d.Class,
		IsCurrent: d.IsCurrent, IsRunnable: d.Scheduling == Runnable, NeedsOperator: d.NeedsOperator,
		PlanStatus: w.PlanStatus, Priority: w.Priority, Plan: w.PlanArtifact,
		ViewMore: ViewMore{
			TodoList: w.TodoList, BlockedBy: w.BlockedBy, RecheckAt: w.RecheckAt, RecheckConsumedAt: w.RecheckConsumedAt,
			ActiveWaits: waits, LastTriggeredAt: d.LastTriggeredAt, Links: w.Links, Replies: deliveredOf(f, w), Diagnostics: d.Diagnostics,
			Overlaps: OverlapsOf(f, w), CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
		},
	}
	if t, ok := w.CurrentTodo(); ok && w.State == Open {
		v.CurrentTodo = &t
	}
	v.Stalled = stalled(f, RowOf(w, waits, d.IsCurrent))
	v.Report = reportOf(f, w)
	t, _ := f.Trace(w.AgentID, w.ID)
	v.Used = t.Used
	if w.State == Completed && v.Report == nil {
		offers, _ := f.Offers(w.AgentID, w.ID)
		v.Offered = offers.Offers
	}
	return v
}

// focusWord is the word that tools use for an item: current, queued, blocked or completed. Queued means runnable; every other
// waiting item is blocked.
func focusWord(w WorkItem, d derived) string {
	switch {
	case w.State == Completed:
		return "completed"
	case d.IsCurrent:
		return "current"
	case d.Scheduling == Runnable:
		return "queued"
	}
	return "blocked"
}

func reportOf(f Facts, w WorkItem) *completionReport {
	if w.State != Completed || w.ResultSummary == "" {
		return nil
	}
	r := &completionReport{Text: w.ResultSummary, Source: "work_item_result_summary"}
	if b, ok := f.Brief(w.AgentID, w.ID); ok {
		r.By, r.Person, r.CreatedAt, r.Warnings = b.Provenance, b.Person, b.CreatedAt, b.Warnings
	}
	if offers, _ := f.Offers(w.AgentID, w.ID); r.By == ReportSameRound {
		for _, o := range offers.Offers {
			r.TurnFinal = o.Text
		}
	}
	return r
}
