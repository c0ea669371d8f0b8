package mcp

import (
	"cmp"
	"time"

	"vise/model"
	"vise/store/home"
)

// page is the answer of ListWorkItems: the view's fields that help to choose an item.
// GetWorkItem has the rest.
type page struct {
	Context  home.AgentContext `json:"context"`
	Filter   model.Filter      `json:"filter"`
	Returned int               `json:"returned"`
	Total    int               `json:"total_matching"`
	Limit    int               `json:"limit"`
	Rows     []row             `json:"work_items"`
	Cursor   string            `json:"next_cursor,omitempty"`
}

// row is an item in a list. What is usual is left out: open, draft, nobody asked.
type row struct {
	ID            model.ItemID     `json:"id"`
	Handle        model.Handle     `json:"handle"`
	Revision      uint64           `json:"revision"`
	Objective     model.Text       `json:"objective"`
	Class         model.Class      `json:"candidate_class"`
	Focus         string           `json:"focus"`
	Scheduling    model.Scheduling `json:"scheduling_state"`
	ReasonCode    string           `json:"reason_code"`
	IsCurrent     bool             `json:"is_current,omitempty"`
	NeedsOperator bool             `json:"needs_operator,omitempty"`
	PlanStatus    model.PlanStatus `json:"plan_status"`
	Todo          string           `json:"todo,omitempty"`
	Todos         []model.Todo     `json:"todo_list,omitempty"`
	TodosLeft     int              `json:"todos_left_out,omitempty"`
	BlockedBy     model.Text       `json:"blocked_by,omitempty"`
	Question      model.Text       `json:"question,omitempty"`
	Triggered     time.Time        `json:"last_triggered_at,omitzero"`
	Report        model.Text       `json:"completion_report,omitempty"`
	UpdatedAt     time.Time        `json:"updated_at"`
}

// Bounds of a row's texts, in characters.
const (
	rowObjective = 160
	rowText      = 120
	rowReport    = 160
)

func pageOf(l home.ListResult, todos bool) page {
	p := page{Context: l.Context, Filter: l.Filter, Returned: l.Returned, Total: l.Total, Limit: l.Limit, Rows: []row{}, Cursor: l.Cursor}
	for _, v := range l.WorkItems {
		p.Rows = append(p.Rows, rowOf(v, todos))
	}
	return p
}

func rowOf(v model.View, todos bool) row {
	r := row{
		ID: v.ID, Handle: v.Handle, Revision: v.Revision, Objective: cut(v.Objective, rowObjective), Class: v.Class, Focus: v.Focus,
		Scheduling: v.Scheduling, ReasonCode: v.ReasonCode, IsCurrent: v.IsCurrent, NeedsOperator: v.NeedsOperator, PlanStatus: v.PlanStatus,
		BlockedBy: cut(v.BlockedBy, rowText), Triggered: v.LastTriggeredAt, UpdatedAt: v.UpdatedAt,
	}
	if todos {
		for _, t := range v.TodoList[:min(len(v.TodoList), fewTodos)] {
			r.Todos = append(r.Todos, model.Todo{Text: cut(t.Text, rowText), State: t.State})
		}
		r.TodosLeft = len(v.TodoList) - len(r.Todos)
	}
	if v.CurrentTodo != nil {
		r.Todo = cut(v.CurrentTodo.Text, rowText).String()
	}
	for _, w := range v.ActiveWaits {
		r.Question = cmp.Or(r.Question, cut(w.Ask.Question, rowText))
	}
	if v.Report != nil {
		r.Report = cut(v.Report.Text, rowReport)
	}
	return r
}
