// Command vise-markdown lays out Markdown for the console, which starts it when it has some to
// show and ends it again: the libraries for it cost each start 16 ms, and a hostile plan can be
// killed with it.
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
