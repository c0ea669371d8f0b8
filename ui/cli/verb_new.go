package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store"
	"vise/store/home"
)

type newOptions struct {
	mutation
	plan, planStatus string
	todos            []string
}

func (a *app) newVerb() *cobra.Command {
	var o newOptions
	c := &cobra.Command{
		Use: "new OBJECTIVE", Short: "Create a work item, and the home if there is none",
	}
	o.keyed(c)
	f := c.Flags()
	f.StringVar(&o.plan, "plan", "", "the text that plan.md begins with; - is standard input, @FILE a file")
	f.StringVar(&o.planStatus, "plan-status", "", "draft (the default), ready or needs_input")
	f.StringArrayVar(&o.todos, "todo", nil, "a todo; may be given again")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) { return a.new(ctx, args[0], o) })
}

func (a *app) new(ctx context.Context, objective string, o newOptions) (answer, error) {
	plan, err := a.content("plan", o.plan)
	if err != nil {
		return answer{}, err
	}
	create := model.CreateWorkItem{Objective: model.Text(objective), PlanStatus: model.PlanStatus(o.planStatus), Plan: model.Text(plan)}
	for _, t := range o.todos {
		create.TodoList = append(create.TodoList, model.Todo{Text: model.Text(t), State: model.TodoPending})
	}
	if err := a.worthAHome(create); err != nil {
		return answer{}, err
	}
	agent, err := a.agentOfNew(ctx)
	if err != nil {
		return answer{}, err
	}
	in, err := a.apply(ctx, o.mutation, agent, create)
	if err != nil {
		return answer{}, err
	}
	return a.itemAnswer(ctx, in, "created")
}

// worthAHome judges a first work item before a home is made for it: a refusal must leave
// nothing behind.
func (a *app) worthAHome(c model.CreateWorkItem) error {
	if _, err := a.open(); !home.NoHome(err) {
		return err
	}
	actor, err := a.actor()
	if err != nil {
		return err
	}
	agent, err := a.agentOf(store.Empty())
	if err != nil {
		return err
	}
	_, err = model.Step(store.Empty(), model.Stamp{At: a.now(), NewID: "judged", Actor: actor, Agent: agent}, c)
	return err
}

// agentOfNew is whose item is created. A home made for it knows that agent from the start.
func (a *app) agentOfNew(ctx context.Context) (model.AgentID, error) {
	_, created, err := a.openOrCreate()
	if err != nil {
		return "", err
	}
	agent, err := a.namedAgent()
	if err == nil && agent == "" {
		agent, err = readOne(ctx, a, a.agentOf)
	}
	if err == nil && created {
		_, err = a.apply(ctx, mutation{}, "", model.AddAgent{AgentID: agent})
	}
	return agent, err
}
