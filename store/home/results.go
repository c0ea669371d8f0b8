package home

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"vise/model"
)

// ItemResult is the answer of CreateWorkItem, UpdateWorkItem and every other command that changes one item.
type ItemResult struct {
	WorkItem model.View      `json:"work_item"`
	Warnings []model.Warning `json:"warnings,omitempty"`
	// Cancelled are the waits that the command ended.
	Cancelled []model.WaitID `json:"cancelled_wait_condition_ids,omitempty"`
	// Replayed says that the key was known: the command was carried out before, not now.
	Replayed bool `json:"replayed,omitempty"`
}

// CompletionResult is the answer of CompleteWorkItem, alone or in a round, and of a later report.
type CompletionResult struct {
	ItemResult
	CompletedTransition bool           `json:"completed_transition"`
	ReportPromoted      bool           `json:"completion_report_promoted,omitempty"`
	ReportSource        model.ReportOf `json:"completion_report_source,omitempty"`
}

// PickResult is the answer of PickWorkItem.
type PickResult struct {
	Previous    *model.View       `json:"previous_work_item,omitempty"`
	Current     model.View        `json:"current_work_item"`
	CurrentID   model.ItemID      `json:"current_work_item_id"`
	Transition  *model.Transition `json:"transition,omitempty"`
	BindingNote string            `json:"binding_note"`
	// Warnings are those that are not in Transition.
	Warnings []model.Warning `json:"warnings,omitempty"`
	Replayed bool            `json:"replayed,omitempty"`
}

// bindingNote tells an agent what a pick means for the rest of its turn.
const bindingNote = "what follows in this turn belongs to the new current work item"

// WaitResult is the answer of WaitFor.
type WaitResult struct {
	// Scope is work_item or agent.
	Scope      string          `json:"scope"`
	Reason     model.Text      `json:"reason"`
	Wake       model.Wake      `json:"wake"`
	Resource   model.Text      `json:"resource,omitempty"`
	WorkItemID model.ItemID    `json:"work_item_id,omitempty"`
	Wait       model.Wait      `json:"wait_condition"`
	WorkItem   *model.View     `json:"work_item,omitempty"`
	Cancelled  []model.WaitID  `json:"cancelled_wait_condition_ids,omitempty"`
	Warnings   []model.Warning `json:"warnings,omitempty"`
	Replayed   bool            `json:"replayed,omitempty"`
}

// TriggerResult is the answer of Trigger.
type TriggerResult struct {
	Triggered []model.WaitID `json:"triggered_wait_condition_ids"`
	WorkItem  *model.View    `json:"work_item,omitempty"`
	Replayed  bool           `json:"replayed,omitempty"`
}

// complete adds the final receipt's facts. An item that could not be read keeps its id.
func (x *ItemResult) complete(in model.Receipt) {
	x.WorkItem.ID = cmp.Or(x.WorkItem.ID, in.WorkItemID)
	x.Warnings, x.Replayed = warningsOf(in), in.Replayed
}

func (x *PickResult) complete(in model.Receipt) {
	x.Current.ID = cmp.Or(x.Current.ID, in.WorkItemID)
	x.Replayed = in.Replayed
	x.Warnings = slices.DeleteFunc(slices.Clone(in.Warnings), func(w model.Warning) bool {
		return in.Transition != nil && slices.ContainsFunc(in.Transition.Warnings, func(x model.Warning) bool { return x.Kind == w.Kind })
	})
}

func (x *WaitResult) complete(in model.Receipt) {
	x.Wait.ID = cmp.Or(x.Wait.ID, in.WaitID)
	x.Warnings, x.Replayed = in.Warnings, in.Replayed
}

func (x *TriggerResult) complete(in model.Receipt) { x.Replayed = in.Replayed }

// AgentContext names the item that the agent works on.
type AgentContext struct {
	AgentID   model.AgentID `json:"agent_id"`
	CurrentID model.ItemID  `json:"current_work_item_id,omitempty"`
}

// GetResult is the answer of GetWorkItem.
type GetResult struct {
	Context  AgentContext `json:"context"`
	WorkItem model.View   `json:"work_item"`
	// Evidence is what was seen of checks of the work. It is missing if there is none and none is required.
	Evidence *model.Evidence `json:"evidence,omitempty"`
}

// ListResult is the answer of ListWorkItems.
type ListResult struct {
	Context   AgentContext `json:"context"`
	Filter    model.Filter `json:"filter"`
	Returned  int          `json:"returned"`
	Total     int          `json:"total_matching"`
	Limit     int          `json:"limit"`
	WorkItems []model.View `json:"work_items"`
	// Session is what vise list knows of the agent's session.
	Session *Session `json:"session,omitempty"`
	// Cursor continues after the last of WorkItems; it is empty at the end.
	Cursor string `json:"next_cursor,omitempty"`
}

// ViewOf returns the view of an item that exists, because a receipt or a reference named it.
func ViewOf(r model.Reader, id model.ItemID) model.View {
	w, _ := r.Item(id)
	return model.ViewOf(r, w)
}

// ItemResultOf answers a change of one item.
func ItemResultOf(r model.Reader, in model.Receipt) ItemResult {
	return ItemResult{WorkItem: ViewOf(r, in.WorkItemID), Cancelled: in.CancelledWaits}
}

