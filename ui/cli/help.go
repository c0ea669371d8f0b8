package cli

import (
	"os"
	"strings"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"
)

// help shows a command's help in colours. Fang comes in only here: it asks a terminal for its
// background, which no verb may do.
func (a *app) help(c *cobra.Command, _ []string) {
	if a.flags.noColor {
		os.Setenv("NO_COLOR", "1")
	}
	root := c.Root()
	root.SetArgs(append(strings.Fields(c.CommandPath())[1:], "--help"))
	_ = fang.Execute(c.Context(), root, fang.WithoutManpage(), fang.WithoutCompletions(), fang.WithoutVersion(),
		fang.WithColorSchemeFunc(fang.AnsiColorScheme))
}

// exitCodesTopic is a page of help without a verb.
func (*app) exitCodesTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes and error codes mean",
		Long: "Exit codes, and the error codes that lead to them:\n\n" + exitTable() +
			"\nWith --json an error is {\"schema\":\"vise.v1.error\",\"error\":{\"code\",\"message\",\"hint\",\"field\"}} on standard output.",
	}
}
