package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/lock"
	"vise/store/storetest"
)

// The long run judges a history only if enough calls overlap.
const minRate = 300 // calls a second

var someAgents = []string{"ann", "bob", "cy"}

// Eight processes and more send commands. Some are killed and ask again by key. All answers are as if the commands had
// come one after the other (P2, P3).
func TestAHistoryOfManyProcessesIsLinearizable(t *testing.T) {
	storetest.Slow(t)
	calls := storetest.Amount(600, 10_000)
	h := newHome(t, someAgents...)
	if storetest.Long {
		h.install() // the installed program starts faster than this binary
	}
	if rate := manyProcesses(t, calls, h); storetest.Long && rate < minRate {
		t.Errorf("%.0f calls a second say too little: at least %d are asked for", rate, minRate)
	}
	h.sound()
}

// manyProcesses records and judges some calls of eight members and more in homes that have the same ledger. It returns the calls a second.
func manyProcesses(t *testing.T, calls int, homes ...*home) float64 {
	w := newWorld(t, storetest.Seed(t))
	w.mirrored = len(homes) > 1
	for i := range 6 {
		w.join(&tools{home: homes[i%len(homes)], agent: someAgents[i%len(someAgents)]}, calls*95/600)
	}
	for i := range 2 {
		w.join(&verbs{home: homes[i%len(homes)]}, calls*5/200)
	}
	took := w.run()
	rate := float64(len(w.history)) / took.Seconds()
	t.Logf("%d calls in %v, %.0f a second; %d processes killed, %d answers were busy", len(w.history), took.Round(time.Millisecond), rate, w.killed, w.busy)
	w.judge(porcupine.Ok)
	return rate
}

// The same on two machines that share a ledger on a cluster.
func TestAHistoryOnAClusterIsLinearizable(t *testing.T) {
	cluster := storetest.StartEtcd(t, 3)
	bin, join := fleetPrograms(t), []string{"fleet", "join", address(cluster, "team"), "--insecure", "--new"}
	var homes []*home
	for range 2 {
		h := &home{t: t, dir: filepath.Join(t.TempDir(), "home"), agents: someAgents, program: filepath.Join(bin, "vise")}
		h.must(join...)
		join = join[:len(join)-1]
		homes = append(homes, h)
	}
	for _, a := range someAgents {
		homes[0].must("agents", "add", a)
	}
	manyProcesses(t, storetest.Amount(600, 10_000), homes...)
	homes[1].must("fleet", "check")
}

// The checker can fail: it rejects a ledger that reads in one transaction and writes in another, and accepts the same
// ledger with one user.
func TestASplitTransactionIsFoundOut(t *testing.T) {
	storetest.Slow(t)
	for _, c := range []struct {
		members int
		want    porcupine.CheckResult
	}{{1, porcupine.Ok}, {8, porcupine.Illegal}} {
		t.Run(fmt.Sprint(c.members, " members"), func(t *testing.T) {
			dir := t.TempDir()
			w := newWorld(t, storetest.Seed(t))
			for range c.members {
				b := kv.OpenBolt(nil, filepath.Join(dir, "ledger.db"), lock.On(nil, filepath.Join(dir, "ledger.lock"), ""))
				if w.members == 0 {
					if err := kv.CreateBolt(nil, filepath.Join(dir, "ledger.db"), func(store.Txn) error { return nil }); err != nil {
						t.Fatal(err)
					}
				}
				l, err := store.NewLedger(ctx, b, nil)
				if err != nil {
					t.Fatal(err)
				}
				// The ledger is made by a whole backend; only its use is split.
				d, err := store.NewLedger(ctx, splitBackend{b}, nil)
				if err != nil {
					t.Fatal(err)
				}
				d.Now, d.NewID = l.Now, l.NewID
				w.join(&hand{ledger: d}, 600/c.members)
			}
			w.run()
			w.judge(c.want)
		})
	}
}

// world is a history during its recording.
type world struct {
	t       testing.TB
	seed    uint64
	members int
	all     sync.WaitGroup
	start   chan struct{}
	// mirrored: tools read what they have heard of the cluster, which can be older than an answer that another process has got.
	mirrored bool

	mu      sync.Mutex // protects the fields below
	items   map[string][]string
	history []porcupine.Operation
	killed  int
	busy    int
}

func newWorld(t testing.TB, seed uint64) *world {
	return &world{t: t, seed: seed, start: make(chan struct{}), items: map[string][]string{}}
}

// join adds a member that makes some calls through a frontend.
func (w *world) join(d frontend, calls int) {
	m := &member{world: w, frontend: d, id: w.members, rand: rand.New(rand.NewPCG(w.seed, uint64(w.members)))}
	w.members++
	w.all.Go(func() {
		defer d.close()
		<-w.start
		for n := range calls {
			m.act(n)
		}
	})
}

func (w *world) run() time.Duration {
	begun := time.Now()
	close(w.start)
	w.all.Wait()
	return time.Since(begun)
}

