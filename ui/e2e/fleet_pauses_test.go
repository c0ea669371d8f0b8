package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	scheduling "vise/store/home"
	"vise/store/storetest"
)

// clusterShards is how many shards the agents of a ledger on a cluster are divided into, and shardLease how long a claim lives without its
// scheduler.
const (
	clusterShards = 16
	shardLease    = 5 * time.Second
)

// shardOf is the shard of an agent.
func shardOf(agent string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(agent))
	return int(h.Sum32() % clusterShards)
}

// schedule is a process that only schedules. It says which of its changes came too late.
func schedule(args []string) {
	l, err := store.Open(args[0], store.Options{Command: "vise serve", Cluster: mirrored})
	if err != nil {
		panic(err)
	}
	name, keys := fmt.Sprint("process ", os.Getpid()), 0
	s := &scheduling.Scheduler{Ledger: lateSaid{l}, Shards: l.Shards(name),
		NewKey: func() string { keys++; return fmt.Sprint("tick by ", name, ", ", keys) }}
	_ = s.Run(ctx) // until it is killed
}

// lateSaid says which changes came too late.
type lateSaid struct{ *store.Ledger }

func (l lateSaid) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	r, err := l.Ledger.Apply(ctx, e)
	if errors.Is(err, &model.Error{Code: model.CodeStale}) {
		fmt.Println("late")
	}
	return r, err
}

// witness hears every change of the keys of a cluster, in order, and who had the claims and turns that a change needs.
type witness struct {
	t      testing.TB
	mu     sync.Mutex          // protects all below
	shards map[string]string   // who has it, by its place
	live   map[string]liveTurn // by agent
	ticks  map[string]int      // by who made them
	rounds int
	moved  chan struct{}
}

type liveTurn struct {
	Turn int `json:"turn"`
}

func startWitness(t testing.TB, cluster *storetest.Etcd) *witness {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: cluster.Endpoints()})
	must(t, err)
	w := &witness{t: t, shards: map[string]string{}, live: map[string]liveTurn{}, ticks: map[string]int{}, moved: make(chan struct{})}
	watching, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	changes := client.Watch(watching, "/vise/team/", clientv3.WithPrefix(), clientv3.WithRev(1))
	go func() {
		defer close(ended)
		for r := range changes {
			w.hear(r.Events)
		}
	}()
	t.Cleanup(func() { stop(); <-ended; _ = client.Close() })
	return w
}

// answered finds the key of a tick or of a round in its change.
var answered = regexp.MustCompile(`"key":"(ti[^"]*|turn \d+, write \d+)"`)

// hear judges commits: what one needs has to be there before it.
func (w *witness) hear(events []*clientv3.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].Kv.ModRevision == events[0].Kv.ModRevision {
			n++
		}
		key, agent := "", ""
		for _, e := range events[:n] {
			place := strings.TrimPrefix(string(e.Kv.Key), "/vise/team/")
			if said := answered.FindSubmatch(e.Kv.Value); said != nil && strings.Contains(place, "/journal/") {
				key = string(said[1])
			}
			if a, is := strings.CutPrefix(place, "f/agent-head/"); is {
				agent = a
			}
		}
		w.judge(key, agent)
		for _, e := range events[:n] {
			w.note(strings.TrimPrefix(string(e.Kv.Key), "/vise/team/"), e)
		}
		events = events[n:]
	}
	close(w.moved)
	w.moved = make(chan struct{})
}

func (w *witness) judge(key, agent string) {
	if by, is := strings.CutPrefix(key, "tick by "); is {
		by, _, _ = strings.Cut(by, ",")
		w.ticks[by]++
		if has := w.shards[fmt.Sprintf("s/%02d", shardOf(agent))]; has != by {
			w.t.Errorf("%s ticked agent %s, whose shard %q had", by, agent, has)
		}
	}
	var turn, n int
	if _, err := fmt.Sscanf(key, "turn %d, write %d", &turn, &n); err == nil {
		w.rounds++
		if w.live[agent].Turn != turn {
			w.t.Errorf("%q was written while turn %d lived", key, w.live[agent].Turn)
		}
	}
}

