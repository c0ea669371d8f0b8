package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"vise/model"
)

type blockOptions struct {
	mutation
	recheck time.Duration
}

func (a *app) blockVerb() *cobra.Command {
	var o blockOptions
	c := &cobra.Command{
		Use: "block ID TEXT", Short: "Say what a work item cannot advance without", ValidArgsFunction: a.openItems,
	}
	o.register(c)
	c.Flags().DurationVar(&o.recheck, "recheck", 0, "look again after this time (default 1h)")
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		return a.change(ctx, args[0], o.mutation, "blocked", model.UpdateWorkItem{
			BlockedBy: model.SetTo(model.Text(args[1])), RecheckAfterMS: millis(o.recheck), SeenRevision: o.ifRevision,
		})
	})
}

func (a *app) unblockVerb() *cobra.Command {
	var m mutation
	c := &cobra.Command{
		Use: "unblock ID", Short: "Clear the blocker and what the work item waits for", ValidArgsFunction: a.openItems,
	}
	m.register(c)
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) {
		return a.change(ctx, args[0], m, "unblocked", model.UpdateWorkItem{BlockedBy: model.Clear(), SeenRevision: m.ifRevision})
	})
}
