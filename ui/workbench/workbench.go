// Package workbench is the whole program: the command line of package cli, with the parts
// that are too heavy to be linked where only a verb is run: the console and what it stands
// on, its settings, the MCP server, the drivers and the HTTP server, and help in colours.
//
// Reading order: workbench.go (what is handed in), console.go (how the console is opened),
// bench.go (what it stands on), then eyes.go, drafts.go, files.go.
package workbench

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"vise/store/home"
	"vise/ui/cli"
	"vise/ui/markdown"
	"vise/ui/mcp"
	"vise/ui/run/long"
)

// Main runs the whole program, and returns the exit code. Pages lay out Markdown.
func Main(pages markdown.Engine) int {
	if err := cli.SameBuild(); err != nil {
		e := cli.Fault(err)
		fmt.Fprintf(os.Stderr, "vise: %s\n      %s\n", e.Message, e.Hint)
		return 1
	}
	return cli.Main(Parts(pages))
}

// Parts are what the whole program hands to the command line.
func Parts(pages markdown.Engine) cli.Parts {
	return cli.Parts{
		Verbs:   func(h cli.Host) []*cobra.Command { return verbs(h, pages) },
		Console: func(ctx context.Context, h cli.Host) error { return openConsole(ctx, h, pages) },
		Help:    help,
	}
}

func verbs(h cli.Host, pages markdown.Engine) []*cobra.Command {
	all := in(cli.GroupRun, long.Commands(h.Verbs())...)
	all = append(all, in(cli.GroupAgents, mcpVerb(h))...)
	return append(all, in(cli.GroupHome, demoVerb(h, pages), configVerb(h))...)
}

func in(group string, verbs ...*cobra.Command) []*cobra.Command {
	for _, v := range verbs {
		v.GroupID = group
	}
	return verbs
}

func mcpVerb(h cli.Host) *cobra.Command {
	return mcp.Command(func() mcp.Options {
		s := h.Surroundings()
		return mcp.Options{
			Open:  func() (*home.Home, error) { return openForAgent(h) },
			Agent: s.Agent, Getenv: s.Getenv, In: s.In, Out: s.Out, Version: cli.Version(),
			Log: slog.New(slog.NewTextHandler(s.Err, &slog.HandlerOptions{Level: slog.LevelWarn})),
		}
	})
}

// openForAgent opens the home, and makes it where none is: an agent's program that was told
// of vise is reason enough.
func openForAgent(h cli.Host) (*home.Home, error) {
	d, err := h.OpenOrCreate()
	if err != nil {
		return nil, cli.Fault(err)
	}
	return d, nil
}

// help shows a command's help in Fang's dress. Fang comes in only here: it asks a terminal
// for its background, which no verb may do.
func help(c *cobra.Command, noColor bool) {
	if noColor {
		os.Setenv("NO_COLOR", "1")
	}
	root := c.Root()
	root.SetArgs(append(strings.Fields(c.CommandPath())[1:], "--help"))
	_ = fang.Execute(c.Context(), root, fang.WithoutManpage(), fang.WithoutCompletions(), fang.WithoutVersion(),
		fang.WithColorSchemeFunc(fang.AnsiColorScheme))
}
