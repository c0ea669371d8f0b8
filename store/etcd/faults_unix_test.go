//go:build unix

package etcd

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// leader is the member that leads the cluster.
func leader(t testing.TB, b *Backend) int {
	t.Helper()
	for i, c := range b.clients {
		limited, cancel := context.WithTimeout(ctx, time.Second)
		s, err := c.Status(limited, c.Endpoints()[0])
		cancel()
		if err == nil && s.Leader == s.Header.MemberId {
			return i
		}
	}
	t.Fatal("nobody leads")
	return 0
}

// load is agents that change a ledger, each from a process of its own, and what they were told.
type load struct {
	mu           sync.Mutex
	acknowledged map[string]model.ItemID // by key
	answered     []time.Time             // when
	took         []time.Duration
	errors       map[string]int
	unknown      map[string]bool
	stop         atomic.Bool
	wg           sync.WaitGroup
}

func (x *load) agent(l *store.Ledger, agent model.AgentID, name string) {
	x.wg.Go(func() {
		for n := 0; !x.stop.Load(); n++ {
			key := fmt.Sprint(name, "-", n)
			begun := time.Now()
			r, err := l.Apply(ctx, envelope(agent, key, model.CreateWorkItem{Objective: model.Text(key)}))
			x.mu.Lock()
			if err == nil {
				x.acknowledged[key] = r.WorkItemID
				x.answered, x.took = append(x.answered, time.Now()), append(x.took, time.Since(begun))
			} else {
				x.errors[string(code(err))]++
				x.unknown[key] = code(err) == model.CodeUnknownOutcome
			}
			x.mu.Unlock()
		}
	})
}

func newLoad() *load {
	return &load{acknowledged: map[string]model.ItemID{}, errors: map[string]int{}, unknown: map[string]bool{}}
}

// silence is the longest time between two answers.
func (x *load) silence() (longest time.Duration) {
	for i := 1; i < len(x.answered); i++ {
		longest = max(longest, x.answered[i].Sub(x.answered[i-1]))
	}
	return longest
}

// The leader is killed, stopped or cut off under load, and comes back. What was acknowledged is there, once.
func TestALeaderThatFailsLosesNothing(t *testing.T) {
	t.Run("killed", func(t *testing.T) {
		failing(t, storetest.Amount(1, 20), func(c *storetest.Etcd, leader int) { c.Members[leader].Kill() },
			func(c *storetest.Etcd, was int) { c.Members[was].Start(t) })
	})
	t.Run("cut off", func(t *testing.T) {
		failing(t, storetest.Amount(1, 10), func(c *storetest.Etcd, leader int) { c.CutOff(leader) },
			func(c *storetest.Etcd, _ int) { c.CutOff(-1) })
	})
	t.Run("stopped", func(t *testing.T) {
		signal := func(s syscall.Signal) func(*storetest.Etcd, int) {
			return func(c *storetest.Etcd, i int) {
				if err := c.Members[i].Signal(s); err != nil {
					t.Error(err)
				}
			}
		}
		failing(t, storetest.Amount(1, 10), signal(syscall.SIGSTOP), signal(syscall.SIGCONT))
	})
}

func failing(t *testing.T, times int, fail, mend func(c *storetest.Etcd, member int)) {
	const agents = 8
	cluster := storetest.StartEtcd(t, 3)
	first := open(t, cluster, "l")
	l := ledgerOn(t, first)
	x := newLoad()
	for i := range agents {
		agent := model.AgentID(fmt.Sprint("agent", i))
		x.agent(ledgerOn(t, open(t, cluster, "l")), agent, string(agent))
	}
	for range times {
		x.await(t, x.count()+200)
		at := leader(t, first)
		fail(cluster, at)
		x.await(t, x.count()+200)
		mend(cluster, at)
		x.await(t, x.count()+200)
	}
	x.stop.Store(true)
	x.wg.Wait()
	x.check(t, l, agents)
}

// check compares what was acknowledged with what the ledger has.
func (x *load) check(t *testing.T, l *store.Ledger, agents int) {
	lost, made := 0, map[string]int{}
	err := l.View(ctx, func(r model.Reader) error {
		for i := range agents {
			for _, e := range r.History(model.AgentID(fmt.Sprint("agent", i)), model.Position{}, 1_000_000) {
				if w, ok := r.Item(e.WorkItemID); ok && e.Kind == model.EventWorkItemWritten {
					made[w.Objective.Raw()]++
				}
			}
		}
		for key, id := range x.acknowledged {
			if w, ok := r.Item(id); !ok || w.Objective.Raw() != key {
				lost++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	doubled := 0
	for _, n := range made {
		if n > 1 {
			doubled++
		}
	}
	h, err := l.Check(ctx)
	if err != nil || !h.Healthy() {
		t.Errorf("check: %q, %v", h.Problems, err)
	}
	t.Logf("acknowledged %d, lost %d, doubled %d, refused %v, silence %v", len(x.acknowledged), lost, doubled, x.errors, x.silence())
	if lost > 0 || doubled > 0 || x.silence() > 5*time.Second {
		t.Error("more than nothing was lost or doubled, or it was silent for too long")
	}
}

func (x *load) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.answered)
}

// await waits until so many changes were acknowledged.
func (x *load) await(t testing.TB, n int) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(time.Minute); x.count() < n; <-tick.C {
		if time.Now().After(limit) {
			t.Fatalf("%d of %d changes were acknowledged in a minute; refused: %v", x.count(), n, x.errors)
		}
	}
}
