package cli

import (
	"context"
	"log/slog"

	"github.com/spf13/cobra"

	"vise/store"
	"vise/store/files"
	"vise/ui/hook"
	"vise/ui/mcp"
)

// agentDoors are the doors that agents' programs come through.
func (a *app) agentDoors() []*cobra.Command {
	return grouped(groupAgents, a.mcpVerb(), a.hookVerb(), a.runVerb(), a.installVerb(), a.contextVerb(), a.notesVerb(), a.primeVerb())
}

func (a *app) mcpVerb() *cobra.Command {
	return mcp.Command(func() mcp.Options {
		return mcp.Options{
			Open: a.openForAgent, Agent: a.flags.agent, Getenv: a.getenv, Now: a.now, In: a.in, Out: a.out,
			Version: builtVersion().Version, Log: slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
		}
	})
}

// openForAgent opens the home, and makes it where none is: an agent's program that was told
// of vise is reason enough.
func (a *app) openForAgent(context.Context) (*store.Ledger, files.Home, error) {
	d, _, err := a.openOrCreate()
	if err != nil {
		return nil, files.Home{}, fault(err)
	}
	return d.ledger, d.files, nil
}

func (a *app) hookVerb() *cobra.Command {
	s := hook.Real()
	s.In, s.Out, s.Err, s.Getenv, s.Now = a.in, a.out, a.err, a.getenv, a.now
	return hook.Command(func(dir string) (*store.Ledger, files.Home, error) {
		if dir != "" {
			a.flags.home = dir
		}
		d, err := a.openHome()
		if err != nil {
			return nil, files.Home{}, err
		}
		return d.ledger, d.files, nil
	}, s)
}
