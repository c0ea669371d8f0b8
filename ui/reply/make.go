package reply

import "vise/model"

// Fresh puts what the plan file is like now into a view. It may leave the view as it is.
type Fresh func(*model.View)

// View is the view of an item; it exists, because a receipt or a reference named it.
func View(r model.Reader, id model.ItemID, fresh Fresh) model.View {
	w, _ := r.Item(id)
	v := model.ViewOf(r, w)
	fresh(&v)
	return v
}

// OfItem answers a change of one item.
func OfItem(r model.Reader, in model.Receipt, fresh Fresh) Item {
	return Item{
		WorkItem: View(r, in.WorkItemID, fresh), Warnings: Warnings(in),
		Cancelled: in.CancelledWaits, Replayed: in.Replayed,
	}
}

// OfCompletion answers a completion, also one that stands in a round.
func OfCompletion(r model.Reader, in model.Receipt, fresh Fresh) Completion {
	out := Completion{
		Item:                OfItem(r, in, fresh),
		CompletedTransition: in.CompletedTransition,
		ReportPromoted:      in.ReportPromoted, ReportSource: in.ReportSource,
	}
	for _, call := range in.Calls {
		out.CompletedTransition = out.CompletedTransition || call.CompletedTransition
		out.Cancelled = append(out.Cancelled, call.CancelledWaits...)
	}
	return out
}

// OfPick answers a pick.
func OfPick(r model.Reader, in model.Receipt, fresh Fresh) Pick {
	out := Pick{
		Current: View(r, in.WorkItemID, fresh), CurrentID: in.WorkItemID,
		Transition: in.Transition, BindingNote: bindingNote, Replayed: in.Replayed,
	}
	if t := in.Transition; t != nil && t.PreviousWorkItemID != "" && t.PreviousWorkItemID != in.WorkItemID {
		v := View(r, t.PreviousWorkItemID, fresh)
		out.Previous = &v
	}
	return out
}

// OfWait answers a WaitFor.
func OfWait(r model.Reader, wake model.Wake, in model.Receipt, fresh Fresh) Wait {
	x, _ := r.Wait(in.WaitID)
	out := Wait{
		Scope: "agent", Reason: x.Reason, Wake: wake, Resource: x.Resource, WorkItemID: x.WorkItemID, Wait: x,
		Cancelled: in.CancelledWaits, Replayed: in.Replayed,
	}
	if x.WorkItemID != "" {
		out.Scope, out.WorkItem = "work_item", viewOf(r, x.WorkItemID, fresh)
	}
	return out
}

// OfTrigger answers a Trigger.
func OfTrigger(r model.Reader, in model.Receipt, fresh Fresh) Trigger {
	out := Trigger{Triggered: in.TriggeredWaits, Replayed: in.Replayed}
	if in.WorkItemID != "" {
		out.WorkItem = viewOf(r, in.WorkItemID, fresh)
	}
	return out
}

func viewOf(r model.Reader, id model.ItemID, fresh Fresh) *model.View {
	v := View(r, id, fresh)
	return &v
}

// OfGet answers GetWorkItem; without todos when they were not asked for.
func OfGet(r model.Reader, id model.ItemID, todos bool, fresh Fresh) Got {
	v := View(r, id, fresh)
	if !todos {
		v.TodoList = nil
	}
	return Got{Context: ContextOf(r, v.AgentID), WorkItem: v}
}

// ContextOf tells which item an agent works on.
func ContextOf(r model.Reader, agent model.AgentID) Context {
	c := Context{AgentID: agent}
	if w, ok := model.Focus(r, agent); ok {
		c.CurrentID = w.ID
	}
	return c
}

// OfList answers ListWorkItems. cursor is a List's Cursor, or empty.
func OfList(r model.Reader, agent model.AgentID, filter model.Filter, cursor string, limit int, todos bool, fresh Fresh) (List, error) {
	after, err := rowOf(agent, cursor)
	if err != nil {
		return List{}, err
	}
	l, err := model.ListItems(r, agent, filter, after, limit)
	if err != nil {
		return List{}, err
	}
	out := List{
		Context: ContextOf(r, agent), Filter: l.Filter, Returned: l.Returned, Total: l.Total, Limit: l.Limit,
		WorkItems: make([]model.View, len(l.Rows)), Cursor: cursorOf(l.Next),
	}
	for i, row := range l.Rows {
		out.WorkItems[i] = OfGet(r, row.ID, todos, fresh).WorkItem
	}
	return out, nil
}

// Warnings are those of a receipt and of a round's calls, each once.
func Warnings(in model.Receipt) []model.Warning {
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
