package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/storetest"
)

// mirrored opens the backend of a ledger on a cluster, as vise drive does.
func mirrored(c store.Cluster) (store.Backend, error) {
	c.Mirror = true
	return etcd.Connect(c)
}

// claim is a driver without a program: it claims each free turn. In its turn it writes and renews its lease until it
// learns that another driver has the turn.
func claim(args []string) {
	l, err := store.Open(args[0], store.Options{Command: "vise drive", Cluster: mirrored})
	if err != nil {
		panic(err)
	}
	ttl, _ := time.ParseDuration(args[1])
	keys := 0
	do := func(c model.Command) (model.Receipt, error) {
		keys++
		return l.Apply(ctx, model.Envelope{Key: fmt.Sprint(os.Getpid(), "-", keys), Actor: model.Scheduler, Agent: "ann", Command: c})
	}
	for {
		r, err := do(model.ClaimTurn{AgentID: "ann", Holder: model.Text(fmt.Sprint("process ", os.Getpid())), TTLMS: ttl.Milliseconds()})
		for n := 0; err == nil; n++ {
			text := model.Text(fmt.Sprintf("turn %d, write %d", r.Turn, n))
			round := model.Round{Turn: r.Turn, Text: "on it", Calls: []model.Call{{Command: model.UpdateWorkItem{WorkItemID: model.ItemID(args[2]), Objective: &text}}}}
			_, err = l.Apply(ctx, model.Envelope{Key: string(text), Actor: model.AgentActor("ann"), Agent: "ann", Command: round})
			if err == nil {
				_, err = do(model.BeatTurn{AgentID: "ann", Turn: r.Turn, TTLMS: ttl.Milliseconds()})
			}
			<-time.After(ttl / 8)
		}
		<-time.After(ttl / 20)
	}
}

// One of three drivers has the turn. When it is killed, or stopped for longer than its lease, another takes over in
// time, and no later write of the first counts (P4).
func TestADriverThatIsGoneOrStoppedIsReplacedAndWritesNothingMore(t *testing.T) {
	storetest.Slow(t)
	ttl := storetest.Amount(500*time.Millisecond, 600*time.Millisecond)
	h := newHome(t, "ann")
	l := h.open()
	s := &succession{t: t, ledger: l, locks: true, ttl: ttl, children: map[int]*storetest.Child{}}
	s.run(h.dir, storetest.Amount(6, 200))
	if slow := ttl + 500*time.Millisecond; storetest.Long && s.slowestKill > slow || storetest.Long && s.slowestStop > ttl*3/2 {
		t.Errorf("a takeover took longer than %v of the dead or %v of the stopped", slow, ttl*3/2)
	}
	h.sound()
}

// The same holds on a cluster. There the lease is the cluster's, and no clock of a driver counts.
func TestADriverOnAClusterThatIsGoneOrStoppedIsReplacedAndWritesNothingMore(t *testing.T) {
	const ttl = 2 * time.Second // the shortest lease of the server
	cluster := storetest.StartEtcd(t, 1)
	l, dir := ledgerOnCluster(t, cluster)
	s := &succession{t: t, ledger: l, ttl: ttl, children: map[int]*storetest.Child{}}
	s.run(dir, storetest.Amount(4, 200))
	if slow := ttl + storetest.Amount(3*time.Second, 1500*time.Millisecond); max(s.slowestKill, s.slowestStop) > slow {
		t.Errorf("a takeover took longer than %v", slow)
	}
	if h, err := l.Check(ctx); err != nil || !h.Healthy() {
		t.Errorf("%q %v", h.Problems, err)
	}
}

// succession records who had the turn.
type succession struct {
	t      testing.TB
	ledger *store.Ledger
	// locks: who uses the ledger holds a lock, as of a file. On a cluster it is busy for other reasons.
	locks                    bool
	ttl                      time.Duration
	children                 map[int]*storetest.Child
	killed, stopped, inside  int
	slowestKill, slowestStop time.Duration
}

