package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// waitLimit bounds the wait for another process; normally a fraction of it is enough.
const waitLimit = 20 * time.Second

// start starts a process, and ends it if it takes too long.
func start(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), waitLimit)
	t.Cleanup(stop)
	context.AfterFunc(ctx, func() { c.Process.Kill() })
}

func TestFollowingShowsWhatHappensAndEndsWhenInterrupted(t *testing.T) {
	t.Parallel()
	home, open, _ := newHome(t)
	follow := program(t, home, "events", "--follow", "--after", "0", "--json")
	out, err := follow.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, follow)
	lines := bufio.NewScanner(out)
	next := func(want string) string {
		for lines.Scan() {
			var e struct {
				Schema string
				Data   struct{ Kind, Cursor string }
			}
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Schema != "vise.v1.events" || e.Data.Cursor == "" {
				t.Fatalf("%v in %s", err, lines.Text())
			}
			if e.Data.Kind == want {
				return lines.Text()
			}
		}
		t.Fatalf("it ended before %s", want)
		return ""
	}
	next("agent_added")
	next("work_item_written")
	mustAsk(t, home, "pick", open)
	next("work_item_picked")
	mustAsk(t, home, "block", open, "ops")
	if line := next("work_item_focus_released"); !strings.Contains(line, open) {
		t.Errorf("got %s", line)
	}
	if err := follow.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := codeOf(follow.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// Standard input that is open and sends nothing is no terminal, and vise does not wait for it.
func TestNothingWaitsForInputThatNobodyAskedFor(t *testing.T) {
	t.Parallel()
	home, open, done := newHome(t)
	for _, args := range append(reads(open, done), []string{"demo"}, []string{"help"}, []string{"version"}) {
		c := program(t, home, args...)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		start(t, c)
		said, _ := io.ReadAll(out)
		if code := codeOf(c.Wait()); code != 0 || len(said) == 0 || strings.Contains(string(said), "\x1b") {
			t.Errorf("vise %q: exit %d, %q", args, code, said)
		}
		in.Close()
	}
}
