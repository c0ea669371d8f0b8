package etcd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/store"
	"vise/store/kv"
	"vise/store/storetest"
)

// held holds the requests of a bubble until they are let go. Then they are sent from outside of it, where the client's connection is.
type held struct {
	clientv3.KV
	waiting chan chan struct{}
	asked   chan question
	answers chan chan answer
}

type question struct {
	ops    []clientv3.Op
	answer chan answer
}

type answer struct {
	*clientv3.TxnResponse
	error
}

// hold makes the held requests of a client, and answers as many at once.
func hold(b *Backend, atOnce int) *held {
	h := &held{b.clients[0].KV, nil, make(chan question, atOnce), make(chan chan answer, atOnce)}
	for range atOnce {
		h.answers <- make(chan answer, 1)
		go func() {
			for q := range h.asked {
				r, err := h.KV.Txn(ctx).Then(q.ops...).Commit()
				q.answer <- answer{r, err}
			}
		}()
	}
	b.clients[0].KV = h
	return h
}

type heldTxn struct {
	clientv3.Txn
	by  *held
	ops []clientv3.Op
}

func (h *held) Txn(context.Context) clientv3.Txn { return &heldTxn{by: h} }

func (x *heldTxn) Then(o ...clientv3.Op) clientv3.Txn { x.ops = o; return x }

func (x *heldTxn) Commit() (*clientv3.TxnResponse, error) {
	gone, mine := make(chan struct{}), <-x.by.answers
	x.by.waiting <- gone
	<-gone
	x.by.asked <- question{x.ops, mine}
	got := <-mine
	x.by.answers <- mine
	return got.TxnResponse, got.error
}

// roundTrips lets go together what waits at the same time, until do has ended.
func roundTrips(t *testing.T, h *held, do func()) (trips, requests int) {
	ended := make(chan struct{})
	go func() { defer close(ended); do() }()
	for {
		synctest.Wait()
		select {
		case <-ended:
			return trips, requests
		default:
		}
		n := len(h.waiting)
		for range n {
			close(<-h.waiting)
		}
		trips, requests = trips+1, requests+n
	}
}

// A name leads to its agent in three round trips among a thousand: which agents there are, which has it, and what it has.
func TestABareNameIsFoundInThreeRoundTrips(t *testing.T) {
	const agents = 1000
	cluster := storetest.StartEtcd(t, 1)
	l := ledgerOn(t, open(t, cluster, "l"))
	filling := l.Backend()
	for n := 1; n < agents; n += 100 {
		err := filling.Update(ctx, func(x store.Txn) (err error) {
			for i := n; i < min(n+100, agents); i++ {
				key := fmt.Appendf(nil, "agent-head/agent%d", i)
				err = errors.Join(err, x.Put(key, kv.Frame(key, []byte("{}"))))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	id := create(t, l, "ann", "k")
	for _, ref := range []string{string(handleIn(t, l, id)), string(id)} {
		b := open(t, cluster, "l")
		if _, err := b.Can().Cluster.Status(ctx); err != nil { // it connects
			t.Fatal(err)
		}
		once := ledgerOn(t, b)
		h := hold(b, agents)
		defer close(h.asked)
		synctest.Test(t, func(t *testing.T) {
			h.waiting = make(chan chan struct{}, agents)
			trips, requests := roundTrips(t, h, func() {
				if got, err := once.Resolve(ctx, ref); err != nil || got != id {
					t.Errorf("%s is %s, %v", ref, got, err)
				}
			})
			t.Logf("%s: %d round trips, %d requests", ref, trips, requests)
			if trips > 3 {
				t.Errorf("%s took %d round trips", ref, trips)
			}
		})
		b.users = sync.WaitGroup{} // that one was of the bubble
	}
}
