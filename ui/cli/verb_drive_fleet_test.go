package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store/storetest"
)

// Three agents are driven with real processes and bring all items to the end, also the delegated ones. Waits of every
// kind are woken; tasks fail; programs fail, change nothing and edit plans; a webhook comes in; the operator answers
// and retries idle agents; the driver is killed twice during a turn. The journal proves that nothing happened twice,
// and counts the turns.
func TestAFleetComesToItsEndWhateverHappensToItsDriver(t *testing.T) {
	storetest.Slow(t)
	h := newFleetHome(t)
	for _, agent := range []model.AgentID{"ann", "bob", "cid"} {
		for _, objective := range fleet[agent] {
			h.do(model.AgentActor(agent), model.CreateWorkItem{Objective: objective})
		}
	}
	yes := true
	h.do(model.Operator, model.UpdateAgent{AgentID: "cid", AutoPick: &yes})
	h.configure()
	base := h.serve()

	ctx, cancel := context.WithTimeout(context.Background(), fleetTime)
	defer cancel()
	var around sync.WaitGroup
	defer around.Wait()
	defer cancel()
	around.Go(func() { h.operate(ctx, base) })

	var before model.ItemID
	for range kills {
		d := h.start("drive")
		h.until("a slow turn", func(r model.Reader) bool {
			a, _ := r.Agent("ann")
			w, _ := r.Item(a.CurrentWorkItemID)
			slow := a.Turn != nil && w.Objective == "slow" && len(w.TodoList) > 0 && w.ID != before
			if slow {
				before = w.ID
			}
			return slow
		})
		if err := d.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = d.Wait()
	}
	h.start("drive")
	h.within(fleetTime, "all are completed", func(r model.Reader) bool {
		left := 0
		for agent := range fleet {
			left += r.Count(agent, model.TallyOpen)
		}
		return left == 0
	})
	h.prove()
}

// fleetTime is how long the fleet can take.
var fleetTime = storetest.Amount(3*time.Minute, time.Hour)

// kills is how often the driver is killed during a turn.
const kills = 2

// configure makes this test binary the program of each agent.
func (h *fleetHome) configure() {
	h.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, "agents:")
	for agent, adapter := range map[string]string{"ann": "rounds", "bob": "rounds", "cid": "acp"} {
		fmt.Fprintf(&b, "  %s: {command: [%q], adapter: %s, env: [%q], turn: {timeout: 30s, lease: 1s}}\n", agent, self, adapter, scripted+"="+adapter)
	}
	if err := os.WriteFile(h.config(), b.Bytes(), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// start runs a verb until the test ends.
func (h *fleetHome) start(args ...string) *exec.Cmd {
	h.t.Helper()
	c := h.command(args...)
	c.Stderr = &said{t: h.t}
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
	})
	return c
}

// said keeps a verb's standard error for a test that fails.
type said struct {
	t     testing.TB
	mu    sync.Mutex
	lines bytes.Buffer
	once  sync.Once
}

func (s *said) Write(p []byte) (int, error) {
	s.once.Do(func() {
		s.t.Cleanup(func() {
			if s.t.Failed() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.t.Logf("a verb wrote:\n%s", s.lines.Bytes())
			}
		})
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines.Write(p)
}

// serve starts the server and returns its address.
func (h *fleetHome) serve() string {
	h.t.Helper()
	c := h.command("serve", "--listen", "127.0.0.1:0")
	out, in, err := os.Pipe()
	if err != nil {
		h.t.Fatal(err)
	}
	c.Stderr = in
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	in.Close()
	h.t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
		out.Close()
	})
	line := make([]byte, 200)
	n, err := out.Read(line)
	found := regexp.MustCompile(`listening on ([^\s"]+)`).FindSubmatch(line[:n])
	if err != nil || found == nil {
		h.t.Fatalf("the server said %q %v", line[:n], err)
	}
	return "http://" + string(found[1])
}

