package etcd

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// mirroring opens a ledger's backend with a mirror, as a console of its own does.
func mirroring(t testing.TB, ledger string, endpoints ...string) *Backend {
	t.Helper()
	b, err := Open(Config{Endpoints: endpoints, Ledger: ledger, Mirror: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// count counts all requests of a backend.
func count(b *Backend) *counted {
	c := &counted{KV: b.clients[0].KV}
	for _, client := range b.clients {
		client.KV = c
	}
	return c
}

func create(t testing.TB, l *store.Ledger, agent model.AgentID, key string) model.ItemID {
	t.Helper()
	r, err := l.Apply(ctx, envelope(agent, key, model.CreateWorkItem{Objective: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	return r.WorkItemID
}

func desk(t testing.TB, l *store.Ledger, agent model.AgentID) (d model.Desk) {
	t.Helper()
	err := l.View(ctx, func(r model.Reader) error {
		d = model.DeskOf(r, agent, model.Stamp{At: time.Now()}, model.Class.Limit)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAMirrorIsReadWithoutRequests(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	b := mirroring(t, "l", cluster.Endpoints()...)
	c := count(b)
	l, other := ledgerOn(t, b), ledgerOn(t, open(t, cluster, "l"))
	requests := func(agent model.AgentID) int64 {
		before := c.requests.Load()
		if d := desk(t, l, agent); d.Agent.ID != agent || d.Current == nil || len(d.Sections) == 0 {
			t.Errorf("%+v", d)
		}
		return c.requests.Load() - before
	}
	var ids []model.ItemID
	for i := range 30 {
		ids = append(ids, create(t, other, "ann", fmt.Sprint("a", i)), create(t, l, "bob", fmt.Sprint("b", i)))
	}
	for i, agent := range []model.AgentID{"ann", "bob"} {
		if _, err := other.Apply(ctx, envelope(agent, "pick "+string(agent), model.PickWorkItem{WorkItemID: ids[i]})); err != nil {
			t.Fatal(err)
		}
		await(t, l, agent, ids[i])
		t.Logf("the first desk of %s took %d requests", agent, requests(agent))
		if n := requests(agent); n != 0 {
			t.Errorf("the desk of %s took %d requests", agent, n)
		}
	}
	at := desk(t, l, "bob").Revision
	create(t, other, "bob", "another")
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if _, err := l.Follow(limit, at); err != nil {
		t.Fatal(err)
	}
	if ann, bob, again := requests("ann"), requests("bob"), requests("bob"); ann != 0 || bob > 3 || again != 0 {
		t.Errorf("after a change of bob's, the desk of ann took %d requests, that of bob %d, and then %d", ann, bob, again)
	}
}

// await waits until an agent has picked an item.
func await(t testing.TB, l *store.Ledger, agent model.AgentID, id model.ItemID) {
	t.Helper()
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		var a model.Agent
		var at uint64
		err := l.View(limit, func(r model.Reader) error {
			a, _ = r.Agent(agent)
			at = r.Revision()
			return nil
		})
		if err == nil && a.CurrentWorkItemID == id {
			return
		}
		if err == nil {
			_, err = l.Follow(limit, at)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A change of the history is read once: what an item's events cost after another change does not grow with them.
func TestALongHistoryIsNotReadAgain(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	b := mirroring(t, "l", cluster.Endpoints()...)
	c := count(b)
	l, other := ledgerOn(t, b), ledgerOn(t, open(t, cluster, "l"))
	id := create(t, other, "ann", "first")
	update := func(n int) {
		t.Helper()
		command := model.UpdateWorkItem{WorkItemID: id, Objective: new(model.Text(fmt.Sprint("step ", n)))}
		if _, err := other.Apply(ctx, envelope("ann", fmt.Sprint("u", n), command)); err != nil {
			t.Fatal(err)
		}
	}
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	events := func(want int, most int64) {
		t.Helper()
		for n := 0; n < want; {
			before := c.requests.Load()
			if err := l.View(limit, func(r model.Reader) error { n = len(r.Entries(id, 200)); return nil }); err != nil {
				t.Fatal(err)
			}
			if took := c.requests.Load() - before; took > most {
				t.Errorf("%d events took %d requests", n, took)
			}
		}
	}
	for n := range 150 {
		update(n)
	}
	events(151, 10)
	for n := 150; n < 153; n++ {
		update(n)
		events(n+2, 5)
	}
}

// One request reads what the change before has written, one looks for the answer of the key, and one commits. A new item also has a handle
// and a name.
func TestAWarmChangeTakesFewRequests(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	b := mirroring(t, "l", cluster.Endpoints()...)
	c := count(b)
	l := ledgerOn(t, b)
	keys := 0
	do := func(most int64, x model.Command) model.ItemID {
		t.Helper()
		keys++
		before := c.requests.Load()
		r, err := l.Apply(ctx, envelope("ann", fmt.Sprint("k", keys), x))
		if err != nil {
			t.Fatal(err)
		}
		if n := c.requests.Load() - before; n > most {
			t.Errorf("change %d, %s, took %d requests, want at most %d", keys, model.CommandName(x), n, most)
		}
		return r.WorkItemID
	}
	for range 5 {
		id := do(5, model.CreateWorkItem{Objective: "x"})
		do(3, model.PickWorkItem{WorkItemID: id})
		do(3, model.CompleteWorkItem{WorkItemID: id})
	}
}

// What a mirror has not heard yet is no reason to refuse a change, or to make it twice.
func TestAnOldMirrorRefusesNothing(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	l, other := ledgerOn(t, mirroring(t, "l", cluster.Endpoints()...)), ledgerOn(t, open(t, cluster, "l"))
	for i := range 50 {
		e := envelope("ann", fmt.Sprint("pick", i), model.PickWorkItem{WorkItemID: create(t, other, "ann", fmt.Sprint("k", i)), Reason: "next"})
		if _, err := l.Apply(ctx, e); err != nil {
			t.Fatal(err)
		}
		done := envelope("ann", fmt.Sprint("done", i), model.CompleteWorkItem{WorkItemID: e.Command.(model.PickWorkItem).WorkItemID})
		if _, err := other.Apply(ctx, done); err != nil {
			t.Fatal(err)
		}
		if r, err := l.Apply(ctx, done); err != nil || !r.Replayed {
			t.Fatalf("%+v, %v", r, err)
		}
	}
}
