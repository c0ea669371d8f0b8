package home

import (
	"cmp"
	"context"

	"vise/model"
	file "vise/model/todo"
)

// Promote makes a work item from a finding in the session at base. The finding's title and text become objective and plan, and the item
// links to the finding. by names the actor and the agent. Without a key, the same finding becomes an item only once. A finding that has
// ended is refused. If the new item cannot be linked, it stays and the result has a warning.
func (h *Home) Promote(ctx context.Context, by model.Envelope, base string, t file.Todo, body string) (out ItemResult, err error) {
	if t.Status.Final() {
		return out, model.Refused("%s is %s: there is nothing to work on", t.Ref(), t.Status).At("id",
			"vise todo reopen %s gives it back", t.Ref())
	}
	objective, plan := file.Promote(t, body)
	hash := model.Hash(base, t.Ref().Raw(), objective.Raw(), plan.Raw()) // raw: not shown
	by.Key, by.Command = cmp.Or(by.Key, "promote-"+hash[:32]), model.CreateWorkItem{Objective: objective, Plan: plan}
	out, in, err := Answer(ctx, h, by, Ending{}, ItemResultOf)
	if err != nil {
		return out, err
	}
	links := model.Links{TodoRefs: []model.TodoRef{{TodosBase: model.Text(base), QualifiedID: model.Text(t.Ref())}}}
	by.Key, by.Command = NewKey(), model.LinkWorkItem{WorkItemID: in.WorkItemID, Add: links}
	linked, _, err := Answer(ctx, h, by, Ending{}, ItemResultOf)
	if err != nil {
		out.Warnings = append(out.Warnings, failed(model.WarnTodoNotLinked, string(in.WorkItemID)+" was made, and is not linked yet", err))
		return out, nil
	}
	linked.Warnings, linked.Replayed = append(out.Warnings, linked.Warnings...), out.Replayed
	return linked, nil
}