// run lets three drivers of a home succeed one another so often.
func (s *succession) run(dir string, times int) {
	s.t.Helper()
	const drivers = 3
	r, err := s.ledger.Apply(ctx, model.Envelope{Key: "item", Actor: model.Operator, Agent: "ann",
		Command: model.CreateWorkItem{Objective: "begin"}})
	must(s.t, err)
	start := func() { s.add(storetest.Start(s.t, "claim", dir, s.ttl.String(), string(r.WorkItemID))) }
	for range drivers {
		start()
	}
	rng := rand.New(rand.NewPCG(storetest.Seed(s.t), 1))
	for range times {
		if s.unseat(rng.IntN(2) == 0) {
			start()
		}
	}
	for _, c := range s.children {
		_ = c.Process.Kill()
	}
	s.t.Logf("%d killed, slowest takeover %v; %d stopped, slowest %v; %d stopped inside the lock; lease %v", s.killed, s.slowestKill, s.stopped,
		s.slowestStop, s.inside, s.ttl)
	s.nothingStale(r.WorkItemID)
}

func (s *succession) add(c *storetest.Child) { s.children[c.Process.Pid] = c }

// unseat kills or stops the driver that has the turn, and waits for the next one. It returns true if a killed driver
// must be replaced.
func (s *succession) unseat(kill bool) bool {
	s.t.Helper()
	turn, pid := s.await(0)
	c := s.children[pid]
	if c == nil {
		s.t.Fatalf("turn %d is held by process %d, which is none of ours", turn, pid)
	}
	begun := time.Now()
	if kill {
		must(s.t, c.Process.Kill())
		_ = c.Wait()
		delete(s.children, pid)
		s.await(turn)
		s.killed++
		s.slowestKill = max(s.slowestKill, time.Since(begun))
		return true
	}
	must(s.t, c.Process.Signal(syscall.SIGSTOP))
	before := s.inside
	s.await(turn, c)
	if s.inside == before {
		s.stopped++
		s.slowestStop = max(s.slowestStop, time.Since(begun))
		must(s.t, c.Process.Signal(syscall.SIGCONT))
	}
	return false
}

// await waits for a running turn after the given one. A process that was stopped while it held the lock is resumed:
// nobody can take over from it.
func (s *succession) await(after int, stopped ...*storetest.Child) (turn, pid int) {
	s.t.Helper()
	for limit := time.After(20 * time.Second); ; {
		err := s.ledger.View(ctx, func(r model.Reader) error {
			a, _ := r.Agent("ann")
			if a.Turn != nil && a.Turn.Index > after && a.Turn.Runs(time.Now()) {
				turn = a.Turn.Index
				pid, _ = strconv.Atoi(strings.TrimPrefix(a.Turn.Holder.Raw(), "process "))
			}
			return nil
		})
		var busy *model.Error
		switch isBusy := errors.As(err, &busy) && busy.Code == model.CodeBusy; {
		case isBusy && s.locks && len(stopped) > 0:
			s.inside++
			must(s.t, stopped[0].Process.Signal(syscall.SIGCONT))
			stopped = nil
		case err != nil && (!isBusy || s.locks):
			s.t.Fatal(err)
		}
		if turn > 0 {
			return turn, pid
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-limit:
			s.t.Fatalf("nobody took over from turn %d", after)
		}
	}
}

// nothingStale reads the journal: turns follow one another without an overlap, and every write belongs to the turn that
// ran.
func (s *succession) nothingStale(id model.ItemID) {
	s.t.Helper()
	running, writes, runningAt := 0, 0, 0
	check := func(objective string) {
		var turn, n int
		if _, err := fmt.Sscanf(objective, "turn %d, write %d", &turn, &n); err == nil && turn != runningAt {
			s.t.Errorf("%q was written while turn %d ran", objective, runningAt)
		}
	}
	must(s.t, s.ledger.View(ctx, func(r model.Reader) error {
		for _, e := range r.History("ann", model.Position{}, 10_000_000) {
			switch e.Kind {
			case model.EventTurnStarted, model.EventTurnEnded:
				var n model.TurnNews
				must(s.t, json.Unmarshal(e.Data, &n))
				if started := e.Kind == model.EventTurnStarted; started == (running != 0) || !started && n.Turn != running {
					s.t.Errorf("%s %d while turn %d ran", e.Kind, n.Turn, running)
				}
				running = 0
				if e.Kind == model.EventTurnStarted {
					running = n.Turn
				}
			case model.EventWorkItemWritten:
				var w model.Written
				must(s.t, json.Unmarshal(e.Data, &w))
				check(w.PreviousObjective.Raw()) // what the previous write wrote
				runningAt = running
				writes++
			}
		}
		w, _ := r.Item(id)
		check(w.Objective.Raw())
		return nil
	}))
	if writes < (s.killed+s.stopped)/2 {
		s.t.Errorf("only %d writes: the test shows little", writes)
	}
}
