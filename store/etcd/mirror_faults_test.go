package etcd

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// line is a connection to a member that can be cut, and kept cut.
type line struct {
	listener net.Listener
	to       string
	mu       sync.Mutex // protects the rest
	ends     map[net.Conn]bool
	down     bool
}

func lineTo(t testing.TB, m *storetest.Member) *line {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	x := &line{listener: l, to: strings.TrimPrefix(m.Endpoint, "http://"), ends: map[net.Conn]bool{}}
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go x.join(from)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		x.cut()
	})
	return x
}

func (x *line) endpoint() string { return "http://" + x.listener.Addr().String() }

func (x *line) join(from net.Conn) {
	to, err := net.Dial("tcp", x.to)
	if err != nil {
		_ = from.Close()
		return
	}
	x.mu.Lock()
	x.ends[from], x.ends[to] = true, true
	down := x.down
	x.mu.Unlock()
	if !down {
		go func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		}()
		_, _ = io.Copy(from, to)
	}
	for _, end := range []net.Conn{from, to} {
		_ = end.Close()
		x.mu.Lock()
		delete(x.ends, end)
		x.mu.Unlock()
	}
}

func (x *line) cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for end := range x.ends {
		_ = end.Close()
	}
}

// hold cuts the line and keeps it cut, or lets it be used again.
func (x *line) hold(down bool) {
	x.mu.Lock()
	x.down = down
	x.mu.Unlock()
	if down {
		x.cut()
	}
}

// listener hears the news of a ledger.
type listener struct {
	l     *store.Ledger
	at    uint64
	news  model.News
	heard map[model.Position]int
}

