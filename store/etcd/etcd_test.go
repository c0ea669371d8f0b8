package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

var ctx = context.Background()

// open opens a ledger's backend, as a process of its own does.
func open(t testing.TB, cluster *storetest.Etcd, ledger string) *Backend {
	t.Helper()
	b, err := Open(Config{Endpoints: cluster.Endpoints(), Ledger: ledger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func ledgerOn(t testing.TB, b store.Backend) *store.Ledger {
	t.Helper()
	l, err := store.NewLedger(ctx, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func envelope(agent model.AgentID, key string, c model.Command) model.Envelope {
	return model.Envelope{Key: key, Actor: model.AgentActor(agent), Agent: agent, Command: c}
}

func code(err error) model.Code {
	var e *model.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}

// counted counts the requests of a client.
type counted struct {
	clientv3.KV
	requests atomic.Int64
}

func (c *counted) Txn(ctx context.Context) clientv3.Txn {
	c.requests.Add(1)
	return c.KV.Txn(ctx)
}

func TestAChangeTakesFewRequests(t *testing.T) {
	b := open(t, storetest.StartEtcd(t, 1), "l")
	count := &counted{KV: b.clients[0].KV}
	b.clients[0].KV = count
	l := ledgerOn(t, b)
	keys := 0
	do := func(most int64, c model.Command) model.ItemID {
		t.Helper()
		keys++
		before := count.requests.Load()
		r, err := l.Apply(ctx, envelope("ann", fmt.Sprint("k", keys), c))
		if err != nil {
			t.Fatal(err)
		}
		if n := count.requests.Load() - before; n > most {
			t.Errorf("%s took %d requests, want at most %d", model.CommandName(c), n, most)
		}
		return r.WorkItemID
	}
	for range 3 {
		id := do(5, model.CreateWorkItem{Objective: "x"})
		do(3, model.PickWorkItem{WorkItemID: id})
		do(3, model.CompleteWorkItem{WorkItemID: id})
	}
}

func TestAPartIsNotChangedWithoutItsHead(t *testing.T) {
	b := open(t, storetest.StartEtcd(t, 1), "l")
	put := func(keys ...string) error {
		return b.Update(ctx, func(txn store.Txn) error {
			for _, k := range keys {
				if err := txn.Put([]byte(k), []byte("x")); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := put("agent-head/ann", "item/wi-1/ann"); err != nil {
		t.Fatal(err)
	}
	for _, keys := range [][]string{{"item/wi-2/ann"}, {"agent-head/ann", "index/bob/x/y"}} {
		if err := put(keys...); err == nil || !strings.Contains(err.Error(), "leaves the head of agent") {
			t.Errorf("%q: %v", keys, err)
		}
	}
	if err := put("agent-head/bob", "item/wi-1/bob"); err == nil || !strings.Contains(err.Error(), "is of agent ann, not bob") {
		t.Errorf("an id in two parts: %v", err)
	}
	err := b.View(ctx, func(txn store.Txn) error {
		return txn.Scan(store.Prefix([]byte("item/")), func(key, _ []byte) bool {
			if string(key) != "item/wi-1/ann" {
				t.Errorf("%s was written", key)
			}
			return true
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// Two changes that each read what the other writes do not both take place.
func TestPartsThatWereReadAreCompared(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	mine, other := open(t, cluster, "l"), open(t, cluster, "l")
	ledgerOn(t, mine)
	write := func(b *Backend, part string, then func()) error {
		return b.Update(ctx, func(txn store.Txn) error {
			if err := txn.Scan(store.Prefix([]byte("index/ann/")), func([]byte, []byte) bool { return true }); err != nil {
				return err
			}
			if _, err := txn.Get([]byte("index/bob/x")); err != nil {
				return err
			}
			then()
			return errors.Join(txn.Put([]byte("agent-head/"+part), []byte("x")), txn.Put([]byte("index/"+part+"/x"), []byte("x")))
		})
	}
	tries := 0
	err := write(mine, "ann", func() {
		if tries++; tries == 1 {
			if err := write(other, "bob", func() {}); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil || tries != 2 {
		t.Errorf("%d tries: %v", tries, err)
	}
}

// A change does not take place if a key that it has read was deleted meanwhile.
func TestAKeyThatIsDeletedIsNoticed(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	mine, other := open(t, cluster, "l"), open(t, cluster, "l")
	ledgerOn(t, mine)
	head, key := []byte("agent-head/ann"), []byte("queue/ann/x")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(other.Update(ctx, func(txn store.Txn) error { return errors.Join(txn.Put(head, []byte("1")), txn.Put(key, []byte("x"))) }))
	var found []int
	must(mine.Update(ctx, func(txn store.Txn) error {
		n := 0
		if err := txn.Scan(store.Prefix([]byte("queue/ann/")), func([]byte, []byte) bool { n++; return true }); err != nil {
			return err
		}
		if found = append(found, n); len(found) == 1 {
			must(other.Update(ctx, func(txn store.Txn) error { return errors.Join(txn.Put(head, []byte("2")), txn.Delete(key)) }))
		}
		return errors.Join(txn.Put([]byte("agent-head/bob"), []byte("x")), txn.Put([]byte("queue/bob/x"), []byte("x")))
	}))
	if !slices.Equal(found, []int{1, 0}) {
		t.Errorf("it was judged with %d keys", found)
	}
}

func TestAChangeThatOthersPreventIsBusy(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	mine, other := open(t, cluster, "l"), ledgerOn(t, open(t, cluster, "l"))
	l := ledgerOn(t, mine)
	n := 0
	_, err := l.ApplyThen(ctx, envelope("ann", "k", model.CreateWorkItem{Objective: "x"}), func(model.Reader, model.Receipt) {
		n++
		if _, err := other.Apply(ctx, envelope("ann", fmt.Sprint("other", n), model.CreateWorkItem{Objective: "y"})); err != nil {
			t.Error(err)
		}
	})
	if code(err) != model.CodeBusy || !strings.Contains(err.Error(), "agent ann") || n != maxTries {
		t.Errorf("after %d tries: %v", n, err)
	}
}

func TestAChangeThatIsTooLargeIsRefused(t *testing.T) {
	b := open(t, storetest.StartEtcd(t, 1), "l")
	for name, fill := range map[string]func(store.Txn) error{
		"operations": func(txn store.Txn) (err error) {
			for i := range 200 {
				err = errors.Join(err, txn.Put(fmt.Appendf(nil, "about/%d", i), nil))
			}
			return err
		},
		"bytes": func(txn store.Txn) error { return txn.Put([]byte("about/1"), make([]byte, maxBytes+1)) },
	} {
		err := b.Update(ctx, fill)
		if code(err) != model.CodeInvalid || !strings.Contains(err.Error(), "too large for the cluster") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// lossy loses answers: requests reach the member, and their answers do not come back.
type lossy struct {
	clientv3.KV
	lose atomic.Int64 // how many commits, before or after they reach the member
	sent bool
}

func (l *lossy) Txn(ctx context.Context) clientv3.Txn { return &lossyTxn{Txn: l.KV.Txn(ctx), l: l} }

type lossyTxn struct {
	clientv3.Txn
	l      *lossy
	writes bool
}

func (x *lossyTxn) If(c ...clientv3.Cmp) clientv3.Txn {
	x.writes, x.Txn = true, x.Txn.If(c...)
	return x
}
func (x *lossyTxn) Then(o ...clientv3.Op) clientv3.Txn { x.Txn = x.Txn.Then(o...); return x }
func (x *lossyTxn) Else(o ...clientv3.Op) clientv3.Txn { x.Txn = x.Txn.Else(o...); return x }

func (x *lossyTxn) Commit() (*clientv3.TxnResponse, error) {
	if !x.writes || x.l.lose.Add(-1) < 0 {
		return x.Txn.Commit()
	}
	if x.l.sent {
		if _, err := x.Txn.Commit(); err != nil {
			return nil, err
		}
	}
	return nil, context.DeadlineExceeded
}

func TestALostAnswerIsNotAskedTwice(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	b := open(t, cluster, "l")
	l, other := ledgerOn(t, b), ledgerOn(t, open(t, cluster, "l"))
	net := &lossy{KV: b.clients[0].KV}
	b.clients[0].KV = net
	for i, sent := range []bool{true, false, true} {
		net.sent = sent
		net.lose.Store(2)
		key := fmt.Sprint("k", i)
		r, err := l.Apply(ctx, envelope("ann", key, model.CreateWorkItem{Objective: "x"}))
		if err != nil || r.Replayed {
			t.Errorf("reached %v: %+v, %v", sent, r, err)
		}
		if again, err := other.Apply(ctx, envelope("ann", key, model.CreateWorkItem{Objective: "x"})); err != nil || !again.Replayed ||
			again.WorkItemID != r.WorkItemID {
			t.Errorf("reached %v: another process gets %+v, %v", sent, again, err)
		}
	}
	if h, err := l.Check(ctx); err != nil || !h.Healthy() || h.Commits != 3 {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestCommitsOfOtherProcessesAreHeardOf(t *testing.T) {
	cluster := storetest.StartEtcd(t, 3)
	mine, other := open(t, cluster, "l"), ledgerOn(t, open(t, cluster, "l"))
	elsewhere := ledgerOn(t, open(t, cluster, "another"))
	create := func(l *store.Ledger, key string) {
		if _, err := l.Apply(ctx, envelope("ann", key, model.CreateWorkItem{Objective: "x"})); err != nil {
			t.Fatal(err)
		}
	}
	mark := func() uint64 {
		m, err := mine.Mark(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for i := range 30 {
		before, news := mark(), mine.News()
		create(elsewhere, fmt.Sprint("k", i))
		if i == 10 {
			cluster.Members[mine.member.Load()%3].Kill() // the watch goes on with another
		}
		create(other, fmt.Sprint("k", i))
		select {
		case <-news:
		case <-limit.Done():
			t.Fatal("not heard of")
		}
		if mark() == before {
			t.Error("the mark did not move")
		}
	}
}

func TestALedgerThatNobodyServesIsBusy(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	l := ledgerOn(t, open(t, cluster, "l"))
	cluster.Members[0].Kill()
	begun := time.Now()
	_, err := l.Apply(ctx, envelope("ann", "k", model.CreateWorkItem{Objective: "x"}))
	if code(err) != model.CodeBusy || time.Since(begun) > 3*maxTime {
		t.Errorf("after %v: %v", time.Since(begun), err)
	}
	cluster.Members[0].Start(t)
	for range 20 {
		if _, err = l.Apply(ctx, envelope("ann", "k", model.CreateWorkItem{Objective: "x"})); err == nil {
			return
		}
	}
	t.Error(err)
}

// How much one change takes is within what a server takes if it was not told otherwise (--max-txn-ops).
func TestALedgerSaysHowManyRecordsOneChangeTakes(t *testing.T) {
	b := open(t, storetest.StartEtcd(t, 1), "l")
	l := ledgerOn(t, b)
	for _, operations := range []int{20, 8, 1000} {
		n := l.AtOnce(operations, 10)
		if want := min(max(120/operations, 1), 10); n != want {
			t.Errorf("of %d operations each: %d, want %d", operations, n, want)
		}
	}
	if n := store.NewMem(nil).AtOnce(20, 10); n != 10 {
		t.Errorf("without a cluster: %d", n)
	}
}

// Agents are read as they lie in their range, not one by one.
func TestManyAgentsAreListedWithFewRequests(t *testing.T) {
	const agents, limit = 150, 5
	cluster := storetest.StartEtcd(t, 1)
	l := ledgerOn(t, open(t, cluster, "l"))
	for i := range agents {
		e := envelope("", fmt.Sprint("k", i), model.AddAgent{AgentID: model.AgentID(fmt.Sprint("a", i))})
		if _, err := l.Apply(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, cluster, "l")
	l, c := ledgerOn(t, b), count(b)
	if err := l.View(ctx, func(r model.Reader) error {
		if n := len(r.Agents("", agents+1)); n != agents {
			t.Errorf("%d agents of %d", n, agents)
		}
		return nil
	}); err != nil || c.requests.Load() > limit {
		t.Errorf("%v; %d agents took %d requests, want at most %d", err, agents, c.requests.Load(), limit)
	}
}
