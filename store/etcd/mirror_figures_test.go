package etcd

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/storetest"
)

// How long after its answer a change is read in another process.
func TestAChangeIsHeardElsewhere(t *testing.T) {
	changes := storetest.Amount(200, 2000)
	cluster := storetest.StartEtcd(t, 1)
	l, other := ledgerOn(t, mirroring(t, "l", cluster.Endpoints()...)), ledgerOn(t, open(t, cluster, "l"))
	limit, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	type reading struct {
		items int
		at    time.Time
	}
	read := make(chan reading, 2*changes)
	go func() {
		var at uint64
		for items := 0; items < changes; {
			err := l.View(limit, func(r model.Reader) error {
				at, items = r.Revision(), r.Count("ann", model.ClassTally(model.QueuedRunnable))
				return nil
			})
			read <- reading{items, time.Now()}
			if err == nil && items < changes {
				at, err = l.Follow(limit, at)
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	var took []time.Duration
	for i := range changes {
		create(t, other, "ann", fmt.Sprint("k", i))
		answered := time.Now()
		for x := (reading{}); x.items <= i; {
			select {
			case x = <-read:
				if x.items > i {
					took = append(took, max(x.at.Sub(answered), 0))
				}
			case <-limit.Done():
				t.Fatal("not heard")
			}
		}
	}
	slices.Sort(took)
	p50, p99 := took[len(took)/2], took[len(took)*99/100]
	t.Logf("%d changes: heard p50 %v, p99 %v after the answer", len(took), p50, p99)
	if p99 > time.Second {
		t.Error("too late")
	}
}

// The memory of a mirror with 1,000 agents and 50,000 open items.
func TestAMirrorIsSmall(t *testing.T) {
	agents, each := storetest.Amount(100, 1000), 50
	const most = 40 << 20
	cluster := storetest.StartEtcd(t, 1)
	fill(t, open(t, cluster, "l"), agents, each)
	before := heap()
	b := mirroring(t, "l", cluster.Endpoints()...)
	var places int
	err := b.View(ctx, func(x store.Txn) error {
		places = x.(*txn).mirror.tree.Len()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	took := heap() - before
	t.Logf("%d agents, %d items, %d places: %.1f MiB", agents, agents*each, places, float64(took)/(1<<20))
	if places < agents*each || took > most {
		t.Error("the mirror lacks something, or is too large")
	}
	runtime.KeepAlive(b)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// fill puts what a mirror reads of a ledger with open items on the cluster.
func fill(t *testing.T, to *Backend, agents, each int) {
	t.Helper()
	from := kv.NewMemory()
	l := ledgerOn(t, from)
	for a := range agents {
		for i := range each {
			c := model.CreateWorkItem{Objective: model.Text(fmt.Sprintf("Look at what the machine %d of agent %d says at night", i, a))}
			if _, err := l.Apply(ctx, envelope(model.AgentID(fmt.Sprint("agent", a)), fmt.Sprint(a, "-", i), c)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var ops []clientv3.Op
	send := func() {
		if _, err := to.clients[0].Txn(ctx).Then(ops...).Commit(); err != nil {
			t.Fatal(err)
		}
		ops = nil
	}
	err := from.View(ctx, func(x store.Txn) error {
		for _, table := range []string{"about/", tableHead, "agent/", tableInbox, "index/"} {
			err := x.Scan(store.Prefix([]byte(table)), func(key, value []byte) bool {
				if ops = append(ops, clientv3.OpPut(to.root+pathOf(key), string(value))); len(ops) == readsAtOnce {
					send()
				}
				return true
			})
			if err != nil {
				return err
			}
		}
		send()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
