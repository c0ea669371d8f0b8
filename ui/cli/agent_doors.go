package cli

import (
	"github.com/spf13/cobra"

	"vise/store/home"
	"vise/ui/hook"
)

// agentDoors are the doors that agents' programs come through.
func (a *app) agentDoors() []*cobra.Command {
	return grouped(groupAgents, a.hookVerb(), a.runVerb(), a.installVerb(), a.contextVerb(), a.notesVerb(), a.primeVerb())
}

func (a *app) hookVerb() *cobra.Command {
	s := hook.Real()
	s.In, s.Out, s.Err, s.Getenv, s.Now = a.in, a.out, a.err, a.getenv, a.now
	return hook.Command(func(dir string) (*home.Home, error) {
		if dir != "" {
			a.flags.home = dir
		}
		return a.openHome()
	}, s)
}