// operate is the operator and the outside: it answers each question and delivers to each external wait, once.
func (h *fleetHome) operate(ctx context.Context, base string) {
	done := map[model.WaitID]bool{}
	for seen := uint64(0); ctx.Err() == nil; {
		var waits []model.Wait
		var rest []model.AgentID
		err := h.ledger.View(ctx, func(r model.Reader) error {
			seen, waits, rest = r.Revision(), nil, nil
			for agent := range fleet {
				if model.Decide(r, agent, time.Now()).HeldBy != "" {
					rest = append(rest, agent)
				}
				for _, class := range []model.Class{model.WaitingForOperator, model.BlockedClass} {
					for _, row := range r.Rows(agent, class, nil, 100) {
						waits = append(waits, r.ItemWaits(agent, row.ID)...)
						h.stands(r, row)
					}
				}
			}
			return nil
		})
		for _, agent := range rest {
			if out, err := h.run("retry", string(agent)); err != nil && ctx.Err() == nil {
				h.t.Errorf("retry: %v %s", err, out)
			}
		}
		for _, w := range waits {
			if err == nil && !done[w.ID] && !w.Triggered() {
				done[w.ID] = true
				h.wake(base, w)
			}
		}
		_, _ = h.ledger.Follow(ctx, seen)
	}
}

// stands expects a question in the inbox.
func (h *fleetHome) stands(r model.Reader, row model.Row) {
	shown := func(x model.Inboxed) bool { return x.ID == row.ID && x.Need == model.NeedAnswer }
	if row.NeedsOperator && !slices.ContainsFunc(model.Inbox(r, time.Now(), 1000), shown) {
		h.t.Errorf("%s asks, and is not in the inbox", row.Handle)
	}
}

func (h *fleetHome) wake(base string, w model.Wait) {
	switch w.Kind {
	case model.WaitOperator:
		if out, err := h.run("answer", string(w.WorkItemID), "do it"); err != nil {
			h.t.Errorf("answer: %v %s", err, out)
		}
	case model.WaitExternal:
		url, err := h.run("trigger", "url", string(w.ID), "--base", base)
		if err != nil {
			h.t.Errorf("url: %v %s", err, url)
			return
		}
		for range 3 { // sent three times, delivered once
			r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(`{"conclusion":"success"}`))
			if err != nil {
				h.t.Error(err)
				return
			}
			r.Header.Set("X-GitHub-Delivery", "d-"+string(w.ID))
			got, err := http.DefaultClient.Do(r)
			if err != nil {
				h.t.Errorf("deliver: %v", err)
				return
			}
			got.Body.Close()
			if got.StatusCode >= 300 {
				h.t.Errorf("deliver: %s", got.Status)
			}
		}
	}
}

// prove checks ledger and journal for the expected result.
func (h *fleetHome) prove() {
	h.t.Helper()
	s := story{t: h.t, promoted: map[model.ItemID]int{}, triggers: map[model.WaitKind]int{}, deliveries: map[model.WaitID]int{},
		running: map[model.AgentID]int{}, last: map[model.AgentID]int{}, acted: map[model.AgentID]bool{}}
	h.view(func(r model.Reader) {
		for _, e := range r.History("", model.Position{}, 1_000_000) {
			s.count(e)
		}
		s.reports(r)
	})
	for id, n := range s.deliveries {
		if n != 1 {
			h.t.Errorf("wait %s was triggered %d times", id, n)
		}
	}
	for kind, want := range map[model.WaitKind]int{
		model.WaitTask: planned("task") + planned("delegate"), model.WaitOperator: planned("operator"), model.WaitTimer: planned("timer"),
		model.WaitExternal: planned("external"), model.WaitSystem: planned("system"),
	} {
		if s.triggers[kind] != want {
			h.t.Errorf("%d triggers of kind %s, want %d", s.triggers[kind], kind, want)
		}
	}
	if s.interrupted < kills || s.failed != planned("task") {
		h.t.Errorf("%d turns interrupted, %d tasks failed; want %d and %d", s.interrupted, s.failed, kills, planned("task"))
	}
	h.t.Logf("%d turns, %d came to something; %d failed, %d interrupted", s.turns, s.came, s.failures, s.interrupted)
	if 2*s.came < s.turns {
		h.t.Errorf("%d of %d turns came to something", s.came, s.turns)
	}
	if health, err := h.ledger.Check(context.Background()); err != nil || !health.Healthy() {
		h.t.Errorf("check: %v %v", health.Problems, err)
	}
}

