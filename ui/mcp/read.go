package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"vise/model"
	"vise/store/home"
)

type getInput struct {
	WorkItemID string `json:"work_item_id"`
	Todos      bool   `json:"include_todo_list"`
	From       int    `json:"todo_offset"`
}

type listInput struct {
	Filter model.Filter `json:"filter"`
	Limit  int          `json:"limit"`
	Cursor string       `json:"cursor"`
	Todos  bool         `json:"include_todo_list"`
}

func query(c *call, into any) error {
	if err := model.DecodeStrict(c.input, into); err != nil {
		return model.Misread(c.tool.Name, err).WithHint("%s", c.tool.hint())
	}
	return nil
}

func get(ctx context.Context, c *call) (any, error) {
	var in getInput
	if err := query(c, &in); err != nil {
		return nil, err
	}
	id, err := c.home.Resolve(ctx, in.WorkItemID)
	if err != nil {
		return nil, err
	}
	_ = c.home.RefreshTodos(ctx, c.envelope("", nil), id) // if it fails, the next read does it
	var out home.GetResult
	err = c.show(ctx, func(r model.Reader) error {
		out = home.GetResultOf(r, id, in.Todos || in.From > 0)
		out.Context = home.ContextOf(r, c.agent)
		c.remind(r, id)
		return nil
	})
	if err != nil {
		return nil, err
	}
	v := &out.WorkItem
	left := c.home.Threads(model.AgentActor(c.agent)).Left(ctx, v.Links)
	v.TodoList = v.TodoList[min(in.From, len(v.TodoList)):]
	return &got{GetResult: out, Left: left.Text(), from: in.From}, nil
}

// got is the answer of GetWorkItem.
type got struct {
	home.GetResult
	// Left says where the work was left, as the work context does: the thread, and the linked file todos that are open.
	Left string `json:"left,omitempty"`
	// from is the position of the item's todos in the whole list.
	from int
}

// list reads a page that fits. It may hold fewer items than asked for, and then has a cursor.
func list(ctx context.Context, c *call) (any, error) {
	var in listInput
	if err := query(c, &in); err != nil {
		return nil, err
	}
	var out page
	err := c.show(ctx, func(r model.Reader) error {
		if w, ok := model.Focus(r, c.agent); ok {
			c.remind(r, w.ID)
		}
		most := listReply - sizeOf(c.reminders)
		if c.queued > 0 {
			most -= messageLimit + shortText // the answer also carries messages
		}
		own := ownWaits(r, c.agent)
		for limit := in.Limit; ; {
			l, err := home.ListResultOf(r, c.agent, in.Filter, in.Cursor, limit, in.Todos)
			if err != nil {
				return err
			}
			size := 0
			for _, preview := range rowPreviews {
				out = pageOf(l, in.Todos, preview)
				out.Waits = own
				if limit != in.Limit {
					out.Limit = max(in.Limit, out.Returned)
				}
				if size = sizeOf(out); size <= most {
					break
				}
			}
			if size <= most || out.Returned <= 1 {
				return nil
			}
			limit = max(1, min(out.Returned-1, out.Returned*most/size))
		}
	})
	if in.Limit == 0 {
		out.Limit = model.DefaultLimit
	}
	return &out, err
}

// listReply bounds a list in characters. It holds twenty items with their plans: 2,400 tokens of four characters.
const listReply = 9400

func sizeOf(v any) int {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return utf8.RuneCount(raw)
}

// page is the answer of ListWorkItems. It has the fields that help to choose an item; GetWorkItem has the rest.
type page struct {
	home.ListResult
	// PlanPath is the path of an item's plan, with the word ID in place of its id.
	PlanPath string   `json:"plan_path,omitempty"`
	Rows     []listed `json:"work_items"`
	// Waits are the agent's own, which belong to no item.
	Waits []ownWait `json:"own_wait_conditions,omitempty"`
}

// ownWait is a wait of the agent itself.
type ownWait struct {
	ID        model.WaitID   `json:"id"`
	Kind      model.WaitKind `json:"kind"`
	Reason    model.Text     `json:"reason"`
	Question  model.Text     `json:"question,omitempty"`
	Triggered int            `json:"trigger_count,omitempty"`
}

// mostOwnWaits bounds the agent's own waits in a list.
const mostOwnWaits = 3

func ownWaits(r model.Reader, agent model.AgentID) (out []ownWait) {
	list := r.ItemWaits(agent, "")
	for _, x := range list[:min(len(list), mostOwnWaits)] {
		out = append(out, ownWait{x.ID, x.Kind, cut(x.Reason, rowText), cut(x.Ask.Question, rowText), x.TriggerCount})
	}
	return out
}

