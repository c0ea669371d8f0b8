package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// turnsContract tests turns, messages, tasks and capabilities of a ledger on any backend: what the rules wrote is found
// again, in order, and the derived rows follow from the records.
func turnsContract(t *testing.T, open func(t testing.TB) *store.Ledger) {
	for _, c := range []struct {
		name string
		test func(*testing.T, *bench)
	}{
		{"queued messages come by priority, then oldest first", queueOrder},
		{"a turn takes the queue, and an interrupted one gives it back", queueOfTurn},
		{"a holder whose turn is over writes nothing", lateHolder},
		{"beats keep a turn, and one turn runs at a time", beatsKeep},
		{"the waits for something outside are read in pages", externalWaits},
		{"running tasks are listed until they end, ended ones newest first", tasksListed},
		{"attempts and traces are found by item, and the agent's own trace apart", tracesApart},
		{"capabilities are listed by agent, newest first", ingressesListed},
		{"a tick costs the ledger nothing when nothing is due", idleTick},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := open(t)
			defer l.Close()
			b := &bench{t: t, ledger: l, now: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)}
			l.Now = func() time.Time { return b.now }
			b.do(model.Operator, model.AddAgent{AgentID: "ann"})
			c.test(t, b)
			b.healthy()
		})
	}
}

// bench is a ledger with a clock that the test sets.
type bench struct {
	t      *testing.T
	ledger *store.Ledger
	now    time.Time
	keys   int
}

func (b *bench) do(by model.Actor, c model.Command) model.Receipt {
	b.t.Helper()
	b.keys++
	b.now = b.now.Add(time.Second)
	r, err := b.ledger.Apply(ctx, model.Envelope{Key: fmt.Sprint("k", b.keys), Actor: by, Agent: "ann", Command: c})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) view(fn func(model.Reader)) {
	b.t.Helper()
	if err := b.ledger.View(ctx, func(r model.Reader) error { fn(r); return nil }); err != nil {
		b.t.Fatal(err)
	}
}

// healthy compares the ledger with its own audit and with its replay.
func (b *bench) healthy() {
	b.t.Helper()
	if h, err := b.ledger.Check(ctx); err != nil || !h.Healthy() {
		b.t.Errorf("check: %v %v", h.Problems, err)
	}
	if err := b.ledger.Replay(context.Background(), kv.NewMemory()); err != nil {
		b.t.Errorf("replay: %v", err)
	}
}

func (b *bench) queue() []string {
	var got []string
	b.view(func(r model.Reader) {
		for _, m := range r.QueuedMessages("ann", 10) {
			got = append(got, m.Body.Raw())
		}
	})
	return got
}

func (b *bench) want(what string, got, want []string) {
	b.t.Helper()
	if !slices.Equal(got, want) {
		b.t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func (b *bench) say(p model.Priority, text model.Text) {
	b.do(model.Operator, model.Say{AgentID: "ann", Text: text, Priority: p})
}

func queueOrder(t *testing.T, b *bench) {
	b.say(model.Background, "4")
	b.say(model.Normal, "3a")
	b.say(model.Interject, "1")
	b.say(model.Normal, "3b")
	b.say(model.Next, "2")
	b.want("queue", b.queue(), []string{"1", "2", "3a", "3b", "4"})
	b.view(func(r model.Reader) {
		if n := len(r.QueuedMessages("ann", 2)); n != 2 {
			t.Errorf("two asked for, %d got", n)
		}
		if n := len(r.QueuedMessages("an", 2)); n != 0 {
			t.Errorf("another agent has %d messages", n)
		}
	})
}

func queueOfTurn(t *testing.T, b *bench) {
	b.say(model.Normal, "one")
	turn := b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "h", TTLMS: 1000}).Turn
	b.want("queue of a turn", b.queue(), nil)
	b.lapse()
	b.do(model.Scheduler, model.Tick{AgentID: "ann"})
	b.want("queue after the turn was interrupted", b.queue(), []string{"one"})
	if turn != 1 {
		t.Errorf("turn %d, want 1", turn)
	}
}

