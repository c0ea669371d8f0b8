package prompt

import (
	"fmt"
	"strings"

	"vise/model"
)

// conflicts says where objective, plan and todos do not fit together, as far as that can be
// told without understanding them. The plan is the stronger anchor (docs/lifecycle.md 13).
func conflicts(v model.View) layer {
	found := Conflicts(v)
	if len(found) == 0 {
		return layer{name: "conflicts"}
	}
	least := fmt.Sprintf("Conflicts: %d; where objective, plan and todos differ, the plan holds", len(found))
	return layerOf("conflicts", len(found), least, "", least+"\n- "+strings.Join(found, "\n- "))
}

// Conflicts are the sentences about what does not fit together in an open item.
func Conflicts(v model.View) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	w := model.WorkItem{TodoList: v.TodoList}
	done, running, total := w.TodoCounts()
	switch {
	case v.Plan.Condition != model.PlanOK && v.Plan.Condition != "":
		say("the plan file is %s; the objective and todos stand alone", strings.ReplaceAll(string(v.Plan.Condition), "_", " "))
	case v.PlanStatus == model.Ready && strings.TrimSpace(v.Plan.Preview.Raw()) == "" && v.Plan.PreviewComplete:
		say("plan_status is ready, but the plan file is empty")
	case total > 0 && v.Plan.UpdatedAt.After(v.UpdatedAt):
		say("plan.md changed after the work item was last updated; bring the todo list in line with it")
	}
	if v.PlanStatus == model.Draft && done > 0 {
		say("%d todos are completed while the plan is still a draft", done)
	}
	if total > 0 && done == total {
		say("all %d todos are completed, but the work item is open; complete it, or say in the plan what is left", total)
	}
	if running > 1 {
		say("%d todos are in progress; normally one is", running)
	}
	if v.PlanStatus == model.NeedsInput {
		say("the plan needs input: this is an inspection, not work")
	}
	return out
}
