// Command vise holds one piece of work at a time, firmly: a terminal workbench for people
// who run coding agents.
package main

import (
	"os"

	"vise/ui/cli"
	"vise/ui/markdown/glamour"
)

func main() { os.Exit(cli.Main(glamour.New())) }