func listen(t testing.TB, l *store.Ledger) *listener {
	t.Helper()
	x := &listener{l: l, heard: map[model.Position]int{}}
	err := l.View(ctx, func(r model.Reader) error {
		x.at, x.news = r.Revision(), model.NewsFrom(r, "")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// hear waits for news and takes them.
func (x *listener) hear(ctx context.Context) error {
	if _, err := x.l.Follow(ctx, x.at); err != nil {
		return err
	}
	return x.l.View(ctx, func(r model.Reader) error {
		x.at = r.Revision()
		for all := false; !all; {
			var list []model.Entry
			list, x.news, all = x.news.Next(r, 64)
			for _, e := range list {
				x.heard[e.Position()]++
			}
		}
		return nil
	})
}

// check compares what was heard with the histories of all agents.
func (x *listener) check(t testing.TB, l *store.Ledger) {
	t.Helper()
	missed, twice, all := 0, 0, 0
	err := l.View(ctx, func(r model.Reader) error {
		for a := range model.AllAgents(r) {
			for _, e := range r.History(a.ID, model.Position{}, 1_000_000) {
				all++
				switch n := x.heard[e.Position()]; {
				case n == 0:
					missed++
				case n > 1:
					twice++
				}
			}
		}
		return nil
	})
	if err != nil || missed+twice > 0 || len(x.heard) != all {
		t.Errorf("of %d events %d were missed and %d heard twice; %d were heard: %v", all, missed, twice, len(x.heard), err)
	}
}

func (x *listener) hearAll(t testing.TB, events int) {
	t.Helper()
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for len(x.heard) < events {
		if err := x.hear(limit); err != nil && (limit.Err() != nil || code(err) != model.CodeBusy) {
			t.Fatalf("after %d of %d events: %v", len(x.heard), events, err)
		}
	}
}

// sameAsCluster compares a mirror with what the cluster has at its revision.
func sameAsCluster(t testing.TB, b *Backend) {
	t.Helper()
	cold := b.begin(ctx, false)
	err := b.View(ctx, func(x store.Txn) error {
		m := x.(*txn)
		if m.mirror == nil {
			t.Error("the mirror was not used")
			return nil
		}
		cold.at = m.at
		all := read{span: mirrored}
		want, err := cold.ask(all)
		if err != nil {
			return err
		}
		got, _ := m.mirror.page(all)
		if fmt.Sprint(got.pairs) != fmt.Sprint(want[all].pairs) {
			t.Errorf("the mirror has %d places, the cluster %d, or others", len(got.pairs), len(want[all].pairs))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestEachChangeIsHeardOnceWhenTheLineIsCut(t *testing.T) {
	const writers, each, cuts = 8, 250, 20
	cluster := storetest.StartEtcd(t, 1)
	wire := lineTo(t, cluster.Members[0])
	b := mirroring(t, "l", wire.endpoint())
	l, direct := ledgerOn(t, b), ledgerOn(t, open(t, cluster, "l"))
	x := listen(t, l)
	var wg sync.WaitGroup
	acknowledged := make(chan int, writers*each)
	for w := range writers {
		mine := ledgerOn(t, open(t, cluster, "l"))
		wg.Go(func() {
			for i := range each { // two writers share an agent
				e := envelope(model.AgentID(fmt.Sprint("agent", w/2)), fmt.Sprint(w, "-", i), model.CreateWorkItem{Objective: "x"})
				_, err := mine.Apply(ctx, e)
				for code(err) == model.CodeBusy {
					_, err = mine.Apply(ctx, e)
				}
				if err != nil {
					t.Error(err)
				}
				acknowledged <- i
			}
		})
	}
	go func() {
		for n := 1; n <= writers*each; n++ {
			<-acknowledged
			if n%(writers*each/cuts) == 0 {
				wire.cut()
			}
		}
	}()
	done := make(chan struct{})
	go func() {
		defer close(done)
		wg.Wait()
	}()
	limit, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
			if err := x.hear(limit); err != nil && code(err) != model.CodeBusy {
				t.Fatal(err)
			}
		}
	}
	create(t, direct, "last", "last")
	all := 0
	err := direct.View(ctx, func(r model.Reader) error {
		for a := range model.AllAgents(r) {
			all += len(r.History(a.ID, model.Position{}, 1_000_000))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	x.hearAll(t, all)
	x.check(t, direct)
	sameAsCluster(t, b)
	t.Logf("%d events of %d changes, heard through %d cuts", all, writers*each, cuts)
}

// The watch cannot go on where it was: the cluster has forgotten.
func TestAMirrorIsReadAnewAfterACompaction(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	wire := lineTo(t, cluster.Members[0])
	b := mirroring(t, "l", wire.endpoint())
	l, back := ledgerOn(t, b), open(t, cluster, "l")
	direct := ledgerOn(t, back)
	create(t, direct, "ann", "before")
	x := listen(t, l)
	wire.hold(true)
	for i := range 50 {
		create(t, direct, "ann", fmt.Sprint("during ", i))
		create(t, direct, model.AgentID(fmt.Sprint("new", i)), fmt.Sprint("new ", i))
	}
	now, err := back.clients[0].Get(ctx, "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := back.clients[0].Compact(ctx, now.Header.Revision); err != nil {
		t.Fatal(err)
	}
	wire.hold(false)
	create(t, direct, "ann", "after")
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for n := 0; n < 52; {
		if err := x.hear(limit); err != nil && code(err) != model.CodeBusy {
			t.Fatal(err)
		}
		err := l.View(limit, func(r model.Reader) error { // until the cut is noticed, what is missing cannot be read
			n = r.Count("ann", model.ClassTally(model.QueuedRunnable))
			return nil
		})
		if err != nil && code(err) != model.CodeBusy {
			t.Fatal(err)
		}
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for b.mirror.compacted() && limit.Err() == nil {
		<-tick.C
	}
	sameAsCluster(t, b)
}

func TestAnOldMirrorIsTold(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	wire := lineTo(t, cluster.Members[0])
	b := mirroring(t, "l", wire.endpoint())
	l, direct := ledgerOn(t, b), ledgerOn(t, open(t, cluster, "l"))
	create(t, direct, "ann", "before")
	limit, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	follow := func(at uint64) uint64 {
		t.Helper()
		at, err := l.Follow(limit, at)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	at := desk(t, l, "ann").Revision
	for at == 0 {
		follow(at)
		at = desk(t, l, "ann").Revision
	}
	if found := l.Conditions(ctx); len(found) > 0 {
		t.Errorf("%v", found)
	}
	wire.hold(true)
	begun := time.Now()
	create(t, direct, "ann", "during")
	if now := follow(at); now != at {
		t.Errorf("followed from %d to %d", at, now)
	}
	found := l.Conditions(ctx)
	if len(found) != 1 || found[0].Code != model.CodeLagging || !strings.Contains(found[0].Message, "as of ") {
		t.Fatalf("%v", found)
	}
	t.Logf("after %v: %s", time.Since(begun).Round(10*time.Millisecond), found[0].Message)
	if d := desk(t, l, "ann"); d.Revision != at { // what is in memory is shown
		t.Errorf("revision %d", d.Revision)
	}
	wire.hold(false)
	for len(l.Conditions(ctx)) > 0 || desk(t, l, "ann").Section(model.QueuedRunnable).Total < 2 {
		follow(at)
	}
}

// The member that a mirror listens to says nothing; another one does.
func TestAMirrorListensToAnotherMember(t *testing.T) {
	cluster := storetest.StartEtcd(t, 3)
	b := mirroring(t, "l", cluster.Endpoints()...)
	l := ledgerOn(t, b)
	direct := ledgerOn(t, open(t, cluster, "l"))
	create(t, direct, "ann", "before")
	x := listen(t, l)
	for i := range 3 {
		m := cluster.Members[b.member.Load()%3]
		if err := m.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		before := len(x.heard)
		for try := 0; ; try++ { // the stopped one can be the leader
			_, err := direct.Apply(ctx, envelope("ann", fmt.Sprint("k", i), model.CreateWorkItem{Objective: "x"}))
			if err == nil {
				break
			}
			if try == 10 {
				t.Fatal(err)
			}
		}
		saved := time.Now()
		x.hearAll(t, before+1)
		t.Logf("saved after %v, heard %v later", saved.Sub(begun).Round(time.Millisecond), time.Since(saved).Round(time.Millisecond))
		if took := time.Since(begun); took > 6*time.Second {
			t.Errorf("heard after %v", took)
		}
		if err := m.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}
	sameAsCluster(t, b)
}

// A mirror of a ledger that nobody changes hears from its member, and is not old.
func TestAMirrorOfALedgerAtRestIsNew(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	b, err := Open(Config{Endpoints: cluster.Endpoints(), Ledger: "rest", Mirror: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), lagging+2*time.Second)
	defer cancel()
	if _, err := b.Mark(ctx); err != nil {
		t.Fatal(err)
	}
	for tick := time.NewTicker(askEvery); ; {
		if is := b.Conditions(); len(is) > 0 {
			t.Fatal(is)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
