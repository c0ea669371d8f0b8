package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/store/storetest"
)

// The crowd has 8 processes at a time, and 5 % of them are killed. VISE_CROWD=200 asks for the long run of 200 commands
// each.
const (
	crowdWorkers = 8
	crowdKills   = 20 // one process in so many
)

// TestACrowdOfProcessesLosesNothing lets real processes work on one home at once and kills some of them at a random
// moment. A killed command is repeated with the same key. At the end every acknowledged change is saved once, and the
// home is sound.
func TestACrowdOfProcessesLosesNothing(t *testing.T) {
	storetest.Slow(t)
	commands := 20
	if n := os.Getenv("VISE_CROWD"); n != "" {
		fmt.Sscan(n, &commands)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := &crowd{t: t, home: t.TempDir(), made: map[string]string{}, done: map[string]bool{}}
	c.must("init", "--agent", "crowd")
	began := time.Now()
	var all sync.WaitGroup
	for w := range crowdWorkers {
		all.Go(func() {
			m := &member{crowd: c, name: fmt.Sprint(w), rand: rand.New(rand.NewPCG(seed, uint64(w)))}
			for n := range commands {
				m.act(n)
			}
		})
	}
	all.Wait()
	t.Logf("%d commands by %d processes at a time in %v, %d killed, %d tried again", crowdWorkers*commands, crowdWorkers,
		time.Since(began).Round(time.Millisecond), c.killed, c.replayed)
	c.check()
}

type crowd struct {
	t    *testing.T
	home string

	mu sync.Mutex
	// made maps the objectives of acknowledged items to their ids; done holds the completed ids.
	made             map[string]string
	done             map[string]bool
	killed, replayed int
}

type member struct {
	*crowd
	name string
	rand *rand.Rand
	mine []string
}

// act is one command of a member, repeated under one key until it is answered.
func (m *member) act(n int) {
	key := fmt.Sprintf("crowd-%s-%d", m.name, n)
	objective := fmt.Sprintf("work %d of member %s", n, m.name)
	args := []string{"new", objective, "--agent", "crowd", "--key", key}
	pick := func() string { return m.mine[m.rand.IntN(len(m.mine))] }
	kind := m.rand.IntN(6)
	if len(m.mine) == 0 {
		kind = 0
	}
	target := ""
	switch kind {
	case 2:
		target = pick()
		args = []string{"update", target, "--todos", "-", "--key", key}
	case 3:
		target = pick()
		args = []string{"block", target, "waits for " + key, "--key", key}
	case 4:
		target = pick()
		args = []string{"pick", target, "--reason", "turn of " + key, "--key", key}
	case 5:
		target = pick()
		args = []string{"complete", target, "--key", key}
	}
	out := m.untilAnswered(args)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case target == "":
		m.made[objective] = out.Data.WorkItem.ID
		m.mine = append(m.mine, out.Data.WorkItem.ID)
	case kind == 5:
		m.done[target] = true
	}
}

type crowdAnswer struct {
	Data struct {
		WorkItem struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"work_item"`
		Replayed bool `json:"replayed"`
	} `json:"data"`
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// untilAnswered runs a command, and again with the same key if it is killed or the ledger is busy. A refusal by a rule
// is an answer too.
func (m *member) untilAnswered(args []string) crowdAnswer {
	for {
		kill := m.rand.IntN(crowdKills) == 0
		out, killed := m.run(args, kill, time.Duration(m.rand.IntN(50_000))*time.Microsecond)
		if killed {
			m.mu.Lock()
			m.killed++
			m.mu.Unlock()
			continue
		}
		if out.Error.Code == "busy" {
			continue // an overloaded machine: ask again with the same key
		}
		if m.rand.IntN(crowdKills) == 0 {
			again, _ := m.run(args, false, 0)
			for again.Error.Code == "busy" {
				again, _ = m.run(args, false, 0)
			}
			m.sameAnswer(args, out, again)
		}
		if out.Error.Code != "" && out.Error.Code != "completed" {
			m.t.Errorf("%v: %s: %s", args, out.Error.Code, out.Error.Message)
		}
		return out
	}
}

// sameAnswer checks a retry whose first answer was lost: the key gives the answer, and nothing is made twice. (A
// command that changed nothing saves no key, and may be judged again.)
func (m *member) sameAnswer(args []string, first, again crowdAnswer) {
	if args[0] == "new" && !again.Data.Replayed || again.Data.WorkItem.ID != first.Data.WorkItem.ID {
		m.t.Errorf("%v: tried again, answered %+v after %+v", args, again, first)
	}
	m.mu.Lock()
	m.replayed++
	m.mu.Unlock()
}

func (c *crowd) run(args []string, kill bool, after time.Duration) (crowdAnswer, bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := c.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if kill {
		timer := time.AfterFunc(after, cancel)
		defer timer.Stop()
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() < 0 {
		return crowdAnswer{}, true
	}
	var out crowdAnswer
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		c.t.Errorf("%v: no answer: %v\n%s%s", args, err, &stdout, &stderr)
	}
	return out, false
}

// command is this test's own program, run as vise.
func (c *crowd) command(ctx context.Context, args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Args = append([]string{"vise", "--json", "--home", c.home}, args...)
	cmd.Env = append(os.Environ(), "VISE_ACTOR=operator")
	cmd.Stdin = strings.NewReader("- [x] begin\n- [ ] end\n")
	return cmd
}

func (c *crowd) must(args ...string) []byte {
	c.t.Helper()
	cmd := c.command(context.Background(), args...)
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return out
}

// check compares the acknowledged changes with the saved ones.
func (c *crowd) check() {
	there := map[string]string{}
	for after := ""; ; {
		args := []string{"list", "all", "--agent", "crowd", "--limit", "100"}
		if after != "" {
			args = append(args, "--cursor", after)
		}
		var page struct {
			Data struct {
				Next  string `json:"next_cursor"`
				Items []struct {
					ID        string `json:"id"`
					Objective string `json:"objective"`
					State     string `json:"state"`
				} `json:"work_items"`
			} `json:"data"`
		}
		if err := json.Unmarshal(c.must(args...), &page); err != nil {
			c.t.Fatal(err)
		}
		for _, w := range page.Data.Items {
			if first, twice := there[w.Objective]; twice {
				c.t.Errorf("%q was made twice: %s and %s", w.Objective, first, w.ID)
			}
			there[w.Objective] = w.ID
			if c.done[w.ID] && w.State != "completed" {
				c.t.Errorf("%s was acknowledged as completed and is %s", w.ID, w.State)
			}
		}
		if after = page.Data.Next; after == "" {
			break
		}
	}
	for objective, id := range c.made {
		if there[objective] != id {
			c.t.Errorf("%q was acknowledged as %s and is %q", objective, id, there[objective])
		}
	}
	if len(there) != len(c.made) {
		c.t.Errorf("%d items there, %d acknowledged", len(there), len(c.made))
	}
	c.must("doctor")
}
