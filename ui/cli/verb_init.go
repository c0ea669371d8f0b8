package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"vise/model"
)

// initialized is the data of init.
type initialized struct {
	Home string `json:"home"`
	// Created is false when the home was there before.
	Created bool          `json:"created"`
	AgentID model.AgentID `json:"agent_id"`
}

func (a *app) initVerb() *cobra.Command {
	var m mutation
	c := &cobra.Command{
		Use: "init", Short: "Make an empty home with one agent",
		Long: "init makes a home and, in it, the agent that --agent names (default: default). In a home that is\n" +
			"there already it only adds the agent.",
	}
	m.keyed(c)
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) { return a.init(ctx, m) })
}

func (a *app) init(ctx context.Context, m mutation) (answer, error) {
	agent, err := a.namedAgent()
	if err != nil {
		return answer{}, err
	}
	d, created, err := a.openOrCreate()
	if err != nil {
		return answer{}, err
	}
	in, err := a.apply(ctx, m, "", model.AddAgent{AgentID: cmp.Or(agent, defaultAgent)})
	if err != nil {
		return answer{}, err
	}
	out := initialized{Home: d.Dir(), Created: created, AgentID: in.AgentID}
	return answer{data: out, text: func(p *page) {
		did := "there was a home in"
		if created {
			did = "made a home in"
		}
		p.line("%s %s, with agent %s", did, model.Text(out.Home), out.AgentID)
		p.line("vise new OBJECTIVE makes a work item; vise opens the console")
	}}, nil
}
