package etcd

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// BenchmarkVerb is an agent's acts one after the other: time and requests of each.
func BenchmarkVerb(b *testing.B) {
	for _, members := range []int{1, 3} {
		cluster := storetest.StartEtcd(b, members)
		back := open(b, cluster, "l")
		back.clients = back.clients[:1]
		count := &counted{KV: back.clients[0].KV}
		back.clients[0].KV = count
		l := ledgerOn(b, back)
		keys := 0
		act := func(b *testing.B, c model.Command) model.ItemID {
			keys++
			r, err := l.Apply(ctx, envelope("ann", fmt.Sprint("k", keys), c))
			if err != nil {
				b.Fatal(err)
			}
			return r.WorkItemID
		}
		var ids []model.ItemID
		for _, verb := range []struct {
			name string
			of   func(model.ItemID) model.Command
		}{
			{"create", func(model.ItemID) model.Command { return model.CreateWorkItem{Objective: "x"} }},
			{"pick", func(id model.ItemID) model.Command { return model.PickWorkItem{WorkItemID: id, Reason: "next"} }},
			{"complete", func(id model.ItemID) model.Command { return model.CompleteWorkItem{WorkItemID: id} }},
		} {
			b.Run(fmt.Sprintf("%s/members=%d", verb.name, members), func(b *testing.B) {
				for len(ids) < b.N+1 {
					ids = append(ids, act(b, model.CreateWorkItem{Objective: "x"}))
				}
				count.requests.Store(0)
				var took []time.Duration
				b.ResetTimer()
				for i := range b.N {
					begun := time.Now()
					act(b, verb.of(ids[i]))
					took = append(took, time.Since(begun))
				}
				b.StopTimer()
				report(b, took)
				b.ReportMetric(float64(count.requests.Load())/float64(b.N), "requests/op")
				ids = ids[b.N:]
			})
		}
	}
}

// judged counts the commits whose conditions failed.
type judged struct {
	clientv3.KV
	conflicts *atomic.Int64
}

func (j judged) Txn(ctx context.Context) clientv3.Txn { return judgedTxn{j.KV.Txn(ctx), j} }

type judgedTxn struct {
	clientv3.Txn
	j judged
}

func (x judgedTxn) If(c ...clientv3.Cmp) clientv3.Txn  { return judgedTxn{x.Txn.If(c...), x.j} }
func (x judgedTxn) Then(o ...clientv3.Op) clientv3.Txn { return judgedTxn{x.Txn.Then(o...), x.j} }
func (x judgedTxn) Else(o ...clientv3.Op) clientv3.Txn { return judgedTxn{x.Txn.Else(o...), x.j} }
func (x judgedTxn) Commit() (*clientv3.TxnResponse, error) {
	r, err := x.Txn.Commit()
	if err == nil && !r.Succeeded {
		x.j.conflicts.Add(1)
	}
	return r, err
}

// BenchmarkAgents is many agents at once, in up to 64 processes: with a part each, and all with one.
func BenchmarkAgents(b *testing.B) {
	for _, members := range []int{1, 3} {
		for _, agents := range []int{1, 8, 64, 1000} {
			for _, shared := range []bool{false, true} {
				b.Run(fmt.Sprintf("members=%d/agents=%d/shared=%v", members, agents, shared), func(b *testing.B) {
					benchAgents(b, members, agents, shared)
				})
			}
		}
	}
}

func benchAgents(b *testing.B, members, agents int, shared bool) {
	cluster := storetest.StartEtcd(b, members)
	var conflicts, busy atomic.Int64
	var mu sync.Mutex
	var took []time.Duration
	var ledgers []*store.Ledger
	for range min(agents, 64) {
		back := open(b, cluster, "l")
		for _, c := range back.clients {
			c.KV = judged{c.KV, &conflicts}
		}
		back.member.Store(uint64(len(ledgers))) // they spread over the members
		ledgers = append(ledgers, ledgerOn(b, back))
	}
	var next atomic.Int64
	act := func(l *store.Ledger, agent model.AgentID, c model.Command) model.ItemID {
		begun := time.Now()
		r, err := l.Apply(ctx, envelope(agent, store.NewID(), c))
		switch {
		case code(err) == model.CodeBusy:
			busy.Add(1)
		case err != nil:
			b.Error(err)
		default:
			mu.Lock()
			took = append(took, time.Since(begun))
			mu.Unlock()
		}
		return r.WorkItemID
	}
	conflicts.Store(0)
	b.ResetTimer()
	done := make([]float64, agents)
	var wg sync.WaitGroup
	for i := range agents {
		l, agent := ledgers[i%len(ledgers)], model.AgentID("one")
		if !shared {
			agent = model.AgentID(fmt.Sprint("agent", i))
		}
		wg.Go(func() {
			for next.Add(3) <= int64(b.N)+2 {
				if id := act(l, agent, model.CreateWorkItem{Objective: "x"}); id != "" {
					act(l, agent, model.PickWorkItem{WorkItemID: id, Reason: "next"})
					act(l, agent, model.CompleteWorkItem{WorkItemID: id})
					done[i]++
				}
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	report(b, took)
	b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "verbs/s")
	b.ReportMetric(float64(conflicts.Load())/float64(max(len(took), 1)), "conflicts/verb")
	b.ReportMetric(float64(busy.Load()), "busy")
	b.ReportMetric(jain(done), "fairness")
}

// jain is Jain's index of fairness: 1 if all have as much, 1/n if one has all.
func jain(of []float64) float64 {
	sum, squares := 0.0, 0.0
	for _, x := range of {
		sum += x
		squares += x * x
	}
	return sum * sum / (float64(len(of)) * max(squares, 1))
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	if n := len(took); n > 0 {
		b.ReportMetric(float64(took[n/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[n*99/100].Microseconds())/1000, "p99-ms")
	}
}
