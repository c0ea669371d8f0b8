package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/store/lock"
)

// endsSoon is how long a process may take to end after a signal. A driver first gives its program two seconds.
const endsSoon = 8 * time.Second

// Every process that lasts ends at the first signal, whether it rests or waits for a ledger that another process holds. Its input has no end
// of its own.
func TestTheFirstSignalEndsWhatLasts(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"drive":      {"drive", "--agent", "default", "--adapter", "text", "--", "/bin/sh", "-c", `trap "" TERM; sleep 1000`},
		"serve":      {"serve", "--listen", "127.0.0.1:0"},
		"mcp":        {"mcp"},
		"follow":     {"events", "--follow"},
		"task":       {"task", "run", "--", "sleep", "1000"},
		"run":        {"run", "--", "sleep", "1000"},
		"hook":       {"hook", "claude", "Stop"},
		"accessible": {"--accessible"},
		"host":       {"admin", "hosts", "serve"},
	} {
		for _, busy := range []bool{false, true} {
			for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
				t.Run(fmt.Sprint(name, " busy ", busy, " ", sig), func(t *testing.T) {
					t.Parallel()
					home, _, _ := shortHome(t)
					c := program(t, home, args...)
					in, write, err := os.Pipe()
					if err != nil {
						t.Fatal(err)
					}
					defer in.Close()
					defer write.Close()
					c.Stdin = in
					if err := c.Start(); err != nil {
						t.Fatal(err)
					}
					settles(t, c)
					if busy {
						l := lock.On(nil, filepath.Join(home, "ledger.lock"), "somebody else")
						if err := l.Acquire(context.Background()); err != nil {
							t.Fatal(err)
						}
						defer func() { l.Release(); l.Close() }()
					}
					begun := time.Now()
					if err := c.Process.Signal(sig); err != nil {
						t.Error(err)
					}
					late := time.AfterFunc(40*time.Second, func() { _ = c.Process.Kill() })
					defer late.Stop()
					if err, took := c.Wait(), time.Since(begun); took > endsSoon {
						t.Errorf("ended after %v: %v", took, err)
					}
				})
			}
		}
	}
}

// settles waits until a process has not run for half a second.
func settles(t *testing.T, c *exec.Cmd) {
	t.Helper()
	last, since := "", time.Now()
	for end := time.Now().Add(time.Minute); time.Since(since) < 500*time.Millisecond; <-time.After(20 * time.Millisecond) {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.Process.Pid))
		if strings.Contains(string(status), "State:\tZ") || time.Now().After(end) {
			t.Fatal("it does not last")
		}
		if ran, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", c.Process.Pid)); string(ran) != last {
			last, since = string(ran), time.Now()
		}
	}
}
