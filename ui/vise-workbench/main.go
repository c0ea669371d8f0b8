// Command vise-workbench is the whole program, for installation beside its front and
// vise-markdown. The module's main package is all of them in one.
package main

import (
	"os"

	"vise/ui/build"
	"vise/ui/cli"
	"vise/ui/markdown"
	"vise/ui/workbench"
)

func main() { os.Exit(workbench.Main(markdown.NewSubprocess(cli.Pages, build.Name()))) }
