// Command vise holds one piece of work at a time, firmly: a terminal workbench for people
// who run coding agents.
package main

import (
	"os"

	"vise/ui/cli"
)

func main() { os.Exit(cli.Main()) }
