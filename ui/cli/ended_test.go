package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A command that waits for input ends at the first signal. The FIFO has a writer, so the read of it has no end of its own.
func TestTheFirstSignalEndsACommandThatWaitsForInput(t *testing.T) {
	t.Parallel()
	home, open, _ := shortHome(t)
	for _, args := range [][]string{
		{"new", "Work", "--plan", "@FIFO"}, {"complete", open, "--report-file", "FIFO"}, {"trigger", open, "--payload", "@FIFO"},
		{"update", open, "--todos", "@FIFO"},
	} {
		for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
			fifo := filepath.Join(t.TempDir(), "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			last := len(args) - 1
			given := append(append([]string{}, args[:last]...), map[bool]string{true: "@"}[args[last][0] == '@']+fifo)
			c := program(t, home, given...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(20*time.Second, func() { _ = c.Process.Kill() })
			writer, err := os.OpenFile(fifo, os.O_WRONLY, 0) // returns when vise reads
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
				t.Errorf("vise %q after %v: %v", given, signal, err)
			}
			late.Stop()
			writer.Close()
		}
	}
}
