package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store"
)

// ledgerContract tests the contract of a ledger on what open returns, an empty backend each time.
func ledgerContract(t *testing.T, open func(t testing.TB) store.Backend) {
	for _, c := range []struct {
		name string
		test func(*testing.T, store.Backend)
	}{
		{"what a command made is read on every path", readBack},
		{"a retry is answered, not repeated", retry},
		{"a key answers one command only", keyOfAnother},
		{"an envelope without a key or a command is refused", badEnvelope},
		{"a refusal changes nothing", refusal},
		{"a command that changes nothing writes nothing", nothingToSay},
		{"an unknown outcome is answered by its key", unknownOutcome},
		{"a plan file is there before the item is", plansFirst},
		{"follow returns for what is past, and misses nothing", follow},
		{"concurrent writers lose nothing", writers},
		{"answers are forgotten after a week", forgets},
		{"a clock that jumps ahead doubles nothing", clockJumps},
		{"a reference names an item by any unique beginning", resolve},
		{"history pages forwards and backwards", historyPages},
		{"the history names the person who is the operator, and nobody for an agent", namesThePerson},
		{"news is told once and in order, and whom it is of", news},
		{"a random life leaves a healthy ledger that its journal makes again", life},
		{"a check finds what does not follow, a rebuild mends it", rebuild},
		{"a copy for reading stands still", readCopy},
		{"what is damaged is named, and the rest is read", namesDamage},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := open(t)
			defer b.Close()
			c.test(t, b)
		})
	}
}

