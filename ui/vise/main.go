// Command vise is the front of the program: it starts at once, carries out the verbs and
// hooks that agents and scripts run all day, and hands everything else to vise-workbench
// beside it.
package main

import (
	"os"

	"vise/ui/cli"
)

func main() { os.Exit(cli.Main(cli.Parts{Elsewhere: cli.Whole})) }
