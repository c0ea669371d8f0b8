package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// Verbs, MCP servers and the webhook server are killed in loops, by one caller and by eight. What they reported as done
// is saved, what they reported as not done is not, and a request repeated under its key is carried out once (P1, P3).
func TestWhatIsSaidBeforeAKillIsTrue(t *testing.T) {
	storetest.Slow(t)
	for _, callers := range []int{1, 8} {
		t.Run(fmt.Sprint(callers, " at a time"), func(t *testing.T) {
			h := newHome(t, someAgents...)
			if storetest.Long {
				h.install()
			}
			seed := storetest.Seed(t)
			list := make([]*caller, callers)
			var all sync.WaitGroup
			for i := range list {
				list[i] = newCaller(h, i, rand.New(rand.NewPCG(seed, uint64(i))))
				all.Go(func() { list[i].until(storetest.Amount(24, 1000) / callers) })
			}
			all.Wait()
			there := h.listed()
			killed, saidDone, saved, not := 0, 0, 0, 0
			for _, c := range list {
				there[c.sender.key] = c.sender.reached()
				killed, saidDone = killed+c.killed, saidDone+c.saidDone
				for key, least := range c.least {
					n := there[key]
					if n < least || n > c.most[key] {
						t.Errorf("%s is there %d times, want %d to %d", key, n, least, c.most[key])
					}
					saved, not = saved+n-least, not+c.most[key]-n
					delete(there, key)
				}
			}
			if len(there) > 0 {
				t.Errorf("nobody asked for %v", there)
			}
			h.sound()
			t.Logf("%d kills, %d said to be done; of those without an answer %d were done and %d not", killed, saidDone, saved, not)
		})
	}
}

// caller asks for changes through each frontend in turn, and kills it at a random time during the call.
type caller struct {
	home   *home
	name   string
	rand   *rand.Rand
	verbs  *verbs
	tools  *tools
	sender *sender
	spans  [3]time.Duration // the duration of a call, by frontend

	killed, saidDone int
	// least and most bound how often a request under a key can be saved: an item, or a trigger of the sender's.
	least, most map[string]int
}

func newCaller(h *home, i int, r *rand.Rand) *caller {
	c := &caller{home: h, name: fmt.Sprint("c", i), rand: r, verbs: &verbs{home: h}, least: map[string]int{}, most: map[string]int{}}
	c.tools = &tools{home: h, agent: someAgents[i%len(someAgents)]}
	c.sender = newSender(h, c.name+" is triggered")
	c.least[c.sender.key], c.most[c.sender.key] = 0, 0
	return c
}

// until makes requests until there were enough kills.
func (c *caller) until(kills int) {
	defer c.tools.close()
	defer c.sender.close()
	frontends := []frontend{c.verbs, c.tools, c.sender}
	for n := 0; c.killed < kills && !c.home.t.Failed(); n++ {
		at := n % len(frontends)
		f := frontends[at]
		ask := call{kind: create, agent: c.tools.agent, text: fmt.Sprintf("%s-%d", c.name, n)}
		counted := ask.text
		if f == frontend(c.sender) {
			counted = c.sender.key
		}
		kill := time.Duration(0)
		if span := int64(c.spans[at]); span > 0 {
			kill = time.Duration(1 + c.rand.Int64N(span))
		}
		begun := time.Now()
		a, answered := f.do(ask, ask.text, kill)
		if kill == 0 && n >= len(frontends) { // the first call of each takes longer: it starts the server
			c.spans[at] = time.Since(begun)
		}
		c.most[counted]++
		if !answered {
			c.killed++
		}
		if !answered && n%2 == 0 || a.code == string(model.CodeUnknownOutcome) {
			a, answered = f.do(ask, ask.text, 0)
		}
		switch {
		case !answered:
		case a.code == "":
			c.saidDone++
			c.least[counted]++
		case a.code == string(model.CodeBusy):
			c.most[counted]--
		default:
			c.home.t.Errorf("%s: %s", ask.text, a.code)
		}
		if _, ok := c.least[counted]; !ok {
			c.least[counted] = 0
		}
	}
}

// listed returns the objectives of all open items, each with the number of items that have it.
func (h *home) listed() map[string]int {
	h.t.Helper()
	out := map[string]int{}
	for _, agent := range h.agents {
		for cursor := ""; ; {
			args := []string{"list", "--agent", agent, "--limit", "100", "--json"}
			if cursor != "" {
				args = append(args, "--cursor", cursor)
			}
			var x struct {
				Data struct {
					WorkItems []model.View `json:"work_items"`
					Next      string       `json:"next_cursor"`
				} `json:"data"`
			}
			must(h.t, json.Unmarshal(h.must(args...), &x))
			for _, w := range x.Data.WorkItems {
				out[w.Objective.Raw()]++
			}
			if cursor = x.Data.Next; cursor == "" {
				break
			}
		}
	}
	return out
}

// sender delivers to its own webhook server, one process for all its deliveries. It gets a status as answer.
type sender struct {
	*home
	key, item, path string
	cmd             *exec.Cmd
	base            string
}

// newSender makes an item that waits, and the address that triggers it.
func newSender(h *home, objective string) *sender {
	d := &sender{home: h, key: objective}
	var out struct {
		Data reply `json:"data"`
	}
	must(h.t, json.Unmarshal(h.must("--json", "new", objective, "--agent", someAgents[0]), &out))
	d.item = string(out.Data.WorkItem.ID)
	h.must("wait", d.item, "--external", "ci", "--recheck", "2h")
	d.path = regexp.MustCompile(`/t/\S+`).FindString(string(h.must("trigger", "url", d.item, "--base", "http://x")))
	return d
}

func (d *sender) close() {
	if d.cmd != nil {
		_ = d.cmd.Process.Kill()
		_ = d.cmd.Wait()
		d.cmd = nil
	}
}

func (d *sender) start() error {
	d.cmd = d.command(ctx, "serve", "--listen", "127.0.0.1:0")
	errs, err := d.cmd.StderrPipe()
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		return err
	}
	line, err := bufio.NewReader(errs).ReadString('\n')
	if _, at, ok := strings.Cut(line, "listening on "); ok {
		d.base = "http://" + strings.Trim(strings.Fields(at)[0], `"`)
		return nil
	}
	return errors.Join(err, errors.New(line))
}

func (d *sender) do(_ call, id string, kill time.Duration) (answer, bool) {
	d.close() // one server accepts ten deliveries a second from a sender
	if err := d.start(); err != nil {
		d.t.Errorf("the server did not start: %v", err)
		return answer{}, false
	}
	if kill > 0 {
		defer time.AfterFunc(kill, func() { _ = d.cmd.Process.Kill() }).Stop()
	}
	r, err := http.NewRequest(http.MethodPost, d.base+d.path, strings.NewReader("{}"))
	must(d.t, err)
	r.Header.Set("X-Delivery-Id", id)
	r.Close = true
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		return answer{}, false
	}
	_, err = io.Copy(io.Discard, got.Body)
	got.Body.Close()
	switch {
	case err != nil:
		return answer{}, false
	case got.StatusCode == http.StatusOK || got.StatusCode == http.StatusAccepted:
		return answer{}, true
	case got.StatusCode == http.StatusServiceUnavailable:
		return answer{code: string(model.CodeUnknownOutcome)}, true
	}
	return answer{code: got.Status}, true
}

// reached returns how often the item was triggered.
func (d *sender) reached() int {
	var out struct {
		Data reply `json:"data"`
	}
	must(d.t, json.Unmarshal(d.must("show", d.item, "--json"), &out))
	return seenItem(out.Data.WorkItem).triggers
}