// on returns a ledger on b.
func on(t testing.TB, b store.Backend, plans store.PlanFiles) *store.Ledger {
	t.Helper()
	l, err := store.NewLedger(ctx, b, plans)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// as returns an agent's envelope with a new key.
func asAgent(agent model.AgentID, key string, c model.Command) model.Envelope {
	return model.Envelope{Key: key, Actor: model.AgentActor(agent), Command: c}
}

func apply(t testing.TB, l *store.Ledger, e model.Envelope) model.Receipt {
	t.Helper()
	r, err := l.Apply(ctx, e)
	if err != nil {
		t.Fatalf("%s: %v", model.CommandName(e.Command), err)
	}
	return r
}

func create(t testing.TB, l *store.Ledger, agent model.AgentID, key string) model.ItemID {
	t.Helper()
	return apply(t, l, asAgent(agent, key, model.CreateWorkItem{Objective: model.Text("objective of " + key)})).WorkItemID
}

// look reads, and fails the test if reading does.
func look(t testing.TB, l *store.Ledger, fn func(model.Reader)) {
	t.Helper()
	if err := l.View(ctx, func(r model.Reader) error { fn(r); return nil }); err != nil {
		t.Fatal(err)
	}
}

func revision(t testing.TB, l *store.Ledger) (n uint64) {
	t.Helper()
	look(t, l, func(r model.Reader) { n = r.Revision() })
	return n
}

func code(err error) model.Code {
	var e *model.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

func sound(t testing.TB, l *store.Ledger) {
	t.Helper()
	h, err := l.Check(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !h.Healthy() {
		t.Fatalf("%d problems, among them %q", h.Found, h.Problems)
	}
}

func readBack(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	id := create(t, l, "ada", "k1")
	apply(t, l, asAgent("ada", "k2", model.PickWorkItem{WorkItemID: id}))
	wait := apply(t, l, asAgent("ada", "k3", model.WaitFor{Reason: "ci", Wake: model.WakeTimer, WakeAt: time.Now().Add(-time.Hour)}))
	look(t, l, func(r model.Reader) {
		w, ok := r.Item(id)
		if !ok || w.BlockedBy != "ci" {
			t.Errorf("item %+v", w)
		}
		rows := r.Rows("ada", model.BlockedClass, nil, 5)
		if len(rows) != 1 || rows[0] != model.RowOf(w, r.ItemWaits("ada", id), false) {
			t.Errorf("rows %+v", rows)
		}
		if n := r.Count("ada", model.TallyOpen); n != 1 {
			t.Errorf("%d open", n)
		}
		if due := r.Due("ada", time.Now(), 5); len(due) != 1 || due[0].WaitID != wait.WaitID {
			t.Errorf("due %v", due)
		}
		if waits := r.Waits("ada", id, 5); len(waits) != 1 || waits[0].ID != wait.WaitID {
			t.Errorf("waits %v", waits)
		}
		if r.ItemOf(w.Handle) != w.ID || r.ItemOf("wi-none") != "" {
			t.Error("handles")
		}
		if agents := r.Agents("", 5); len(agents) != 1 || agents[0].ID != "ada" || len(r.Agents("ada", 5)) != 0 {
			t.Errorf("agents %v", agents)
		}
		newest := r.Entries(id, 1)
		if len(newest) != 1 || newest[0].Revision != 3 || newest[0].AgentID != "ada" {
			t.Errorf("entries %v", newest)
		}
	})
	sound(t, l)
}

func retry(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	e := asAgent("ada", "k1", model.CreateWorkItem{Objective: "once"})
	first := apply(t, l, e)
	again := apply(t, l, e)
	if first.Replayed || !again.Replayed || again.WorkItemID != first.WorkItemID || again.Revision != first.Revision {
		t.Errorf("first %+v, again %+v", first, again)
	}
	if n := revision(t, l); n != 1 {
		t.Errorf("revision %d", n)
	}
}

func keyOfAnother(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	create(t, l, "ada", "k1")
	_, err := l.Apply(ctx, asAgent("ada", "k1", model.CreateWorkItem{Objective: "something else"}))
	if code(err) != model.CodeInvalid {
		t.Errorf("got %v", err)
	}
	for _, agent := range []model.AgentID{"ada", "bob"} { // a key is its agent's
		r, err := l.Apply(ctx, model.Envelope{Key: "k2", Actor: model.Operator, Agent: agent, Command: model.CreateWorkItem{Objective: "x"}})
		if err != nil || r.Replayed || r.AgentID != agent {
			t.Errorf("a key of ada, for %s: %+v, %v", agent, r, err)
		}
	}
	for key, want := range map[string]model.Code{"k3": model.CodeNotFound, "k1": model.CodeInvalid} {
		e := model.Envelope{Key: key, Actor: model.Operator, Command: model.PickWorkItem{WorkItemID: "wi-none"}}
		if _, err = l.Apply(ctx, e); code(err) != want {
			t.Errorf("what is refused, with the key %s: %v", key, err)
		}
	}
}

func badEnvelope(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	for _, e := range []model.Envelope{asAgent("ada", "", model.CreateWorkItem{Objective: "x"}), asAgent("ada", "k", nil)} {
		if _, err := l.Apply(ctx, e); code(err) != model.CodeInvalid {
			t.Errorf("%+v: %v", e, err)
		}
	}
}

func refusal(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	before := mark(t, b)
	if _, err := l.Apply(ctx, asAgent("ada", "k1", model.CreateWorkItem{})); code(err) != model.CodeInvalid {
		t.Errorf("got %v", err)
	}
	if mark(t, b) != before || revision(t, l) != 0 {
		t.Error("something was written")
	}
	create(t, l, "ada", "k1") // the key of a refused command stays free
}

func nothingToSay(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	id := create(t, l, "ada", "k1")
	done := model.CompleteWorkItem{WorkItemID: id}
	apply(t, l, asAgent("ada", "k2", done))
	before, news := mark(t, b), b.News()
	r := apply(t, l, asAgent("ada", "k3", done))
	if r.CompletedTransition || r.Revision != 2 || mark(t, b) != before {
		t.Errorf("receipt %+v, mark from %d to %d", r, before, mark(t, b))
	}
	select {
	case <-news:
		t.Error("woke somebody")
	default:
	}
}

// noPlans refuses to make plan files, or counts them.
type noPlans struct {
	err  error
	made int
}

func (p *noPlans) CreateAhead(model.AgentID, model.ItemID, string) bool {
	if p.err != nil {
		return false
	}
	p.made++
	return true
}

func (p *noPlans) RemovePlan(model.AgentID, model.ItemID, string) { p.made-- }

func (p *noPlans) CreateReport(model.AgentID, model.ItemID, string, string) (bool, error) {
	return true, nil
}

func (p *noPlans) CreatePlan(model.AgentID, model.ItemID, string) (bool, error) {
	p.made++
	return true, p.err
}

func plansFirst(t *testing.T, b store.Backend) {
	disk := &noPlans{err: errors.New("no disk")}
	l := on(t, b, disk)
	e := asAgent("ada", "k1", model.CreateWorkItem{Objective: "x", Plan: "# plan"})
	if _, err := l.Apply(ctx, e); !errors.Is(err, disk.err) {
		t.Errorf("got %v", err)
	}
	if revision(t, l) != 0 {
		t.Error("an item without its plan")
	}
	disk.err, disk.made = nil, 0
	apply(t, l, e)
	if disk.made != 1 {
		t.Errorf("%d calls", disk.made)
	}
	if seed, err := l.Seed(ctx, apply(t, l, e).WorkItemID); seed != "# plan" || err != nil {
		t.Errorf("its seed is %q, %v", seed, err)
	}
	if _, err := l.Seed(ctx, "wi-none"); code(err) != model.CodeNotFound {
		t.Errorf("the seed of nothing: %v", err)
	}
}

func follow(t *testing.T, b store.Backend) {
	const commits = 50
	l := on(t, b, nil)
	limited, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for at := uint64(0); at < commits; {
				next, err := l.Follow(limited, at)
				if err != nil || next <= at {
					t.Errorf("from %d to %d: %v", at, next, err)
					return
				}
				at = next
			}
		})
	}
	for i := range commits {
		create(t, l, "ada", fmt.Sprint("k", i))
	}
	wg.Wait()
	ended, stop := context.WithCancel(ctx)
	stop()
	if _, err := l.Follow(ended, commits); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended follow: %v", err)
	}
}