func (w *witness) note(place string, e *clientv3.Event) {
	if agent, is := strings.CutPrefix(place, "f/live/"); is {
		var x liveTurn
		_ = json.Unmarshal(e.Kv.Value, &x) // none if it was deleted
		w.live[agent] = x
	}
	if _, err := strconv.Atoi(strings.TrimPrefix(place, "s/")); err == nil {
		if w.shards[place] = string(e.Kv.Value); e.Type == clientv3.EventTypeDelete {
			delete(w.shards, place)
		}
	}
}

// shares is how many shards each process has.
type shares map[string]int

// all reports whether every shard is some process's.
func (s shares) all() bool {
	n := 0
	for _, has := range s {
		n += has
	}
	return n == clusterShards
}

// when waits in the background until the shards are divided in a way, and tells the time. It is closed if that takes too long.
func (w *witness) when(want func(shares) bool) <-chan time.Time {
	then := make(chan time.Time, 1)
	go func() {
		defer close(then)
		for limit := time.After(30 * time.Second); ; {
			w.mu.Lock()
			by, moved := shares{}, w.moved
			for _, name := range w.shards {
				by[name]++
			}
			w.mu.Unlock()
			if want(by) {
				then <- time.Now()
				return
			}
			select {
			case <-moved:
			case <-limit:
				return
			}
		}
	}()
	return then
}

// Three schedulers and two drivers share a ledger. One that is stopped for longer than its lease is replaced in time, and nothing that it
// still sends is written.
func TestWhoWasStoppedOnAClusterWritesNothingStale(t *testing.T) {
	const ttl = 2 * time.Second // the shortest lease of the server
	cluster := storetest.StartEtcd(t, 1)
	witness := startWitness(t, cluster)
	l, dir := ledgerOnCluster(t, cluster)
	apply := func(agent model.AgentID, key string, c model.Command) model.ItemID {
		r, err := l.Apply(ctx, model.Envelope{Key: key, Actor: model.Operator, Agent: agent, Command: c})
		if err != nil && ctx.Err() == nil {
			t.Errorf("%s: %v", key, err)
		}
		return r.WorkItemID
	}
	s := &succession{t: t, ledger: l, ttl: ttl, children: map[int]*storetest.Child{}}
	driven := apply("ann", "item", model.CreateWorkItem{Objective: "begin"})
	for range 2 {
		s.add(storetest.Start(t, "claim", dir, ttl.String(), string(driven)))
	}
	var schedulers []*storetest.Child
	var late sync.WaitGroup
	lates := make(chan int, 3)
	for range 3 {
		c := storetest.Start(t, "schedule", dir)
		schedulers = append(schedulers, c)
		late.Go(func() {
			n := 0
			for c.Line() != "" {
				n++
			}
			lates <- n
		})
	}
	allTakePart := func() {
		t.Helper()
		if _, ok := <-witness.when(func(by shares) bool { return by.all() && len(by) == len(schedulers) }); !ok {
			t.Fatal("not all schedulers take part")
		}
	}
	due, stop := keepDue(t, apply)
	defer stop()

	rng := rand.New(rand.NewPCG(storetest.Seed(t), 1))
	var ofDrivers, ofSchedulers []time.Duration
	for range storetest.Amount(1, 67) {
		allTakePart()
		c := schedulers[rng.IntN(len(schedulers))]
		name := fmt.Sprint("process ", c.Process.Pid)
		<-time.After(time.Until(<-due) + time.Duration(rng.IntN(20))*time.Millisecond) // it is ticking
		begun := time.Now()
		must(t, c.Process.Signal(syscall.SIGSTOP))
		replaced := witness.when(func(by shares) bool { return by.all() && by[name] == 0 })
		for range 2 {
			s.slowestStop = 0
			s.unseat(false)
			ofDrivers = append(ofDrivers, s.slowestStop)
		}
		at, ok := <-replaced
		if !ok {
			t.Fatal("nobody took over from a scheduler")
		}
		ofSchedulers = append(ofSchedulers, at.Sub(begun))
		must(t, c.Process.Signal(syscall.SIGCONT))
	}
	allTakePart()
	for _, c := range s.children {
		_ = c.Process.Kill()
	}
	for _, c := range schedulers {
		_ = c.Process.Kill()
	}
	late.Wait()
	s.nothingStale(driven)
	if h, err := l.Check(ctx); err != nil || !h.Healthy() {
		t.Errorf("%q %v", h.Problems, err)
	}
	witness.mu.Lock()
	rounds, ticks := witness.rounds, maps.Clone(witness.ticks)
	witness.mu.Unlock()
	t.Logf("%d late ticks were refused; %d rounds and these ticks were written: %v", <-lates+<-lates+<-lates, rounds, ticks)
	const look = 500 * time.Millisecond // how often a scheduler looks for shards that are free
	slack := storetest.Amount(3*time.Second, time.Second)
	for _, x := range []struct {
		of   string
		gone time.Duration // is known then at the latest
		took []time.Duration
	}{{"drivers", ttl, ofDrivers}, {"schedulers", shardLease + look, ofSchedulers}} {
		slices.Sort(x.took)
		median, slowest := x.took[len(x.took)/2], x.took[len(x.took)-1]
		t.Logf("%d pauses of %s: takeover after %v (median), %v (slowest)", len(x.took), x.of, median, slowest)
		if slowest > x.gone+slack {
			t.Errorf("a takeover took longer than %v", x.gone+slack)
		}
	}
	if len(ticks) < storetest.Amount(2, len(schedulers)) || rounds == 0 {
		t.Error("not all of them wrote: the test shows little")
	}
}

