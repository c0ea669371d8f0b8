package model

import "time"

// View is an item as tools, CLI and console show it: the record with all that follows
// from it (docs/lifecycle.md 2).
type View struct {
	ID            ItemID       `json:"id"`
	Handle        Handle       `json:"handle"`
	AgentID       AgentID      `json:"agent_id"`
	WorkspaceID   string       `json:"workspace_id"`
	Revision      uint64       `json:"revision"`
	Objective     Text         `json:"objective"`
	State         State        `json:"state"`
	Focus         string       `json:"focus"`
	Readiness     Readiness    `json:"readiness"`
	Scheduling    Scheduling   `json:"scheduling_state"`
	ReasonCode    string       `json:"reason_code"`
	Class         Class        `json:"candidate_class"`
	IsCurrent     bool         `json:"is_current"`
	IsRunnable    bool         `json:"is_runnable"`
	NeedsOperator bool         `json:"needs_operator"`
	PlanStatus    PlanStatus   `json:"plan_status"`
	Plan          PlanArtifact `json:"plan_artifact"`
	ViewMore
}

// ViewMore is the part of a View that is often empty.
type ViewMore struct {
	TodoList          []Todo            `json:"todo_list,omitempty"`
	CurrentTodo       *Todo             `json:"current_todo,omitempty"`
	BlockedBy         Text              `json:"blocked_by,omitempty"`
	RecheckAt         time.Time         `json:"recheck_at,omitzero"`
	RecheckConsumedAt time.Time         `json:"recheck_consumed_at,omitzero"`
	Report            *CompletionReport `json:"completion_report,omitempty"`
	// Offered are reports to choose from, of a completed item that has none.
	Offered         []ReportOffer `json:"offered_reports,omitempty"`
	ActiveWaits     []Wait        `json:"active_wait_conditions,omitempty"`
	LastTriggeredAt time.Time     `json:"last_triggered_at,omitzero"`
	Links           Links         `json:"links,omitzero"`
	// Replies are the operator's newest answers, oldest first.
	Replies     []Delivered `json:"replies,omitempty"`
	Diagnostics []string    `json:"diagnostics,omitempty"`
	CreatedAt   time.Time   `json:"created_at"`
	UpdatedAt   time.Time   `json:"updated_at"`
}

// CompletionReport is a completed item's report and where it came from.
type CompletionReport struct {
	Text      Text      `json:"text"`
	Source    string    `json:"source"`
	By        ReportOf  `json:"provenance,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
}

// PlanReader is a Reader that knows what plan files are like now.
type PlanReader interface {
	// PlanOf describes an item's plan file, as far as the ledger's description goes when it
	// cannot be read at the moment.
	PlanOf(WorkItem) PlanArtifact
}

// ViewOf shows an item, with its plan file as it is now if f is a PlanReader, else as the
// ledger describes it.
func ViewOf(f Facts, w WorkItem) View {
	if plans, ok := f.(PlanReader); ok {
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
		PlanStatus: w.PlanStatus, Plan: w.PlanArtifact,
		ViewMore: ViewMore{
			TodoList: w.TodoList, BlockedBy: w.BlockedBy, RecheckAt: w.RecheckAt, RecheckConsumedAt: w.RecheckConsumedAt,
			ActiveWaits: waits, LastTriggeredAt: d.LastTriggeredAt, Links: w.Links, Replies: deliveredOf(f, w), Diagnostics: d.Diagnostics,
			CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt,
		},
	}
	if t, ok := w.CurrentTodo(); ok && w.State == Open {
		v.CurrentTodo = &t
	}
	v.Report = reportOf(f, w)
	if w.State == Completed && v.Report == nil {
		offers, _ := f.Offers(w.AgentID, w.ID)
		v.Offered = offers.Offers
	}
	return v
}

// focusWord is the focus word of tools: current, queued, blocked or completed. Queued means
// runnable; whatever else waits is blocked.
func focusWord(w WorkItem, d Derived) string {
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

func reportOf(f Facts, w WorkItem) *CompletionReport {
	if w.State != Completed || w.ResultSummary == "" {
		return nil
	}
	r := &CompletionReport{Text: w.ResultSummary, Source: "work_item_result_summary"}
	if b, ok := f.Brief(w.AgentID, w.ID); ok {
		r.By, r.CreatedAt = b.Provenance, b.CreatedAt
	}
	return r
}
