// Command vise-markdown lays out Markdown for the console. The console starts it when it needs a layout, and
// ends it again. The libraries would cost each start of vise 16 ms, and if a hostile plan makes the layout
// hang, the console can kill this process.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"

	"vise/ui/markdown"
	"vise/ui/markdown/glamour"
)

func main() {
	if term.IsTerminal(os.Stdin.Fd()) {
		fmt.Fprintln(os.Stderr, "vise-markdown is a part of vise, which starts it; start vise.")
		os.Exit(2)
	}
	signal.Ignore(os.Interrupt, syscall.SIGTERM) // it ends with its console
	if err := markdown.Serve(os.Stdin, os.Stdout, glamour.New()); err != nil {
		os.Exit(1)
	}
}
