// Command vise is the installed program, without the libraries that lay out Markdown. Those are in
// vise-markdown, in the same directory. The module's main package has both in one program.
package main

import (
	"os"

	"vise/ui/cli"
	"vise/ui/markdown"
)

func main() { os.Exit(cli.Main(markdown.NewSubprocess(), nil)) }
