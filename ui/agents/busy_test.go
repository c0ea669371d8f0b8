package agents

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store/home"
	"vise/store/lock"
	"vise/store/storetest"
)

// TestHooksAtABusyLedgerLoseAndDoubleNothing runs 32 hooks at once while another process holds the ledger. Then four
// processes take their files from the queue.
func TestHooksAtABusyLedgerLoseAndDoubleNothing(t *testing.T) {
	const hooks = 32
	b := newHookBench(t)
	var ids []model.ItemID
	for i := range hooks {
		id := b.completed("claude")
		b.must(postToolUse(fmt.Sprint("s", i), "toolu_1", id), "claude", "PostToolUse")
		ids = append(ids, id)
	}
	holder := lock.On(nil, filepath.Join(b.dir, "ledger.lock"), "a test")
	if err := holder.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	slowest := make(chan time.Duration, hooks)
	for i := range ids {
		all.Go(func() {
			one := *b
			one.hurried = true
			began := time.Now()
			if err := one.run(stop(fmt.Sprint("s", i), "", fmt.Sprint("report ", i), ""), "claude", "Stop"); err != nil {
				t.Errorf("hook %d: %v", i, err)
			}
			slowest <- time.Since(began)
		})
	}
	all.Wait()
	holder.Release()
	holder.Close()
	if waiting, _ := home.Queued(b.dir); waiting != 2*hooks { // the offer, and the session's last text
		t.Fatalf("%d of %d are queued", waiting, 2*hooks)
	}
	for range 4 {
		all.Go(func() {
			l, err := b.open("")
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			takeAll(t, l)
		})
	}
	all.Wait()
	for i, id := range ids {
		b.offered(id, fmt.Sprint("report ", i), model.ReportTurnFinal)
		if n := b.offersTold(id); n != 1 {
			t.Errorf("item %d was told of %d times", i, n)
		}
	}
	close(slowest)
	var worst time.Duration
	for d := range slowest {
		worst = max(worst, d)
	}
	t.Logf("the slowest hook took %v", worst)
}

// takeAll takes from the queue until it is empty: a pass gives up if another process is faster.
func takeAll(t *testing.T, h *home.Home) {
	for range 50 {
		if _, err := h.TakeQueue(context.Background()); err != nil {
			t.Error(err)
		}
		if waiting, _ := home.Queued(h.Dir()); waiting == 0 {
			return
		}
	}
}

func (b *hookBench) offersTold(id model.ItemID) (n int) {
	b.t.Helper()
	err := b.ledger.View(b.t.Context(), func(r model.Reader) error {
		for _, e := range r.Entries(id, 100) {
			if e.Kind == model.EventReportOffered {
				n++
			}
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

func TestTheHookQueueSetsAsideWhatIsRefused(t *testing.T) {
	b := newHookBench(t)
	if err := b.home.Queue(home.HookReport{Key: "k", Agent: "claude", Items: []string{"wi-none"}, Text: "x", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if n, err := b.home.TakeQueue(t.Context()); n != 0 || err != nil {
		t.Errorf("took %d, %v", n, err)
	}
	if waiting, refused := home.Queued(b.dir); waiting != 0 || refused != 1 {
		t.Errorf("%d waiting, %d refused", waiting, refused)
	}
}

// TestTheNextHookTakesInWhatWaits: the next hook takes the files in the queue, whatever its own task is.
func TestTheNextHookTakesInWhatWaits(t *testing.T) {
	b := newHookBench(t)
	id := b.completed("claude")
	if err := b.home.Queue(home.HookReport{Key: "k", Agent: "claude", Items: []string{string(id)}, Text: "Late.", Provenance: model.ReportTurnFinal, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	b.must(`{"session_id":"other"}`, "claude", "Notification")
	b.offered(id, "Late.", model.ReportTurnFinal)
	if waiting, refused := home.Queued(b.dir); waiting+refused != 0 {
		t.Errorf("%d wait, %d refused", waiting, refused)
	}
}

// TestContextComesLateRatherThanNever: the first hook of the session that finds the ledger free brings it.
func TestContextComesLateRatherThanNever(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	for _, x := range []struct{ program, begins, goesOn string }{
		{"claude", "SessionStart", "PostToolUse"}, {"claude", "UserPromptSubmit", "UserPromptSubmit"},
		{"opencode", "chat.message", "tool.execute.after"}, {"crush", "PreToolUse", "PreToolUse"},
	} {
		t.Run(x.program+" "+x.goesOn, func(t *testing.T) {
			b := newHookBench(t)
			id := b.apply(model.AgentID(x.program), model.CreateWorkItem{Objective: "Split the limiter"}).WorkItemID
			b.apply(model.AgentID(x.program), model.PickWorkItem{WorkItemID: id})
			const input = `{"session_id":"s1","sessionID":"s1","tool_name":"bash","tool_input":{}}`
			holder := lock.On(nil, filepath.Join(b.dir, "ledger.lock"), "a test")
			if err := holder.Acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
			b.hurried = true
			for _, event := range []string{x.begins, x.goesOn} {
				if _ = b.run(input, x.program, event); strings.Contains(b.stdout, "Split the limiter") {
					t.Fatalf("%s of a busy ledger says %q", event, b.stdout)
				}
			}
			holder.Release()
			holder.Close()
			b.hurried = false
			b.must(input, x.program, x.goesOn)
			if !strings.Contains(b.stdout, "Split the limiter") {
				t.Errorf("told %q", b.stdout)
			}
			b.must(input, x.program, "PostToolUse")
			if strings.Contains(b.stdout, "Split the limiter") {
				t.Errorf("told again: %q", b.stdout)
			}
		})
	}
}

// A program that waits for a permission sends nothing further: its prompt waits in the queue while another process holds the ledger.
func TestAPromptAtABusyLedgerIsQueued(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	b := newHookBench(t)
	holder := lock.On(nil, filepath.Join(b.dir, "ledger.lock"), "a test")
	if err := holder.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.event("claude", askEvent, "s1", "git push")
	holder.Release()
	holder.Close()
	if waiting, _ := home.Queued(b.dir); waiting != 1 {
		t.Fatalf("%d are queued", waiting)
	}
	takeAll(t, b.home)
	b.inbox("permission s1 Bash: git push")
}
