package home

import "vise/model"

// ViewOf is the view of an item; it exists, because a receipt or a reference named it.
func ViewOf(r model.Reader, id model.ItemID) model.View {
	w, _ := r.Item(id)
	return model.ViewOf(r, w)
}

// ItemResultOf answers a change of one item.
func ItemResultOf(r model.Reader, in model.Receipt) ItemResult {
	return ItemResult{
		WorkItem: ViewOf(r, in.WorkItemID), Warnings: warningsOf(in),
		Cancelled: in.CancelledWaits, Replayed: in.Replayed,
	}
}

// CompletionResultOf answers a completion, also one that stands in a round.
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
		Transition: in.Transition, BindingNote: bindingNote, Replayed: in.Replayed,
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
		Cancelled: in.CancelledWaits, Replayed: in.Replayed,
	}
	if x.WorkItemID != "" {
		out.Scope, out.WorkItem = "work_item", new(ViewOf(r, x.WorkItemID))
	}
	return out
}

// TriggerResultOf answers a Trigger.
func TriggerResultOf(r model.Reader, in model.Receipt) TriggerResult {
	out := TriggerResult{Triggered: in.TriggeredWaits, Replayed: in.Replayed}
	if in.WorkItemID != "" {
		out.WorkItem = new(ViewOf(r, in.WorkItemID))
	}
	return out
}

// GetResultOf answers GetWorkItem; without todos when they were not asked for.
func GetResultOf(r model.Reader, id model.ItemID, todos bool) GetResult {
	v := ViewOf(r, id)
	if !todos {
		v.TodoList = nil
	}
	return GetResult{Context: ContextOf(r, v.AgentID), WorkItem: v}
}

// ContextOf tells which item an agent works on.
func ContextOf(r model.Reader, agent model.AgentID) AgentContext {
	c := AgentContext{AgentID: agent}
	if w, ok := model.Focus(r, agent); ok {
		c.CurrentID = w.ID
	}
	return c
}

// ListResultOf answers ListWorkItems. cursor is a List's Cursor, or empty.
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
		out.WorkItems[i] = GetResultOf(r, row.ID, todos).WorkItem
	}
	return out, nil
}

// warningsOf are those of a receipt and of a round's calls, each once.
func warningsOf(in model.Receipt) []model.Warning {
	var out []model.Warning
	seen := map[model.WarningKind]bool{}
	add := func(list []model.Warning) {
		for _, w := range list {
			if !seen[w.Kind] {
				seen[w.Kind] = true
				out = append(out, w)
			}
		}
	}
	for _, call := range in.Calls {
		add(call.Warnings)
	}
	add(in.Warnings)
	return out
}
