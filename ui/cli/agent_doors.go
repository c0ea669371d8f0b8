package cli

import (
	"github.com/spf13/cobra"

	"vise/store"
	"vise/store/files"
	"vise/ui/agents"
)

// agentDoors are the doors that agents' programs come through.
func (a *app) agentDoors() []*cobra.Command {
	return grouped(groupAgents, a.hookVerb(), a.runVerb(), a.installVerb(), a.contextVerb(), a.notesVerb(), a.primeVerb())
}

func (a *app) hookVerb() *cobra.Command {
	s := agents.RealStreams()
	s.In, s.Out, s.Err, s.Getenv, s.Now = a.in, a.out, a.err, a.getenv, a.now
	return agents.HookCommand(func(dir string) (*store.Ledger, files.Home, error) {
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
