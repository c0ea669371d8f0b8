// Command vise is the program as it is installed: everything but the libraries that lay out
// Markdown, which vise-markdown beside it has. The module's main package is both in one.
package main

import (
	"os"

	"vise/ui/cli"
	"vise/ui/markdown"
)

func main() { os.Exit(cli.Main(markdown.NewSubprocess())) }
