package etcd

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

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

// The leader is killed, stopped or cut off under load, and comes back. What was acknowledged is there, once, and on two consoles.
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
	consoles := []*store.Ledger{ledgerOn(t, mirroring(t, "l", cluster.Endpoints()...)), ledgerOn(t, mirroring(t, "l", cluster.Endpoints()...))}
	x := newLoad()
	for i := range agents {
		agent := model.AgentID(fmt.Sprint("agent", i))
		x.agent(ledgerOn(t, open(t, cluster, "l")), agent, string(agent))
	}
	for range times {
		x.await(t, x.count()+200)
		at := cluster.Leader(t)
		fail(cluster, at)
		x.await(t, x.count()+200)
		mend(cluster, at)
		x.await(t, x.count()+200)
	}
	x.stop.Store(true)
	x.wg.Wait()
	for _, console := range consoles {
		x.shown(t, l, console, agents)
	}
	x.check(t, l, agents)
}

// shown waits until a console is as new as the ledger, and compares how many items it then counts with what was acknowledged.
func (x *load) shown(t *testing.T, l, console *store.Ledger, agents int) {
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	count := func(of *store.Ledger) (items int, at uint64) {
		err := of.View(limit, func(r model.Reader) error {
			for i := range agents {
				items += r.Count(model.AgentID(fmt.Sprint("agent", i)), model.TallyOpen)
			}
			at = r.Revision()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return items, at
	}
	want, newest := count(l)
	shows, at := count(console)
	for at < newest {
		if _, err := console.Follow(limit, at); err != nil {
			t.Fatal(err)
		}
		shows, at = count(console)
	}
	if shows != want || shows < len(x.acknowledged) {
		t.Errorf("a console counts %d of %d items, and %d were acknowledged", shows, want, len(x.acknowledged))
	}
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
	t.Logf("acknowledged %d, lost %d, doubled %d, refused %v, silence %v", len(x.acknowledged), lost, doubled, x.errors, storetest.Silence(x.answered))
	if lost > 0 || doubled > 0 || storetest.Silence(x.answered) > 5*time.Second {
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

// A member that is gone is not waited for.
func TestAMemberThatIsGoneCostsNoDeadline(t *testing.T) {
	cluster := storetest.StartEtcd(t, 3)
	b := open(t, cluster, "l")
	l := ledgerOn(t, b)
	gone := (cluster.Leader(t) + 1) % 3
	b.member.Store(uint64(gone))
	for n := range 4 {
		begun := time.Now()
		if _, err := l.Apply(ctx, envelope("ann", fmt.Sprint("k", n), model.CreateWorkItem{Objective: "x"})); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); n > 0 && took > rpcLimit*3/4 {
			t.Errorf("change %d took %v", n, took)
		}
		cluster.Members[gone].Kill()
		b.member.Store(uint64(gone))
	}
}

// Whether the certificate is why a member does not answer is only asked when no other one answers: that takes as long again.
func TestAMemberThatIsCutOffCostsOneDeadline(t *testing.T) {
	away, err := net.Listen("tcp", "127.0.0.1:0") // it accepts connections, and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	ca := storetest.NewCA(t)
	cert, key := ca.Issue(t, "ann", time.Now().Add(time.Hour))
	there := strings.TrimPrefix(storetest.StartSecureEtcd(t, ca).Endpoints()[0], "https://")
	b, err := Connect(store.Cluster{Endpoints: []string{away.Addr().String(), there}, Ledger: "l", CA: ca.File, Cert: cert, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	begun := time.Now()
	if err := b.View(ctx, func(x store.Txn) error { _, err := x.Get(about); return err }); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 2*rpcLimit {
		t.Errorf("it took %v", took)
	}
}

// A member that stays away is dialled each second, so that it is used soon after it came back.
func TestAMemberThatIsAwayIsDialledEachSecond(t *testing.T) {
	storetest.Slow(t)
	away, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	b, err := Open(Config{Endpoints: []string{"http://" + away.Addr().String()}, Ledger: "l"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	asking, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	all.Go(func() {
		for asking.Err() == nil {
			_ = b.View(asking, func(x store.Txn) error { _, err := x.Get(about); return err })
		}
	})
	var begun time.Time
	for n := range 5 {
		c, err := away.Accept()
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Close()
		if n == 0 {
			begun = time.Now()
		}
	}
	if took := time.Since(begun); took > 7*time.Second { // with pauses that grow, 9.3
		t.Errorf("four more times took %v", took)
	}
}