// judge checks the history against the model, and keeps it if the result is not the expected one.
func (w *world) judge(want porcupine.CheckResult) {
	w.t.Helper()
	begun := time.Now()
	got, info := porcupine.CheckOperationsVerbose(lifecycle, w.history, 10*time.Second)
	w.t.Logf("judged %s in %v", got, time.Since(begun).Round(time.Millisecond))
	if got == want {
		return
	}
	w.t.Errorf("the history is %s, want %s", got, want)
	var b bytes.Buffer
	for _, o := range w.history {
		fmt.Fprintf(&b, "%d\t%d\t%d\t%+v\t%+v\n", o.ClientId, o.Call, o.Return, o.Input, o.Output)
	}
	dir := storetest.Artefacts(w.t)
	_ = os.WriteFile(filepath.Join(dir, "history.tsv"), b.Bytes(), 0o600)
	_ = porcupine.VisualizePath(lifecycle, info, filepath.Join(dir, "history.html"))
	w.t.Logf("the history is kept in %s", dir)
}

type member struct {
	*world
	frontend frontend
	id       int
	rand     *rand.Rand
}

// hot is the number of items that an agent's members share.
const hot = 5

// act makes one call. If its process is killed, it makes the call again with the same key.
func (m *member) act(n int) {
	c := m.choose(n)
	key := fmt.Sprintf("m%d-%d", m.id, n)
	began := sinceStart()
	var a answer
	for ok := false; !ok; {
		kill := time.Duration(0)
		if m.rand.IntN(20) == 0 {
			kill = m.killAfter()
		}
		a, ok = m.frontend.do(c, key, kill)
		m.mu.Lock()
		if !ok {
			m.killed++
		} else if a.code == "busy" || a.code == "unknown_outcome" {
			m.busy++ // not carried out, or not known: the key makes a second call safe
			ok = false
		}
		m.mu.Unlock()
		if !ok && m.t.Failed() {
			return
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.kind == create {
		c.item = m.made()
		m.items[c.agent] = append(m.items[c.agent], c.item)
	}
	m.history = append(m.history, porcupine.Operation{ClientId: m.id, Input: c, Call: began, Output: a, Return: sinceStart()})
}

// killAfter returns a time within the duration of a call of this frontend.
func (m *member) killAfter() time.Duration {
	if _, ok := m.frontend.(*verbs); ok {
		return time.Duration(1+m.rand.IntN(60_000)) * time.Microsecond
	}
	return time.Duration(1+m.rand.IntN(8_000)) * time.Microsecond
}

func (m *member) made() string {
	switch d := m.frontend.(type) {
	case *tools:
		return d.made
	case *verbs:
		return d.made
	case *hand:
		return d.made
	}
	return ""
}

// choose draws a call on one of the shared items.
func (m *member) choose(n int) call {
	agent := someAgents[m.rand.IntN(len(someAgents))]
	if d, ok := m.frontend.(*tools); ok {
		agent = d.agent
	}
	m.mu.Lock()
	items := m.items[agent]
	m.mu.Unlock()
	c := call{agent: agent, text: fmt.Sprintf("%s of member %d", text[m.rand.IntN(len(text))]+fmt.Sprint(" ", n), m.id)}
	if c.kind = kinds[m.rand.IntN(len(kinds))]; len(items) == 0 || m.rand.IntN(100) < 4 {
		c.kind = create
	}
	if _, ok := m.frontend.(*tools); ok {
		if c.kind == ring {
			c.kind = look // an agent's tools send no triggers
		}
		if c.kind == look && m.mirrored {
			c.kind = rename
		}
	}
	if c.kind == plan {
		c.text = string([]model.PlanStatus{model.Ready, model.NeedsInput}[m.rand.IntN(2)])
	}
	if c.kind != create {
		c.item = items[len(items)-1-m.rand.IntN(min(hot, len(items)))]
	}
	return c
}

var text = []string{"work", "thought", "word"}

var kinds = []kind{rename, rename, plan, block, unblock, park, park, ring, ring, pick, pick, pick, takeUp, finish, look, look, look, look, look}

// splitBackend is the fault that the checker must find: it decides in one transaction and writes in a later one.
type splitBackend struct{ store.Backend }

func (b splitBackend) Update(c context.Context, fn func(store.Txn) error) error {
	r := &recorder{written: map[string][]byte{}}
	err := b.View(c, func(t store.Txn) error {
		r.Txn = t
		return fn(r)
	})
	if err != nil || len(r.written) == 0 {
		return err
	}
	return b.Backend.Update(c, func(t store.Txn) error {
		for k, v := range r.written {
			var err error
			if v == nil {
				err = t.Delete([]byte(k))
			} else {
				err = t.Put([]byte(k), v)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// recorder is a transaction that remembers its writes; nil is a deletion.
type recorder struct {
	store.Txn
	written map[string][]byte
}

func (r *recorder) Get(key []byte) ([]byte, error) {
	if v, ok := r.written[string(key)]; ok {
		return v, nil
	}
	return r.Txn.Get(key)
}

func (r *recorder) Put(key, value []byte) error {
	r.written[string(key)] = append([]byte{}, value...) // nil would mean a deletion
	return nil
}

func (r *recorder) Delete(key []byte) error {
	r.written[string(key)] = nil
	return nil
}