// listed is an item in a list. The usual values are left out: open, queued, runnable, draft, no question.
type listed struct {
	ID            model.ItemID     `json:"id"`
	Handle        model.Handle     `json:"handle"`
	Revision      uint64           `json:"revision"`
	Objective     model.Text       `json:"objective"`
	Class         model.Class      `json:"candidate_class"`
	Focus         string           `json:"focus,omitempty"`
	Scheduling    model.Scheduling `json:"scheduling_state,omitempty"`
	ReasonCode    string           `json:"reason_code,omitempty"`
	IsCurrent     bool             `json:"is_current,omitempty"`
	NeedsOperator bool             `json:"needs_operator,omitempty"`
	PlanStatus    model.PlanStatus `json:"plan_status,omitempty"`
	Plan          rowPlan          `json:"plan_artifact"`
	Todo          string           `json:"todo,omitempty"`
	Todos         []model.Todo     `json:"todo_list,omitempty"`
	TodosLeft     int              `json:"todos_left_out,omitempty"`
	BlockedBy     model.Text       `json:"blocked_by,omitempty"`
	Question      model.Text       `json:"question,omitempty"`
	Triggered     time.Time        `json:"last_triggered_at,omitzero"`
	Report        model.Text       `json:"completion_report,omitempty"`
	UpdatedAt     time.Time        `json:"updated_at"`
}

// rowPlan describes a plan file: the beginning of its hash, and as much of its text as fits. The path is given if it differs from the
// page's pattern, the condition if it is not ok.
type rowPlan struct {
	Path            string              `json:"path,omitempty"`
	Hash            string              `json:"hash,omitempty"`
	Bytes           int64               `json:"bytes"`
	UpdatedAt       time.Time           `json:"updated_at,omitzero"`
	Preview         model.Text          `json:"preview,omitempty"`
	PreviewComplete bool                `json:"preview_complete"`
	Condition       model.PlanCondition `json:"condition,omitempty"`
}

// rowPreviews are the lengths, in characters, of the plan previews to try: the longest that lets the page hold all rows is used.
var rowPreviews = []int{160, 80, 40, 0}

// rowHash is how much of a hash is shown, enough to tell versions of a plan apart: its name and twelve digits.
const rowHash = len("sha256:") + 12

func planOf(p model.PlanArtifact, preview int) rowPlan {
	whole := model.Text(strings.TrimRight(p.Preview.Raw(), "\n")) // raw: cut, not shown
	r := rowPlan{Path: p.Path, Hash: p.Hash[:min(rowHash, len(p.Hash))], Bytes: p.Bytes, UpdatedAt: p.UpdatedAt.Truncate(time.Second),
		Preview: cut(whole, preview)}
	r.PreviewComplete = p.PreviewComplete && r.Preview == whole
	if p.Condition != model.PlanOK {
		r.Condition = p.Condition
	}
	return r
}

// Bounds of a row's texts, in characters.
const (
	rowText   = 120
	rowReport = 160
)

func pageOf(l home.ListResult, todos bool, preview int) page {
	p := page{ListResult: l, Rows: []listed{}}
	for _, v := range l.WorkItems {
		r, path := rowOf(v, todos, preview), planPathOf(v)
		if p.PlanPath == "" {
			p.PlanPath = path
		}
		if path != "" && path == p.PlanPath {
			r.Plan.Path = ""
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// planPathOf returns the path of an item's plan with ID in place of its id, or "" if the id is not in it exactly once.
func planPathOf(v model.View) string {
	if strings.Count(v.Plan.Path, string(v.ID)) != 1 {
		return ""
	}
	return strings.Replace(v.Plan.Path, string(v.ID), "ID", 1)
}

func rowOf(v model.View, todos bool, preview int) listed {
	r := listed{
		ID: v.ID, Handle: v.Handle, Revision: v.Revision, Objective: cut(v.Objective, rowText), Class: v.Class, Focus: v.Focus,
		Scheduling: v.Scheduling, ReasonCode: v.ReasonCode, IsCurrent: v.IsCurrent, NeedsOperator: v.NeedsOperator,
		PlanStatus: v.PlanStatus, Plan: planOf(v.Plan, preview),
		BlockedBy: cut(v.BlockedBy, rowText), Triggered: v.LastTriggeredAt, UpdatedAt: v.UpdatedAt.Truncate(time.Second),
	}
	if r.Focus == "queued" {
		r.Focus = ""
	}
	if r.Scheduling == model.Runnable && r.ReasonCode == string(model.Runnable) {
		r.Scheduling, r.ReasonCode = "", ""
	}
	if r.PlanStatus == model.Draft {
		r.PlanStatus = ""
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
