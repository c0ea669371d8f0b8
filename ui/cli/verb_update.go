package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
)

type updateOptions struct {
	mutation
	objective, planStatus, todos string
	// given are the flags that were named: an empty value is a value.
	given func(flag string) bool
}

func (a *app) updateVerb() *cobra.Command {
	var o updateOptions
	c := &cobra.Command{
		Use: "update ID", Short: "Change the objective, the plan status or the checklist",
		Long: "update changes what is given and leaves the rest. --todos takes the whole checklist, as JSON\n" +
			`([{"text":"…","state":"pending"}]) or as Markdown (- [ ] pending, - [~] in progress, - [x] completed).`,
		Example: "vise update wi-7f3k --plan-status ready\nvise update wi-7f3k --todos - < todos.md", ValidArgsFunction: a.openItems,
	}
	o.register(c)
	f := c.Flags()
	f.StringVar(&o.objective, "objective", "", "what the work item is for")
	f.StringVar(&o.planStatus, "plan-status", "", "draft, ready or needs_input")
	f.StringVar(&o.todos, "todos", "", "the whole checklist; - is standard input, @FILE a file")
	o.given = f.Changed
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) { return a.update(ctx, args[0], o) })
}

func (a *app) update(ctx context.Context, ref string, o updateOptions) (answer, error) {
	update, err := a.updateOf(o)
	if err != nil {
		return answer{}, err
	}
	return a.change(ctx, ref, o.mutation, "updated", update)
}

// updateOf reads the flags of update.
func (a *app) updateOf(o updateOptions) (model.UpdateWorkItem, error) {
	update := model.UpdateWorkItem{SeenRevision: o.ifRevision}
	if o.given("objective") {
		t := model.Text(o.objective)
		update.Objective = &t
	}
	if o.given("plan-status") {
		s := model.PlanStatus(o.planStatus)
		update.PlanStatus = &s
	}
	if o.given("todos") {
		source, err := a.content("todos", o.todos)
		if err != nil {
			return update, err
		}
		todos, err := parseTodos(source)
		if err != nil {
			return update, err
		}
		update.TodoList = &todos
	}
	if update.Objective == nil && update.PlanStatus == nil && update.TodoList == nil {
		return update, misuse("flags", "nothing to update").WithHint("give --objective, --plan-status or --todos")
	}
	return update, nil
}

// change applies an update to the item that ref names, and answers.
func (a *app) change(ctx context.Context, ref string, m mutation, did string, update model.UpdateWorkItem) (answer, error) {
	in, err := a.act(ctx, ref, m, func(id model.ItemID) model.Command {
		update.WorkItemID = id
		return update
	})
	if err != nil {
		return answer{}, err
	}
	return a.itemAnswer(ctx, in, did)
}

// millis is a duration as commands take it; nil when it was not given.
func millis(d time.Duration) *int64 {
	if d == 0 {
		return nil
	}
	ms := d.Milliseconds()
	return &ms
}
