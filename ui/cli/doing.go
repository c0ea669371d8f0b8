package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/charmbracelet/x/term"
)

// doing shows on a terminal what a long act does and how long it has run. It updates one line of standard error every second until done is
// called.
func doing(e *Env, what string) (done func()) { return showProgress(e, func() string { return what }) }

// progress is doing with a text that it asks for again every second.
func showProgress(e *Env, what func() string) (done func()) {
	f, ok := e.err.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return func() {}
	}
	return doingOn(f, what)
}

func doingOn(w io.Writer, what func() string) (done func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for n := 1; ; n++ {
			select {
			case <-tick.C:
				fmt.Fprintf(w, "\r\x1b[K%s: %d s", what(), n)
			case <-stop:
				if n > 1 {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}