// lapse waits until the turn's lease is over: by the test's clock, or by that of a backend that keeps leases.
func (b *bench) lapse() {
	b.t.Helper()
	b.now = b.now.Add(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(time.Minute); b.runs(); <-tick.C {
		if time.Now().After(limit) {
			b.t.Fatal("the lease does not end")
		}
	}
}

func (b *bench) runs() (runs bool) {
	b.view(func(r model.Reader) {
		a, _ := r.Agent("ann")
		runs = a.Turn.Runs(b.now)
	})
	return runs
}

// refused sends a command, and expects a refusal with this code.
func (b *bench) refused(code model.Code, by model.Actor, c model.Command) {
	b.t.Helper()
	b.keys++
	_, err := b.ledger.Apply(ctx, model.Envelope{Key: fmt.Sprint("k", b.keys), Actor: by, Agent: "ann", Command: c})
	if !errors.Is(err, &model.Error{Code: code}) {
		b.t.Errorf("%s: %v, want %s", model.CommandName(c), err, code)
	}
}

func lateHolder(t *testing.T, b *bench) {
	turn := b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "h", TTLMS: 1500}).Turn
	b.do("agent:ann", model.Round{Turn: turn, Text: "in time"})
	b.lapse()
	late := func() {
		b.refused(model.CodeStale, "agent:ann", model.Round{Turn: turn, Text: "late"})
		b.refused(model.CodeStale, model.Scheduler, model.BeatTurn{AgentID: "ann", Turn: turn})
		b.refused(model.CodeStale, model.Scheduler, model.EndTurn{AgentID: "ann", Turn: turn, Outcome: model.TurnCompleted})
	}
	late()
	next := b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "h2", TTLMS: 1500}).Turn
	late()
	b.do(model.Scheduler, model.EndTurn{AgentID: "ann", Turn: next, Outcome: model.TurnCompleted})
	late()
	b.view(func(r model.Reader) {
		a, _ := r.Agent("ann")
		if own, _ := r.Trace("ann", ""); next != turn+1 || a.Turn != nil || len(own.Entries) != 1 {
			t.Errorf("turns %d and %d, then %+v, rounds %+v", turn, next, a.Turn, own.Entries)
		}
	})
}

func beatsKeep(t *testing.T, b *bench) {
	claim := model.ClaimTurn{AgentID: "ann", Holder: "h", TTLMS: 3_600_000}
	turn := b.do(model.Scheduler, claim).Turn
	for range 3 {
		b.do(model.Scheduler, model.BeatTurn{AgentID: "ann", Turn: turn, TTLMS: 3_600_000})
		b.now = b.now.Add(40 * time.Minute)
		b.refused(model.CodeRefused, model.Scheduler, claim)
		b.do("agent:ann", model.Round{Turn: turn, Text: "still here"})
	}
	b.do(model.Scheduler, model.EndTurn{AgentID: "ann", Turn: turn, Outcome: model.TurnCompleted})
	if again := b.do(model.Scheduler, claim).Turn; again != turn+1 || !b.runs() {
		t.Errorf("turn %d after %d, runs %v", again, turn, b.runs())
	}
	b.do(model.Scheduler, model.EndTurn{AgentID: "ann", Turn: turn + 1, Outcome: model.TurnCompleted})
}

func externalWaits(t *testing.T, b *bench) {
	item := func() model.ItemID { return b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID }
	var want []string
	for i := range 7 {
		w := model.WaitFor{WorkItemID: item(), Reason: "waits", Wake: model.WakeExternal, Resource: model.Text(fmt.Sprint("run/", i/2))}
		want = append(want, string(b.do(model.Operator, w).WaitID))
	}
	b.do(model.Operator, model.CancelWait{WaitID: model.WaitID(want[0])})
	b.do(model.Operator, model.WaitFor{WorkItemID: item(), Reason: "waits", Wake: model.WakeTimer, WakeAt: b.now.Add(time.Hour)})
	b.view(func(r model.Reader) {
		var got []string
		var last *model.Wait
		for page := r.ExternalWaits("ann", nil, 2); len(page) > 0; page = r.ExternalWaits("ann", last, 2) {
			for _, x := range page {
				got = append(got, string(x.ID))
			}
			last = &page[len(page)-1]
		}
		slices.Sort(got)
		b.want("waits, two at a time", got, slices.Sorted(slices.Values(want[1:])))
		if more := r.ExternalWaits("bob", nil, 2); len(more) > 0 {
			t.Errorf("another agent has %v", more)
		}
	})
}

