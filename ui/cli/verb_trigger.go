package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

type triggerOptions struct {
	mutation
	source, payload, wake, resource string
}

func (a *app) triggerVerb() *cobra.Command {
	var o triggerOptions
	c := &cobra.Command{
		Use: "trigger [ID|WAIT]", Short: "Say that something happened which a work item waits for",
		Long: "trigger tells the waits of a work item, one wait by its id, or the agent's waits on --resource, that\n" +
			"something happened. The item is offered for review; nothing is unblocked and no focus moves.", ValidArgsFunction: a.openItems,
	}
	c.AddCommand(a.triggerURLVerb(), a.triggerListVerb(), a.triggerRevokeVerb())
	o.keyed(c)
	f := c.Flags()
	f.StringVar(&o.source, "source", "", "who tells it: ci, review")
	f.StringVar(&o.payload, "payload", "", "what happened; - is standard input, @FILE a file")
	f.StringVar(&o.wake, "wake", "", "only waits of this wake: operator_input, task_result, external, timer or system (default with --resource: external)")
	f.StringVar(&o.resource, "resource", "", "only waits on this resource")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) { return a.trigger(ctx, first(args), o) })
}

func (a *app) trigger(ctx context.Context, ref string, o triggerOptions) (answer, error) {
	payload, err := a.content("payload", o.payload)
	if err != nil {
		return answer{}, err
	}
	t := model.Trigger{Wake: model.Wake(o.wake), Resource: model.Text(o.resource), Source: model.Text(o.source), Payload: model.Text(payload)}
	agent, err := a.address(ctx, ref, &t)
	if err != nil {
		return answer{}, err
	}
	in, err := a.apply(ctx, o.mutation, agent, t)
	if err != nil {
		return answer{}, err
	}
	out, err := readOne(ctx, a, func(r model.Reader) (home.TriggerResult, error) { return home.TriggerResultOf(r, in), nil })
	return answer{data: out, warnings: in.Warnings, text: func(p *page) {
		if out.WorkItem != nil {
			p.changed("triggered", *out.WorkItem)
		}
		for _, id := range out.Triggered {
			p.line("  %s", id)
		}
	}}, err
}

// address says which waits a trigger is for, and in whose name.
func (a *app) address(ctx context.Context, ref string, t *model.Trigger) (model.AgentID, error) {
	if ref == "" {
		if t.Wake == "" {
			t.Wake = model.WakeExternal
		}
		var agent model.AgentID
		err := a.read(ctx, func(r model.Reader) (err error) {
			agent, err = a.knownAgent(r)
			return err
		})
		return agent, err
	}
	known := false
	if err := a.read(ctx, func(r model.Reader) error {
		_, known = r.Wait(model.WaitID(ref))
		return nil
	}); err != nil {
		return "", err
	}
	if known {
		t.WaitID = model.WaitID(ref)
		return a.namedAgent()
	}
	id, err := a.resolve(ctx, ref)
	if err != nil {
		return "", err
	}
	t.WorkItemID = id
	return a.namedAgent()
}
