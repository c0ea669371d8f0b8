package etcd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// A thousand agents that change the ledger twice a minute are served at once, by eight processes with a mirror each. The bound is for a
// quiet machine, so that only the long run has it.
func TestManyAgentsAtTheirPaceAreServedAtOnce(t *testing.T) {
	agents, every, long := storetest.Amount(50, 1000), storetest.Amount(time.Second, 30*time.Second), storetest.Amount(3*time.Second, 10*time.Minute)
	seed := storetest.Seed(t)
	cluster := storetest.StartEtcd(t, 3)
	ledgerOn(t, open(t, cluster, "l"))
	var ledgers []*store.Ledger
	for i := range 8 {
		b, err := Open(Config{Endpoints: cluster.Endpoints(), Ledger: "l", Mirror: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		b.member.Store(uint64(i))
		ledgers = append(ledgers, ledgerOn(t, b))
	}
	until, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	var mu sync.Mutex
	var took []time.Duration
	var failed []error
	var all sync.WaitGroup
	for i := range agents {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		l, agent := ledgers[i%len(ledgers)], model.AgentID(fmt.Sprint("agent", i))
		all.Go(func() {
			var id model.ItemID
			pause := time.Duration(random.Int64N(int64(every))) // they begin out of step
			for n := 0; store.Pause(until, pause) == nil; n++ {
				c := []model.Command{model.CreateWorkItem{Objective: "x"}, model.PickWorkItem{WorkItemID: id, Reason: "next"},
					model.CompleteWorkItem{WorkItemID: id}}[n%3]
				begun := time.Now()
				r, err := l.Apply(ctx, envelope(agent, fmt.Sprint(agent, "-", n), c))
				mu.Lock()
				if took = append(took, time.Since(begun)); err != nil {
					failed = append(failed, err)
				}
				mu.Unlock()
				if n%3 == 0 {
					id = r.WorkItemID
				}
				pause = every/2 + time.Duration(random.Int64N(int64(every)))
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	p99 := took[len(took)*99/100]
	t.Logf("%d agents, %d changes: p50 %v, p99 %v, longest %v; %d failed", agents, len(took), took[len(took)/2], p99, took[len(took)-1], len(failed))
	if len(failed) > 0 || storetest.Long && p99 > 250*time.Millisecond {
		t.Errorf("failed: %v", failed)
	}
}
