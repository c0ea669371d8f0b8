// Command vise is a terminal workbench for people who run coding agents. Each agent has one current work item
// at a time.
package main

import (
	"os"

	"vise/ui/cli"
	"vise/ui/markdown/glamour"
)

func main() { os.Exit(cli.Main(glamour.New(), nil)) }