func writers(t *testing.T, b store.Backend) {
	const each, agents = 20, 4
	l := on(t, b, nil)
	var wg sync.WaitGroup
	for a := range agents {
		agent := model.AgentID(fmt.Sprint("agent", a%2))
		wg.Go(func() {
			for i := range each {
				id := create(t, l, agent, fmt.Sprintf("%d-%d", a, i))
				apply(t, l, asAgent(agent, fmt.Sprintf("%d-%d-done", a, i), model.CompleteWorkItem{WorkItemID: id}))
			}
		})
	}
	wg.Wait()
	look(t, l, func(r model.Reader) {
		if r.Revision() != 2*each*agents {
			t.Errorf("revision %d", r.Revision())
		}
		for _, a := range []model.AgentID{"agent0", "agent1"} {
			if n := r.Count(a, model.TallyCompleted); n != each*agents/2 {
				t.Errorf("%s completed %d", a, n)
			}
		}
	})
	sound(t, l)
}

func forgets(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l.Now = func() time.Time { return now }
	e := asAgent("ada", "old", model.CreateWorkItem{Objective: "x"})
	id := apply(t, l, e).WorkItemID
	hour := func(n int) model.Envelope {
		return asAgent("ada", fmt.Sprint("hour ", n), model.UpdateWorkItem{WorkItemID: id, Objective: new(model.Text(fmt.Sprint("x", n)))})
	}
	for n := 1; n <= 7*24+2; n++ {
		now = now.Add(time.Hour)
		apply(t, l, hour(n))
		if n == 6*24 && !apply(t, l, e).Replayed {
			t.Error("forgotten after six days")
		}
	}
	if apply(t, l, e).Replayed {
		t.Error("remembered after a week")
	}
	if !apply(t, l, hour(4*24)).Replayed {
		t.Error("forgotten after three days")
	}
	sound(t, l)
}

// A clock that jumps eight days ahead for three changes, and back, makes no key too old.
func clockJumps(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	l.Now = func() time.Time { return now }
	var keys []string
	change := func(key string) {
		keys = append(keys, key)
		now = now.Add(time.Minute)
		create(t, l, "ada", key)
	}
	for _, key := range []string{"a", "b", "c", "d"} {
		change(key)
	}
	for _, days := range []time.Duration{8, -8, 30, -30} {
		now = now.Add(days * 24 * time.Hour)
		for n := range 3 {
			change(fmt.Sprint("jump ", days, " ", n))
		}
	}
	was := revision(t, l)
	for _, key := range keys {
		create(t, l, "ada", key)
	}
	if is := revision(t, l); is != was {
		t.Errorf("%d of %d retries were done again", is-was, len(keys))
	}
	sound(t, l)
}

func mark(t testing.TB, b store.Backend) uint64 {
	t.Helper()
	m, err := b.Mark(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
