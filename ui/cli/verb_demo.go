package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
)

func (a *app) demoVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Open the console on scripted agents; nothing is saved",
		Long: "demo opens the same console on a ledger in memory, on which scripted agents work for some minutes.\n" +
			"Without a terminal it says how things stand when the curtain rises.",
		Args: named(),
	}
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) { return a.demo(ctx) })
}

func (a *app) demo(ctx context.Context) (answer, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := &bench{app: a, ctx: ctx}
	defer b.close()
	session, err := b.demo()
	if err != nil {
		return answer{}, err
	}
	if !a.flags.json && a.ttyIn && a.ttyOut {
		o := b.options()
		o.Session, o.Home = session, "DEMO"
		return answer{}, runConsole(ctx, o)
	}
	out := status{Home: "DEMO", Exists: true}
	err = session.Ledger.View(ctx, func(r model.Reader) error {
		out.Revision, out.Agents = r.Revision(), a.gists(r, "")
		return nil
	})
	return answer{data: out, text: func(p *page) {
		p.line("DEMO: nothing of this is saved; on a terminal the console opens and the agents work")
		p.agents(out.Agents)
	}}, err
}