// story is what the journal says.
type story struct {
	t                   testing.TB
	promoted            map[model.ItemID]int
	triggers            map[model.WaitKind]int
	deliveries          map[model.WaitID]int
	running, last       map[model.AgentID]int
	interrupted, failed int
	// turns counts turns with and without progress; failures are turns whose program failed.
	turns, came, failures int
	acted                 map[model.AgentID]bool
	at                    model.Position
}

func (s *story) count(e model.Entry) {
	if !s.at.Before(e.Position()) {
		s.t.Errorf("the journal is out of order at %d.%d", e.Revision, e.N)
	}
	s.at = e.Position()
	switch e.Kind {
	case model.EventWorkItemWritten, model.EventWorkItemPicked, model.EventWaitRegistered, model.EventTaskStarted,
		model.EventDelegationOpened, model.EventPlanRefreshed:
		if e.Kind == model.EventPlanRefreshed || e.Actor == model.AgentActor(e.AgentID) {
			s.acted[e.AgentID] = true
		}
	case model.EventReportPromoted:
		s.promoted[e.WorkItemID]++
	case model.EventWaitTriggered:
		n := data[model.TriggerNews](s.t, e)
		s.triggers[n.Kind]++
		s.deliveries[n.WaitID]++
	case model.EventTaskEnded:
		if data[model.TaskNews](s.t, e).Status == model.TaskFailed {
			s.failed++
		}
	case model.EventTurnStarted:
		n := data[model.TurnNews](s.t, e)
		if s.running[e.AgentID] != 0 || n.Turn != s.last[e.AgentID]+1 {
			s.t.Errorf("turn %d of %s began while %d ran, after %d", n.Turn, e.AgentID, s.running[e.AgentID], s.last[e.AgentID])
		}
		s.running[e.AgentID], s.last[e.AgentID] = n.Turn, n.Turn
		s.turns++
		s.acted[e.AgentID] = false
	case model.EventTurnEnded:
		n := data[model.TurnNews](s.t, e)
		if s.running[e.AgentID] != n.Turn {
			s.t.Errorf("turn %d of %s ended while %d ran", n.Turn, e.AgentID, s.running[e.AgentID])
		}
		s.running[e.AgentID] = 0
		if s.acted[e.AgentID] {
			s.came++
		}
		if n.Outcome == model.TurnFailed {
			s.failures++
		}
		if n.Outcome == model.TurnInterrupted && n.Reason == "holder_died" {
			s.interrupted++
		}
	}
}

// reports expects that each completed item has its report, once. A program that calls its tools itself completes in the
// ledger itself. If its driver is killed before it read the final text, the report is lost, and vise invents none. That
// can cost one report for each kill.
func (s *story) reports(r model.Reader) {
	items, unreported := 0, 0
	for agent := range fleet {
		for _, row := range r.Rows(agent, model.CompletedRecent, nil, 1000) {
			items++
			b, ok := r.Brief(agent, row.ID)
			if agent == "cid" && s.promoted[row.ID] == 0 && !ok && unreported < kills {
				unreported++
				continue
			}
			if s.promoted[row.ID] != 1 || !ok || b.Text != model.Text("Report of "+string(row.ID)+".") {
				s.t.Errorf("%s (%s): %d reports, brief %q\n%s", row.ID, row.Objective, s.promoted[row.ID], b.Text, historyOf(r, row.ID))
			}
		}
	}
	if want := planned("") + planned("delegate"); items != want {
		s.t.Errorf("%d items completed, want %d with the delegated ones", items, want)
	}
}

// historyOf returns the events of an item, the newest first.
func historyOf(r model.Reader, id model.ItemID) string {
	var b strings.Builder
	for _, e := range r.Entries(id, 40) {
		fmt.Fprintf(&b, "\t%d.%d %s %s %s\n", e.Revision, e.N, e.Actor, e.Kind, e.Data)
	}
	return b.String()
}

func data[D any](t testing.TB, e model.Entry) (d D) {
	t.Helper()
	if err := json.Unmarshal(e.Data, &d); err != nil {
		t.Fatalf("%s: %v", e.Kind, err)
	}
	return d
}