// CompletionResultOf answers a completion, also one in a round.
func CompletionResultOf(r model.Reader, in model.Receipt) CompletionResult {
	out := CompletionResult{
		ItemResult:          ItemResultOf(r, in),
		CompletedTransition: in.CompletedTransition,
		ReportPromoted:      in.ReportPromoted, ReportSource: in.ReportSource,
	}
	for _, call := range in.Calls {
		out.CompletedTransition = out.CompletedTransition || call.CompletedTransition
		out.Cancelled = append(out.Cancelled, call.CancelledWaits...)
	}
	return out
}

// PickResultOf answers a pick.
func PickResultOf(r model.Reader, in model.Receipt) PickResult {
	out := PickResult{
		Current: ViewOf(r, in.WorkItemID), CurrentID: in.WorkItemID,
		Transition: in.Transition, BindingNote: bindingNote,
	}
	if t := in.Transition; t != nil && t.PreviousWorkItemID != "" && t.PreviousWorkItemID != in.WorkItemID {
		out.Previous = new(ViewOf(r, t.PreviousWorkItemID))
	}
	return out
}

// WaitResultOf answers a WaitFor.
func WaitResultOf(r model.Reader, wake model.Wake, in model.Receipt) WaitResult {
	x, _ := r.Wait(in.WaitID)
	out := WaitResult{
		Scope: "agent", Reason: x.Reason, Wake: wake, Resource: x.Resource, WorkItemID: x.WorkItemID, Wait: x,
		Cancelled: in.CancelledWaits,
	}
	if x.WorkItemID != "" {
		out.Scope, out.WorkItem = "work_item", new(ViewOf(r, x.WorkItemID))
	}
	return out
}

// TriggerResultOf answers a Trigger.
func TriggerResultOf(r model.Reader, in model.Receipt) TriggerResult {
	out := TriggerResult{Triggered: in.TriggeredWaits}
	if in.WorkItemID != "" {
		out.WorkItem = new(ViewOf(r, in.WorkItemID))
	}
	return out
}

// GetResultOf answers GetWorkItem. Without todos it leaves the todo list out.
func GetResultOf(r model.Reader, id model.ItemID, todos bool) GetResult {
	v := viewOf(r, id, todos)
	out := GetResult{Context: ContextOf(r, v.AgentID), WorkItem: v}
	if w, ok := r.Item(id); ok {
		if e := model.EvidenceOf(r, w); e.IsKnown() {
			out.Evidence = &e
		}
	}
	return out
}

func viewOf(r model.Reader, id model.ItemID, todos bool) model.View {
	v := ViewOf(r, id)
	if !todos {
		v.TodoList = nil
	}
	return v
}

// ContextOf returns which item an agent works on.
func ContextOf(r model.Reader, agent model.AgentID) AgentContext {
	c := AgentContext{AgentID: agent}
	if w, ok := model.Focus(r, agent); ok {
		c.CurrentID = w.ID
	}
	return c
}

// ListResultOf answers ListWorkItems. cursor is the Cursor of an earlier result, or empty.
func ListResultOf(r model.Reader, agent model.AgentID, filter model.Filter, cursor string, limit int, todos bool) (ListResult, error) {
	after, err := rowOf(agent, cursor)
	if err != nil {
		return ListResult{}, err
	}
	l, err := model.ListItems(r, agent, filter, after, limit)
	if err != nil {
		return ListResult{}, err
	}
	out := ListResult{
		Context: ContextOf(r, agent), Filter: l.Filter, Returned: l.Returned, Total: l.Total, Limit: l.Limit,
		WorkItems: make([]model.View, len(l.Rows)), Cursor: cursorOf(l.Next),
	}
	for i, row := range l.Rows {
		out.WorkItems[i] = viewOf(r, row.ID, todos)
	}
	return out, nil
}

// warningsOf returns the warnings of a receipt and of a round's calls, each once.
func warningsOf(in model.Receipt) []model.Warning {
	var all []model.Warning
	for _, call := range in.Calls {
		all = append(all, call.Warnings...)
	}
	seen := map[model.WarningKind]bool{}
	return slices.DeleteFunc(append(all, in.Warnings...), func(w model.Warning) bool {
		again := seen[w.Kind]
		seen[w.Kind] = true
		return again
	})
}

// place holds the fields of a row that decide its position in a list.
type place struct {
	ID        model.ItemID `json:"i"`
	Class     model.Class  `json:"c"`
	Created   time.Time    `json:"b"`
	Updated   time.Time    `json:"u"`
	Triggered time.Time    `json:"t,omitzero"`
}

// cursorOf encodes the row after which a list continues.
func cursorOf(row *model.Row) string {
	if row == nil {
		return ""
	}
	raw, err := json.Marshal(place{row.ID, row.Class, row.CreatedAt, row.UpdatedAt, row.Wait.LastTriggeredAt})
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// rowOf decodes a cursor of an agent's list. An empty cursor is the beginning.
func rowOf(agent model.AgentID, cursor string) (*model.Row, error) {
	if cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	var p place
	if err == nil {
		err = model.DecodeStrict(raw, &p)
	}
	if err != nil || !slices.Contains(model.Classes, p.Class) {
		return nil, model.Invalid("the cursor is not one that a list gave").At("cursor",
			"begin again without it")
	}
	row := model.Row{ID: p.ID, AgentID: agent, Class: p.Class, CreatedAt: p.Created, UpdatedAt: p.Updated}
	row.Wait.LastTriggeredAt = p.Triggered
	return &row, nil
}
