package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// holdLedger stays in a transaction until it gets a line.
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

// startUp is how long a process can take to start on a busy machine, in addition to the second that it can wait for a
// stopped holder.
const startUp = time.Second

// While a stopped process holds the ledger, verbs name it, say that it is stopped and since when, and exit with 75. The
// console keeps showing the last state, says the same, and goes on when the process does (P10).
func TestAStoppedHolderIsNamedAndTheConsoleGoesOnShowing(t *testing.T) {
	storetest.Slow(t)
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

// A stopped process holds the ledger. Verbs and tools then report a change as not done, and it is not saved. Repeated
// under its key it is made once (P10, P3).
func TestWhatIsAskedWhileTheHolderIsStoppedIsNotDone(t *testing.T) {
	storetest.Slow(t)
	s := newStaged(t, false)
	c := storetest.Start(t, "hold", s.dir)
	c.Expect("inside")
	must(t, c.Process.Signal(syscall.SIGSTOP))
	answers := map[string]told{}
	for _, name := range []string{"new", "block", "complete", "CreateWorkItem", "CompleteWorkItem"} {
		x := s.ask(changes[name], "k")
		if x.outcome() != notDone || x.Error.Code != model.CodeBusy || !x.tool && x.exit != 75 {
			t.Errorf("%s: exit %d, %s%s", name, x.exit, x.raw, x.err)
		}
		answers[name] = x
	}
	must(t, c.Process.Signal(syscall.SIGCONT))
	c.Say("go on")
	for name, x := range answers {
		if _, wrong := s.copied(t).judged(changes[name], "k", x, s.clean(t, changes[name])); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
	}
}

// Ctrl-Z at any time of a verb blocks no other process. When the verb goes on, it carries out its command.
func TestCtrlZOfAVerbKeepsNobodyOut(t *testing.T) {
	storetest.Slow(t)
	s := newStaged(t, false)
	rng := rand.New(rand.NewPCG(storetest.Seed(t), 1))
	begun := time.Now()
	s.must("new", "How long it takes", "--agent", "ann")
	span, stops := int64(time.Since(begun)), 0
	for i := range storetest.Amount(10, 100) {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		must(t, err)
		cmd := s.command(ctx, "new", fmt.Sprint("Stopped ", i), "--agent", "ann", "--json")
		cmd.Stdout = out
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // like a shell: otherwise the processes may not be stoppable
		must(t, cmd.Start())
		timer := time.AfterFunc(time.Duration(rng.Int64N(span)), func() { _ = cmd.Process.Signal(syscall.SIGTSTP) })
		var status syscall.WaitStatus
		_, err = syscall.Wait4(cmd.Process.Pid, &status, syscall.WUNTRACED, nil)
		must(t, err)
		timer.Stop()
		s.must("new", fmt.Sprint("Meanwhile ", i), "--agent", "ann")
		if status.Stopped() {
			stops++
			must(t, syscall.Kill(cmd.Process.Pid, syscall.SIGCONT))
			_, err = syscall.Wait4(cmd.Process.Pid, &status, 0, nil)
			must(t, err)
		}
		raw, err := os.ReadFile(out.Name())
		must(t, err)
		if status.ExitStatus() != 0 || !strings.Contains(string(raw), `"work_item"`) {
			t.Errorf("it ended with %v: %s", status, raw)
		}
	}
	for name, n := range s.listed() {
		if n != 1 {
			t.Errorf("%q is there %d times", name, n)
		}
	}
	t.Logf("%d stops", stops)
	if stops == 0 {
		t.Error("nothing was stopped")
	}
}
