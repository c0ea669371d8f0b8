package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/ui/agents"
)

func (a *app) runVerb() *cobra.Command {
	c := &cobra.Command{
		Use: "run -- PROGRAM [ARG…]", Short: "Run an agent's program and keep what it reports",
		Long: "run passes input, output and exit code through. Of claude -p --output-format stream-json it reads which words\n" +
			"belong to a completion, exactly; of codex exec --json nearly; of other programs the last words are offered.\n" +
			"A program that wants the terminal for itself gets it, and is not read.",
		Example: "vise run -- claude -p --verbose --output-format stream-json 'Work on the current item'",
	}
	return a.verb(c, func(ctx context.Context, args []string) (answer, error) { return answer{}, a.wrap(ctx, args) })
}

// wrap ends with the program's exit code. What came of the reports is said on standard
// error: standard output is the program's.
func (a *app) wrap(ctx context.Context, argv []string) error {
	d, err := a.open()
	if err != nil {
		return err
	}
	var agent model.AgentID
	if err := d.View(ctx, func(r model.Reader) (err error) { agent, err = a.agentOf(r); return err }); err != nil {
		return err
	}
	out, err := agents.Wrap(ctx, agents.WrapOptions{Argv: argv, Agent: agent, Home: d, In: a.in, Out: a.out, Err: a.err, Env: os.Environ(), Now: a.now})
	if err != nil {
		return err
	}
	if out.Promoted > 0 {
		fmt.Fprintf(a.err, "vise: %d reports kept\n", out.Promoted)
	}
	for _, w := range out.Warnings {
		fmt.Fprintf(a.err, "vise: warning: %s (%s)\n", model.Text(w.Message), w.Kind)
	}
	for _, p := range out.Problems {
		fmt.Fprintf(a.err, "vise: %s\n", model.Text(p))
	}
	a.exit = out.Exit
	return nil
}
