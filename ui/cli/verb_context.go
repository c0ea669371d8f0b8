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
	return readAnswer(ctx, a, func(p *page, l prompt.Layered) { p.b.WriteString(l.Text()) }, func(r model.Reader) (prompt.Layered, error) {
		agent, err := a.knownAgent(r)
		if err != nil {
			return prompt.Layered{}, err
		}
		return prompt.Fit(r, agent, prompt.Options{Budget: budget}), nil
	})
}