// keepDue makes something due for an agent of each shard at once, again and again, until stop is called. due tells when.
func keepDue(t testing.TB, apply func(model.AgentID, string, model.Command) model.ItemID) (due <-chan time.Time, stop func()) {
	t.Helper()
	items := map[model.AgentID]model.ItemID{}
	for i, met := 0, map[int]bool{}; len(met) < clusterShards; i++ {
		if a := fmt.Sprint("agent", i); !met[shardOf(a)] {
			met[shardOf(a)] = true
			items[model.AgentID(a)] = apply(model.AgentID(a), a, model.CreateWorkItem{Objective: "begin"})
		}
	}
	running, cancel := context.WithCancel(ctx)
	told := make(chan time.Time, 1)
	var done sync.WaitGroup
	done.Go(func() {
		for n := 0; running.Err() == nil; n++ {
			at := time.Now().Add(time.Second / 2)
			for agent, item := range items {
				apply(agent, fmt.Sprint("due ", agent, " ", n), model.WaitFor{WorkItemID: item, Wake: model.WakeTimer, Reason: "later", WakeAt: at})
			}
			select {
			case told <- at:
			default: // nobody wants to know
			}
			select {
			case <-running.Done():
			case <-time.After(time.Until(at) + time.Second/2):
			}
			select {
			case <-told: // it is past
			default:
			}
		}
	})
	return told, func() { cancel(); done.Wait() }
}

// ledgerOnCluster makes a ledger on a cluster, and opens it in a new home.
func ledgerOnCluster(t testing.TB, cluster *storetest.Etcd) (l *store.Ledger, dir string) {
	t.Helper()
	at, err := store.ParseCluster(address(cluster, "team"))
	must(t, err)
	dir = filepath.Join(t.TempDir(), "home")
	b, err := etcd.Connect(at)
	must(t, err)
	_, err = store.Join(ctx, dir, at, b, true, store.Options{})
	must(t, errors.Join(err, b.Close()))
	l, err = store.Open(dir, store.Options{Command: "the test", Cluster: mirrored})
	must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l, dir
}
