package workbench

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"vise/ui/cli"
	"vise/ui/markdown"
	"vise/ui/runner"
)

func demoVerb(h cli.Host, pages markdown.Engine) *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Open the console on scripted agents; nothing is saved",
		Long: "demo opens the same console on a ledger in memory, on which scripted agents work for some minutes.\n" +
			"Without a terminal it says how things stand when the curtain rises.",
		Args: cli.NoArguments,
	}
	return h.Verbs().Verb(c, func(ctx context.Context, _ []string) (runner.Answer, error) { return openDemo(ctx, h, pages) })
}

func openDemo(ctx context.Context, h cli.Host, pages markdown.Engine) (runner.Answer, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b := newBench(ctx, h, pages)
	defer b.close()
	session, ledger, err := b.demo()
	if err != nil {
		return runner.Answer{}, err
	}
	if !b.JSON && b.Screen {
		o := b.options()
		o.Session, o.Home = session, "DEMO"
		return runner.Answer{Text: func(io.Writer) {}}, runConsole(ctx, o)
	}
	return h.Standing(ctx, "DEMO", "DEMO: nothing of this is saved; on a terminal the console opens and the agents work", ledger)
}
