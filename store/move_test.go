package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/recovery"
	"vise/store/storetest"
	"vise/store/transfer"
)

// contents are all keys of a ledger except those about itself, with their values.
func contents(t testing.TB, b store.Backend) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, table := range store.Tables {
		if table == "about/" {
			continue
		}
		for _, p := range pairs(t, b, table) {
			out[string(p[0])] = string(p[1])
		}
	}
	return out
}

// isOpen reports whether a backend has a ledger that can be changed.
func isOpen(b store.Backend) bool {
	state, there := store.StateOf(b)
	return there && state == ""
}

// place is where a ledger can be.
type place struct {
	name string
	// next returns an empty backend, and what Move calls when the ledger is open there.
	next func(t testing.TB, id string) (store.Backend, func(context.Context, transfer.Arrived) error)
	// open opens the ledger that has arrived.
	open func(t testing.TB, b store.Backend) *store.Ledger
}

func inMemory() place {
	return place{"memory", func(testing.TB, string) (store.Backend, func(context.Context, transfer.Arrived) error) {
		return kv.NewMemory(), nil
	}, func(t testing.TB, b store.Backend) *store.Ledger { return on(t, b, nil) }}
}

// inHome is one directory, to which a ledger can come back.
func inHome(t testing.TB) place {
	dir := filepath.Join(storetest.MemoryDir(t), "home")
	return place{"bbolt", func(t testing.TB, id string) (store.Backend, func(context.Context, transfer.Arrived) error) {
		a, err := transfer.Arrive(dir, id, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return a, a.Install
	}, func(t testing.TB, b store.Backend) *store.Ledger {
		must(b.(*transfer.Arrival).Finish(ctx))
		l, err := store.Open(dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}}
}

// moved moves a ledger to a place, and opens it there with the same clock.
func moved(t testing.TB, l *store.Ledger, to place) *store.Ledger {
	t.Helper()
	before, now, newID := contents(t, store.BackendOf(l)), l.Now, l.NewID
	l.Now, l.NewID = time.Now, store.NewID
	b, opened := to.next(t, l.Home().ID)
	out, err := (&transfer.Move{From: l, To: b, FromName: "there", ToName: to.name, Opened: opened}).Run(ctx)
	if err != nil {
		t.Fatalf("to %s: %v", to.name, err)
	}
	if isOpen(store.BackendOf(l)) || out.Keys != len(before) {
		t.Errorf("to %s: the source is open, or %d keys instead of %d were compared", to.name, out.Keys, len(before))
	}
	_, err = l.Apply(ctx, model.Envelope{Key: "late", Actor: model.Operator, Agent: "ada", Command: model.CreateWorkItem{Objective: "x"}})
	if err == nil || !strings.Contains(err.Error(), "has moved to "+to.name) {
		t.Errorf("to %s: the source says %v", to.name, err)
	}
	arrived := to.open(t, b)
	arrived.Now, arrived.NewID = now, newID
	if after := contents(t, store.BackendOf(arrived)); !maps.Equal(before, after) {
		t.Errorf("to %s: what arrived differs", to.name)
	}
	must(l.Close())
	return arrived
}

// A ledger moves round a circle of places, twice, and lives on at each. It then is what it had been without moving.
func TestALedgerMovesRoundACircle(t *testing.T) {
	storetest.Slow(t)
	seed := storetest.Seed(t)
	still := on(t, kv.NewMemory(), nil)
	x, y := NewLife(seed), NewLife(seed)
	x.Attach(still)
	l := on(t, kv.NewMemory(), nil)
	y.Attach(l)
	for _, to := range append(circle(t), circle(t)...) {
		x.Live(t, still, 2000/12)
		y.Live(t, l, 2000/12)
		l = moved(t, l, to)
	}
	x.Live(t, still, 100)
	y.Live(t, l, 100)
	if !maps.Equal(contents(t, store.BackendOf(still)), contents(t, store.BackendOf(l))) {
		t.Errorf("seed %d: the ledger that moved is not what it would be", seed)
	}
	h, c, err := l.Prove(ctx)
	if err != nil || !h.Healthy() || len(c.Problems) > 0 {
		t.Errorf("seed %d: %v, %v, %v", seed, h.Problems, c.Problems, err)
	}
	must(l.Close())
}

func circle(t testing.TB) []place {
	home := inHome(t)
	return []place{home, inMemory(), home, inMemory(), inHome(t), home}
}

// stopping is a backend whose process ends at a transaction, before it or after its commit.
type stopping struct {
	store.Backend
	s *stop
}

type stop struct {
	mu    sync.Mutex // protects n: a check has several transactions at once
	n, at int
	after bool
}

var errStopped = errors.New("the process has ended")

func (s *stop) next(do func() error) error {
	s.mu.Lock()
	s.n++
	n := s.n
	s.mu.Unlock()
	if n < s.at || s.at == 0 {
		return do()
	}
	if n == s.at && s.after {
		_ = do()
	}
	return errStopped
}

func (b stopping) View(ctx context.Context, fn func(store.Txn) error) error {
	return b.s.next(func() error { return b.Backend.View(ctx, fn) })
}

func (b stopping) Update(ctx context.Context, fn func(store.Txn) error) error {
	return b.s.next(func() error { return b.Backend.Update(ctx, fn) })
}

func twin(t testing.TB, b store.Backend) store.Backend {
	t.Helper()
	out := kv.NewMemory()
	must(out.Update(ctx, func(into store.Txn) error {
		for _, table := range store.Tables {
			for _, p := range pairs(t, b, table) {
				if err := into.Put(p[0], p[1]); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	return out
}

// A move whose process ends at any transaction is never open at both ends; it goes on to one that is, or is given up.
func TestAMoveThatEndsAnywhereGoesOn(t *testing.T) {
	storetest.Slow(t)
	seed := storetest.Seed(t)
	l := on(t, kv.NewMemory(), nil)
	x := NewLife(seed)
	x.Attach(l)
	x.Live(t, l, 60)
	want := contents(t, store.BackendOf(l))
	rng := rand.New(rand.NewPCG(seed, 1))
	steps := 0
	for at := 1; ; at++ {
		s := &stop{at: at, after: rng.IntN(2) == 0}
		from, to := twin(t, store.BackendOf(l)), kv.NewMemory()
		move := func(s *stop) *transfer.Move {
			return &transfer.Move{From: on(t, stopping{from, s}, nil), To: stopping{inMemoryCluster{to}, s}, FromName: "here", ToName: "there"}
		}
		s.at = 0
		m := move(s)
		s.n, s.at = 0, at
		_, err := m.Run(ctx)
		if isOpen(from) && isOpen(to) {
			t.Fatalf("seed %d, step %d: both are open", seed, at)
		}
		if err == nil {
			break
		}
		steps++
		if !errors.Is(err, errStopped) {
			t.Fatalf("seed %d, step %d: %v", seed, at, err)
		}
		if rng.IntN(4) == 0 && !isOpen(from) && !isOpen(to) {
			givenUp(t, from, to, move, rng.IntN(20)+1, seed)
			continue
		}
		if _, err := move(&stop{}).Run(ctx); err != nil {
			t.Fatalf("seed %d, step %d, again: %v", seed, at, err)
		}
		if isOpen(from) || !isOpen(to) || !maps.Equal(contents(t, to), want) {
			t.Fatalf("seed %d, step %d: not moved whole", seed, at)
		}
	}
	if steps < 50 {
		t.Errorf("only %d steps", steps)
	}
	t.Logf("%d steps", steps)
}

// givenUp gives a move up, and is interrupted at a transaction of that.
func givenUp(t *testing.T, from, to store.Backend, move func(*stop) *transfer.Move, at int, seed uint64) {
	s := &stop{}
	m := move(s)
	s.n, s.at = 0, at
	_ = m.GiveUp(ctx)
	if isOpen(from) && isOpen(to) {
		t.Fatalf("seed %d: given up, both are open", seed)
	}
	if !isOpen(from) {
		if err := move(&stop{}).GiveUp(ctx); err != nil {
			t.Fatalf("seed %d: give up again: %v", seed, err)
		}
	}
	if _, there := store.StateOf(to); !isOpen(from) || there || len(contents(t, to)) > 0 {
		t.Fatalf("seed %d: after giving up, the source is closed or the target has something", seed)
	}
}

// Of two moves to different places, the second is refused; and so is a move while a turn runs.
func TestAMoveIsRefused(t *testing.T) {
	l := on(t, kv.NewMemory(), nil)
	x := NewLife(1)
	x.Attach(l)
	x.Live(t, l, 50)
	apply := func(key string, c model.Command) error {
		_, err := l.Apply(ctx, model.Envelope{Key: key, Actor: model.Operator, Agent: "ada", Command: c})
		return err
	}
	refused := func(what, want string, to store.Backend, name string) {
		t.Helper()
		_, err := (&transfer.Move{From: l, To: to, FromName: "here", ToName: name}).Run(ctx)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(apply("claim", model.ClaimTurn{AgentID: "ada", Holder: "a test"}))
	refused("a turn", "a turn of agent ada runs", kv.NewMemory(), "there")
	must(apply("end", model.EndTurn{AgentID: "ada", Turn: 1, Outcome: model.TurnCompleted}))
	refused("a ledger is there", "there is a ledger already", store.BackendOf(on(t, kv.NewMemory(), nil)), "there")
	s := &stop{}
	m := &transfer.Move{From: l, To: stopping{kv.NewMemory(), s}, FromName: "here", ToName: "there"}
	m.Progress = func(transfer.Copied) { s.at = 1 }
	if _, err := m.Run(ctx); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	refused("another move", "moves to there", kv.NewMemory(), "elsewhere")
	if err := apply("late", model.CreateWorkItem{Objective: "x"}); err == nil || !strings.Contains(err.Error(), "only read") {
		t.Errorf("a change while the ledger moves: %v", err)
	}
	if err := l.View(ctx, func(model.Reader) error { return nil }); err != nil {
		t.Errorf("reading while the ledger moves: %v", err)
	}
}

// What is damaged on the way is named, and the copy is not opened.
func TestAMoveNamesDamage(t *testing.T) {
	storetest.Slow(t)
	seed := storetest.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 2))
	l := on(t, kv.NewMemory(), nil)
	x := NewLife(seed)
	x.Attach(l)
	x.Live(t, l, 100)
	for range 100 {
		from, to := twin(t, store.BackendOf(l)), kv.NewMemory()
		all := contents(t, from)
		keys := make([]string, 0, len(all))
		for k := range all {
			keys = append(keys, k)
		}
		key := keys[rng.IntN(len(keys))]
		what := rng.IntN(3)
		m := &transfer.Move{From: on(t, from, nil), To: to, FromName: "here", ToName: "there"}
		m.Progress = func(c transfer.Copied) {
			if c.Pairs != len(all) {
				return
			}
			changeKeys(t, to, func(txn store.Txn) error {
				switch value := []byte(all[key]); {
				case what == 0:
					return txn.Delete([]byte(key))
				case what == 1 || len(value) == 0:
					return txn.Put([]byte(key), append(value, 'x'))
				default:
					value[rng.IntN(len(value))] ^= 1 << rng.IntN(8)
					return txn.Put([]byte(key), value)
				}
			})
		}
		_, err := m.Run(ctx)
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q", key)) || isOpen(from) || isOpen(to) {
			t.Errorf("seed %d: damage %d at %q: %v", seed, what, key, err)
		}
	}
}

// What a check would find in the source is refused before anything moves, also what follows from the rest: rows, names, the keys of
// retries. What is made again can move.
func TestADamagedLedgerStaysWhereItIs(t *testing.T) {
	l := on(t, kv.NewMemory(), nil)
	x := NewLife(storetest.Seed(t))
	x.Attach(l)
	x.Live(t, l, 100)
	for _, table := range []string{"item/", "index/", "handle/", "key/", "trail/", "agent-head/"} {
		from, to := twin(t, store.BackendOf(l)), kv.NewMemory()
		key := pairs(t, from, table)[0][0]
		changeKeys(t, from, func(txn store.Txn) error { return txn.Delete(key) })
		m := &transfer.Move{From: on(t, from, nil), To: to, FromName: "here", ToName: "there"}
		_, err := m.Run(ctx)
		if err == nil || !strings.Contains(err.Error(), "nothing has moved") || !isOpen(from) || isOpen(to) {
			t.Errorf("%s: %v", table, err)
		}
		if table == "item/" {
			continue // only the history has it
		}
		if _, err := m.From.Rebuild(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Run(ctx); err != nil || isOpen(from) || !isOpen(to) {
			t.Errorf("%s, made again: %v", table, err)
		}
	}
}

// inCluster is one ledger's place on a cluster, to which it can come back.
func inCluster(open func(testing.TB) store.Backend) place {
	return place{"etcd", func(t testing.TB, _ string) (store.Backend, func(context.Context, transfer.Arrived) error) {
		return open(t), nil
	}, func(t testing.TB, b store.Backend) *store.Ledger { return on(t, b, nil) }}
}

// A ledger of 2,000 commands moves between memory, a cluster and a home, and back to each. Where it was on a cluster, the home can still
// make its history again.
func TestALedgerMovesToAClusterAndBack(t *testing.T) {
	seed := storetest.Seed(t)
	cluster := storetest.StartEtcd(t, 1)
	etcd := inCluster(func(t testing.TB) store.Backend { return onLedger(t, cluster, "moved") })
	home, memory := inHome(t), inMemory()
	l := on(t, kv.NewMemory(), nil)
	x := NewLife(seed)
	x.Attach(l)
	for _, to := range []place{etcd, home, etcd, memory, etcd, home, memory, home} {
		x.Live(t, l, 2000/8)
		l = moved(t, l, to)
	}
	x.Live(t, l, 50)
	h, c, err := l.Prove(ctx)
	if err != nil || !h.Healthy() || len(c.Problems) > 0 || c.Behind > 0 {
		t.Errorf("seed %d: %v, %v, %v", seed, h.Problems, c, err)
	}
	want := contents(t, store.BackendOf(l))
	dir := l.Home().Dir
	must(l.Close())
	must(os.Remove(filepath.Join(dir, "ledger.db")))
	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{})
	if err == nil {
		err = r.Apply(ctx, recovery.RestoreOptions{})
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	l, err = store.Open(dir, store.Options{})
	must(err)
	defer l.Close()
	if !maps.Equal(contents(t, store.BackendOf(l)), want) {
		t.Errorf("seed %d: what was restored from %s differs", seed, r.Source)
	}
}

// A large home moves to a cluster and back: 2,000 items, and with the tag soak 20,000 and 100,000.
func TestALargeHomeMovesThereAndBack(t *testing.T) {
	sizes := []int{2000}
	if storetest.Long {
		sizes = []int{20_000, 100_000}
	}
	for _, items := range sizes {
		cluster := storetest.StartEtcd(t, 1)
		etcd := inCluster(func(t testing.TB) store.Backend { return onLedger(t, cluster, "large") })
		home := inHome(t)
		l := on(t, kv.NewMemory(), nil)
		for n := 0; n < items; n += 200 {
			agent := model.AgentID(fmt.Sprint("agent", n/200%8))
			in := model.Import{AgentID: agent}
			for i := range 200 {
				in.Items = append(in.Items, model.Imported{Item: model.WorkItem{ID: model.ItemID(fmt.Sprintf("wi-%026d", n+i)),
					AgentID:   agent,
					Objective: model.Text(fmt.Sprint("item ", n+i)), Handle: model.Handle(fmt.Sprint("wi-", n+i)), Revision: 1, State: model.Open, PlanStatus: model.Draft,
					CreatedAt: time.Unix(int64(n+i), 0).UTC(), UpdatedAt: time.Unix(int64(n+i), 0).UTC()}})
			}
			_, err := l.Apply(ctx, model.Envelope{Key: fmt.Sprint("import-", n), Actor: model.Operator, Agent: agent, Command: in})
			must(err)
		}
		l = moved(t, l, home)
		for _, to := range []place{etcd, home} {
			begun := time.Now()
			l = moved(t, l, to)
			t.Logf("%d items, %d keys: to %s in %v", items, len(contents(t, store.BackendOf(l))), to.name, time.Since(begun).Round(time.Millisecond))
		}
		must(l.Close())
	}
}

// At each moment an interrupted move says whether the source is only read, and recommends --give-up only if that works.
func TestAnInterruptedMoveSaysWhatCanBeDone(t *testing.T) {
	storetest.Slow(t)
	l := on(t, kv.NewMemory(), nil)
	x := NewLife(1)
	x.Attach(l)
	x.Live(t, l, 60)
	seen := map[string]int{}
	for at := 1; ; at++ {
		for _, ends := range []bool{false, true} { // by ^C, or because a backend fails
			ctx, end := context.WithCancel(ctx)
			from, to := twin(t, store.BackendOf(l)), kv.NewMemory()
			s := &stop{}
			m := &transfer.Move{From: on(t, from, nil), To: interruptible{stopping{inMemoryCluster{to}, s}, end, ends}, FromName: "here", ToName: "there"}
			s.at = at
			_, err := m.Run(ctx)
			end()
			if err == nil {
				if seen["open"] == 0 || seen["gives up"] == 0 || seen["ends"] == 0 {
					t.Errorf("only these were seen: %v", seen)
				}
				return
			}
			var said *model.Error
			if !errors.As(err, &said) || ends == errors.Is(err, errStopped) {
				t.Fatalf("transaction %d: %v", at, err)
			}
			readOnly := strings.Contains(said.Message, "the ledger is only read until it ends")
			if readOnly == isOpen(from) || isOpen(from) != strings.Contains(said.Message, "nothing has moved, and the ledger is open") {
				t.Errorf("transaction %d: the source is open: %v, and it says %q", at, isOpen(from), said.Message)
			}
			again := &transfer.Move{From: on(t, from, nil), To: to, FromName: "here", ToName: "there"}
			switch giveUp := strings.Contains(said.Hint, "--give-up"); {
			case isOpen(from):
				seen["open"]++
			case giveUp:
				seen["gives up"]++
				must(again.GiveUp(t.Context()))
			default:
				seen["ends"]++
				if !strings.Contains(said.Hint, "the same vise admin move ends it") {
					t.Errorf("transaction %d: the hint is %q", at, said.Hint)
				}
			}
			if _, err := again.Run(t.Context()); err != nil {
				t.Errorf("transaction %d: the same again: %v", at, err)
			}
		}
	}
}

// interruptible is a backend whose context ends when it stops.
type interruptible struct {
	stopping
	end  context.CancelFunc
	ends bool
}

func (b interruptible) View(ctx context.Context, fn func(store.Txn) error) error {
	return b.told(b.stopping.View(ctx, fn))
}

func (b interruptible) Update(ctx context.Context, fn func(store.Txn) error) error {
	return b.told(b.stopping.Update(ctx, fn))
}

func (b interruptible) told(err error) error {
	if b.ends && errors.Is(err, errStopped) {
		b.end()
	}
	return err
}

// readable is a backend that its user may only read.
type readable struct{ store.Backend }

func (b readable) Update(ctx context.Context, fn func(store.Txn) error) error {
	return b.Backend.Update(ctx, func(t store.Txn) error { return fn(readableTxn{t}) })
}

type readableTxn struct{ store.Txn }

var errDenied = model.Refuse(model.CodeRefused, "denied")

func (readableTxn) Put([]byte, []byte) error { return errDenied }
func (readableTxn) Delete([]byte) error      { return errDenied }

// A move to where the user may only read, or while a turn runs, leaves both ends as they were.
func TestARefusedMoveLeavesTheSourceOpen(t *testing.T) {
	dir := filepath.Join(storetest.MemoryDir(t), "home")
	l, err := store.Create(dir, store.Options{})
	must(err)
	defer l.Close()
	apply := func(key string, c model.Command) {
		t.Helper()
		_, err := l.Apply(ctx, model.Envelope{Key: key, Actor: model.Operator, Agent: "ada", Command: c})
		must(err)
	}
	apply("a", model.CreateWorkItem{Objective: "x"})
	move := func(to store.Backend, undone func(context.Context) error) error {
		_, err := (&transfer.Move{From: l, To: to, FromName: "home", ToName: "there", Undone: undone}).Run(ctx)
		return err
	}
	left := func(what string, err, want error) {
		t.Helper()
		raw, _ := os.ReadFile(filepath.Join(dir, "home.json"))
		if !errors.Is(err, want) || !strings.Contains(err.Error(), "nothing has moved, and the ledger is open") || !isOpen(store.BackendOf(l)) ||
			strings.Contains(string(raw), "there") {
			t.Errorf("%s: %v, and home.json is %s", what, err, raw)
		}
	}
	left("only reading", move(readable{kv.NewMemory()}, nil), errDenied)
	apply("claim", model.ClaimTurn{AgentID: "ada", Holder: "a test"})
	left("a turn", move(kv.NewMemory(), nil), &model.Error{Code: model.CodeUnfinishedExecution})

	to, err := transfer.Arrive(filepath.Join(filepath.Dir(dir), "other"), l.Home().ID, store.Options{})
	must(err)
	left("a turn, and a home", move(to, to.DiscardEmpty), &model.Error{Code: model.CodeUnfinishedExecution})
	if found, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "other", "*")); len(found) > 0 {
		t.Errorf("it left %v", found)
	}
	if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), "other", ".moving")); err == nil {
		t.Error("the draft stayed")
	}

	apply("end", model.EndTurn{AgentID: "ada", Turn: 1, Outcome: model.TurnCompleted})
	for _, want := range []string{"--give-up", "the same vise admin move ends it"} {
		s := &stop{}
		m := &transfer.Move{From: l, To: stopping{kv.NewMemory(), s}, FromName: "home", ToName: "there"}
		if ends := want != "--give-up"; ends {
			m.Opened = func(context.Context, transfer.Arrived) error { return errStopped }
		} else {
			m.Progress = func(transfer.Copied) { s.at = 1 }
		}
		_, stopped := m.Run(ctx)
		again, err := store.Open(dir, store.Options{})
		must(err)
		said := again.Conditions(ctx)
		if !errors.Is(stopped, errStopped) || len(said) != 1 || !strings.Contains(said[0].Hint, want) ||
			strings.Contains(said[0].Hint, "--give-up") != (want == "--give-up") {
			t.Errorf("%v: the states are %+v", stopped, said)
		}
		must(again.Close())
	}
}
