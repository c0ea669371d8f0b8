package cli

import (
	"context"

	"github.com/spf13/cobra"

	"vise/model"
	"vise/model/prompt"
)

func (a *app) contextVerb() *cobra.Command {
	var budget int
	c := &cobra.Command{
		Use: "context", Short: "Show what an agent is told of its work, within a budget of tokens",
		Long: "context prints the layers that an agent is given: the current work item, what was triggered, queued, waits\n" +
			"for you or is blocked, and the newest reports. A token is taken for four characters; the budget bounds\n" +
			"the text and is never exceeded. What finds no room falls from full to compact to counts, as a whole.",
	}
	c.Flags().IntVar(&budget, "budget", prompt.DefaultBudget, "how many tokens it may have")
	return a.verb(c, func(ctx context.Context, _ []string) (answer, error) { return a.context(ctx, budget) })
}

func (a *app) context(ctx context.Context, budget int) (answer, error) {
	if budget < 1 {
		return answer{}, misuse("budget", "a budget is at least one token")
	}
	var out prompt.Layered
	err := a.read(ctx, func(r model.Reader) error {
		agent, err := a.knownAgent(r)
		if err != nil {
			return err
		}
		out = prompt.Fit(r, agent, prompt.Options{Budget: budget})
		return nil
	})
	return answer{data: out, text: func(p *page) { p.b.WriteString(out.Text()) }}, err
}