func tasksListed(t *testing.T, b *bench) {
	var ids []model.TaskID
	for range 3 {
		ids = append(ids, b.do(model.Operator, model.StartTask{Summary: "sleep"}).TaskID)
	}
	b.do(model.Operator, model.EndTask{TaskID: ids[0], Status: model.TaskCompleted})
	b.do(model.Operator, model.EndTask{TaskID: ids[1], Status: model.TaskFailed})
	list := func(tasks []model.Task) (out []string) {
		for _, x := range tasks {
			out = append(out, string(x.ID))
		}
		return out
	}
	b.view(func(r model.Reader) {
		b.want("running", list(r.RunningTasks("ann", 10)), []string{string(ids[2])})
		b.want("all", list(r.Tasks("ann", 10)), []string{string(ids[2]), string(ids[1]), string(ids[0])})
		b.want("the first two", list(r.Tasks("ann", 2)), []string{string(ids[2]), string(ids[1])})
	})
}

func tracesApart(t *testing.T, b *bench) {
	item := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).WorkItemID
	b.do(model.Scheduler, model.Tick{AgentID: "ann"})
	quiet := b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "h",
		Tick: "work_queue:queued_available:" + string(item) + ":1"}).Turn
	b.do(model.Scheduler, model.EndTurn{AgentID: "ann", Turn: quiet, Outcome: model.TurnCompleted})
	turn := b.do(model.Scheduler, model.ClaimTurn{AgentID: "ann", Holder: "h"}).Turn
	b.do("agent:ann", model.Round{Turn: turn, Text: "hm"})
	b.do("agent:ann", model.Round{Turn: turn, Text: "mine", Calls: []model.Call{{Command: model.PickWorkItem{WorkItemID: item}}}})
	b.view(func(r model.Reader) {
		own, _ := r.Trace("ann", "")
		its, _ := r.Trace("ann", item)
		if len(own.Entries) != 1 || own.Entries[0].Text != "hm" || len(its.Entries) != 1 || its.Entries[0].Text != "mine" {
			t.Errorf("traces %+v and %+v", own, its)
		}
		if a, ok := r.Attempt("ann", item); !ok || a.Turns != 1 {
			t.Errorf("attempt %+v", a)
		}
	})
}

func ingressesListed(t *testing.T, b *bench) {
	hash := fmt.Sprintf("%064x", 7)
	first := b.do(model.Operator, model.MintIngress{AgentID: "ann", TokenHash: hash}).IngressID
	second := b.do(model.Operator, model.MintIngress{AgentID: "ann", TokenHash: hash}).IngressID
	b.do(model.Operator, model.RevokeIngress{IngressID: first})
	b.view(func(r model.Reader) {
		all := r.Ingresses("ann", 10)
		if len(all) != 2 || all[0].ID != second || all[1].ID != first || !all[1].Revoked {
			t.Errorf("ingresses %+v", all)
		}
		if in, ok := r.Ingress(second); !ok || in.TokenHash != hash {
			t.Errorf("ingress %+v", in)
		}
	})
}

func idleTick(t *testing.T, b *bench) {
	before := b.do(model.Operator, model.CreateWorkItem{Objective: "One"}).Revision
	b.do(model.Scheduler, model.Tick{AgentID: "ann"})
	after := b.do(model.Scheduler, model.Tick{AgentID: "ann"}).Revision
	if after != before+1 {
		t.Errorf("two ticks moved the revision from %d to %d", before, after)
	}
}
