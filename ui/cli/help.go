package cli

import "github.com/spf13/cobra"

// help shows a command's help.
func (a *app) help(c *cobra.Command, _ []string) {
	if a.parts.Help == nil {
		a.exit = a.goElsewhere(c)
		return
	}
	a.parts.Help(c, a.flags.noColor)
}

// exitCodesTopic is a page of help without a verb.
func exitCodesTopic() *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes and error codes mean",
		Long: "Exit codes, and the error codes that lead to them:\n\n" + exitTable() +
			"\nWith --json an error is {\"schema\":\"vise.v1.error\",\"error\":{\"code\",\"message\",\"hint\",\"field\"}} on standard output.",
	}
}
