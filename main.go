// Command vise holds one piece of work at a time, firmly: a terminal workbench for people
// who run coding agents.
package main

import (
	"os"

	"vise/ui/markdown/glamour"
	"vise/ui/workbench"
)

func main() { os.Exit(workbench.Main(glamour.New())) }
