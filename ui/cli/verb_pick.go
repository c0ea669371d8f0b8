package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/store/home"
)

type pickOptions struct {
	mutation
	reason       string
	clearBlocker bool
}

func (a *app) pickVerb() *cobra.Command {
	var o pickOptions
	c := &cobra.Command{
		Use: "pick ID", Short: "Make a work item the agent's focus",
		Long: "pick makes an open work item the agent's focus. Leaving runnable work asks for a reason.\n" +
			"A blocked item may be picked for inspection: its blocker stays, unless --clear-blocker.", ValidArgsFunction: a.openItems,
	}
	o.register(c)
	c.Flags().StringVar(&o.reason, "reason", "", "why the focus moves")
	c.Flags().BoolVar(&o.clearBlocker, "clear-blocker", false, "the blocker is gone, and so are its waits; needs --reason")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) { return a.pick(ctx, args[0], o) })
}

func (a *app) pick(ctx context.Context, ref string, o pickOptions) (answer, error) {
	in, err := a.act(ctx, ref, o.mutation, func(id model.ItemID) model.Command {
		return model.PickWorkItem{WorkItemID: id, Reason: model.Text(o.reason), ClearBlocker: o.clearBlocker, SeenRevision: o.ifRevision}
	})
	if err != nil {
		return answer{}, err
	}
	out, err := readOne(ctx, a, func(r model.Reader) (home.PickResult, error) { return home.PickResultOf(r, in), nil })
	return answer{data: out, warnings: in.Warnings, text: func(p *page) {
		p.changed("picked", out.Current)
		if t := out.Transition; t != nil && t.FocusMode == model.FocusInspection {
			p.line("for inspection: it is not runnable, and its blocker stays")
		}
		if out.Previous != nil {
			p.changed("left", *out.Previous)
		}
	}}, err
}
