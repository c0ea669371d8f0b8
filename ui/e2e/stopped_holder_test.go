package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// holdLedger stays inside a transaction until it is spoken to.
func holdLedger(args []string) {
	l, err := store.Open(args[0], store.Options{Command: "vise mcp"})
	if err == nil {
		err = l.View(ctx, func(model.Reader) error {
			fmt.Println("inside")
			storetest.ReadLine()
			return nil
		})
	}
	if err != nil {
		panic(err)
	}
}

// startUp is what a process may take to begin on a busy machine, beside the second that it
// may wait for a stopped holder.
const startUp = time.Second

// While a stopped process holds the ledger, verbs say who it is, that it is stopped and since
// when, and end with 75; the console keeps showing the last truth, says the same, and goes on
// when the process does (P10).
func TestAStoppedHolderIsNamedAndTheConsoleGoesOnShowing(t *testing.T) {
	h := newHome(t, "ann")
	h.must("new", "What is there stays on the screen", "--agent", "ann")
	x := onTerminal(t, h.command(ctx), 120, 36)
	x.showing("What is there")
	c := storetest.Start(t, "hold", h.dir)
	c.Expect("inside")
	must(t, c.Process.Signal(syscall.SIGSTOP))
	begun := time.Now()
	raw, err := h.command(ctx, "--json", "list").Output()
	took := time.Since(begun)
	var exit *exec.ExitError
	var said struct{ Error model.Error }
	if !errors.As(err, &exit) || exit.ExitCode() != 75 || json.Unmarshal(raw, &said) != nil {
		t.Errorf("exit %v, said %s", err, raw)
	}
	text := fmt.Sprint(string(raw))
	for _, want := range []string{fmt.Sprintf("pid %d (vise mcp), stopped, since ", c.Process.Pid), "kill -CONT"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said: %s", want, raw)
		}
	}
	t.Logf("said after %v", took.Round(time.Millisecond))
	if storetest.Long && took > time.Second+startUp {
		t.Errorf("said after %v", took)
	}
	x.keys("p")
	x.keys("\r")
	x.until("who holds it", func(s string) bool {
		return strings.Contains(s, "What is there") && strings.Contains(s, fmt.Sprint(c.Process.Pid)) && strings.Contains(s, "stopped")
	})
	must(t, c.Process.Signal(syscall.SIGCONT))
	c.Say("go on")
	h.must("new", "After it went on", "--agent", "ann")
	x.escape()
	x.showing("After it went on")
}
