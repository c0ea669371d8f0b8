package workbench

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/cli"
	"vise/ui/config"
	"vise/ui/linear"
)

// linear is the console of lines. The scheduler runs as long as it does.
func (b *bench) linear(agent model.AgentID, s config.Settings) error {
	d, err := b.host.Open()
	if cli.NoHome(err) {
		d, err = b.firstLines(agent)
	}
	if err != nil || d.Ledger == nil {
		return err
	}
	for _, x := range s.Problems.Bad() {
		fmt.Fprintf(b.Out, "Settings: %s\n", x)
	}
	b.schedule(d.Ledger, 0)
	return linear.Run(b.ctx, linear.Env{
		In: b.In, Out: b.Out, Run: b.host.Run, View: d.Ledger.View, Follow: d.Ledger.Follow,
		Agent: agent, Filters: s.Filters, Now: b.Now,
	})
}

// firstLines asks before anything is written where no home is.
func (b *bench) firstLines(agent model.AgentID) (cli.Door, error) {
	if agent == "" {
		agent = proposedAgent()
	}
	dir, err := b.host.HomeDir()
	if err != nil {
		return cli.Door{}, err
	}
	fmt.Fprintf(b.Out, "There is no vise home in %s yet. Nothing has been written.\nMake it, with an agent called %s? yes or no: ", model.Text(dir), model.Text(agent))
	var in string
	if _, err := fmt.Fscanln(b.In, &in); err != nil || !strings.HasPrefix(strings.ToLower(in), "y") {
		fmt.Fprintln(b.Out, "Nothing was written.")
		return cli.Door{}, nil
	}
	d, err := b.host.OpenOrCreate()
	if err != nil {
		return d, err
	}
	_, err = b.host.Apply(b.ctx, "", model.AddAgent{AgentID: agent})
	return d, err
}
