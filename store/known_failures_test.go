package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/lock"
	"vise/store/storetest"
)

// Known failures of agents' ledgers. Each opening of a home has its own lock and file, like a process.

// opened opens a home n times.
func opened(t *testing.T, dir string, n int) (all []*store.Ledger) {
	t.Helper()
	for range n {
		l, err := store.Open(dir, store.Options{})
		must(err)
		t.Cleanup(func() { l.Close() })
		all = append(all, l)
	}
	return all
}

// together lets each ledger do something n times, all at the same time.
func together(t *testing.T, all []*store.Ledger, n int, do func(l *store.Ledger, who, n int) error) {
	var wg sync.WaitGroup
	for who, l := range all {
		wg.Go(func() {
			for i := range n {
				if err := do(l, who, i); err != nil {
					t.Errorf("%d of process %d: %v", i, who, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func made(who, n int) model.Envelope {
	agent := model.AgentID(fmt.Sprint("agent-", who))
	return asAgent(agent, fmt.Sprint("k", who, "-", n), model.CreateWorkItem{Objective: model.Text(fmt.Sprint(who, " ", n))})
}

func makeOne(l *store.Ledger, who, n int) error {
	_, err := l.Apply(ctx, made(who, n))
	return err
}

func TestAJournalUnderFiveAgentsAtOnceIsWhole(t *testing.T) {
	dir, l := newHome(t)
	together(t, opened(t, dir, 5), 20, makeOne)
	if h := healthy(t, l); h.Revision != 100 {
		t.Errorf("at revision %d after 100 changes", h.Revision)
	}
	if h, err := l.CheckCopy(ctx); err != nil || h.Changes+h.Behind != 100 || len(h.Problems) > 0 {
		t.Errorf("the copy: %+v, %v", h, err)
	}
}

// A ledger that was opened days ago reads the present state.
func TestAReadIsNeverDaysOld(t *testing.T) {
	dir, old := newHome(t)
	must(applied(old, objective("then")))
	now := time.Now()
	old.Now = func() time.Time { return now.Add(3 * 24 * time.Hour) }
	for n, other := range opened(t, dir, 3) {
		must(makeOne(other, 0, n))
		look(t, old, func(r model.Reader) {
			if r.Count("agent-0", model.TallyOpen) != n+1 || len(r.Rows("agent-0", model.QueuedRunnable, nil, 9)) != n+1 {
				t.Errorf("after change %d it reads %d items", n+1, r.Count("agent-0", model.TallyOpen))
			}
		})
	}
}

// A read imports, repairs and writes nothing, however often it is made.
func TestACallImportsNothing(t *testing.T) {
	dir, l := newHome(t)
	for n := range 5 {
		must(makeOne(l, 0, n))
	}
	before := storetest.Contents(dir)
	for _, x := range opened(t, dir, 20) {
		look(t, x, func(r model.Reader) { r.Rows("agent-0", model.QueuedRunnable, nil, 9) })
	}
	after := storetest.Contents(dir)
	for name := range after {
		if string(before[name]) != string(after[name]) && name != "ledger.lock" {
			t.Errorf("reading wrote to %s", name)
		}
	}
}

func TestFifteenAgentsStarveNone(t *testing.T) {
	storetest.Slow(t)
	dir, _ := newHome(t)
	all := opened(t, dir, 15)
	done := make([]int, len(all))
	together(t, all, 1, makeOne) // all of them are at work
	var turns atomic.Int64
	together(t, all, 1, func(l *store.Ledger, who, _ int) error {
		for ; turns.Add(1) <= 900; done[who]++ {
			if err := makeOne(l, who, 1+done[who]); err != nil {
				return err
			}
		}
		return nil
	})
	sum, squares := 0.0, 0.0
	for _, n := range done {
		sum, squares = sum+float64(n), squares+float64(n)*float64(n)
	}
	jain := sum * sum / (float64(len(done)) * squares)
	t.Logf("Jain %.3f: %v", jain, done)
	if jain < 0.9 {
		t.Errorf("the changes of the agents: %v", done)
	}
}

// Five hundred waiters learn the name of a holder that does not go on. When it goes on, none of them is in the way of
// the next one.
func TestFiveHundredThatStalledAreInNobodysWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	holder := lock.On(nil, path, "the one that stalls")
	must(holder.Acquire(ctx))
	var wg sync.WaitGroup
	for range 500 {
		wg.Go(func() {
			l := lock.On(nil, path, "waits")
			l.Limit = 500 * time.Millisecond
			var busy *kv.Busy
			if err := l.Acquire(context.Background()); !errors.As(err, &busy) || busy.Holder.Command != "the one that stalls" {
				t.Errorf("it is told %v", err)
			}
		})
	}
	wg.Wait()
	holder.Release()
	began := time.Now()
	next := lock.On(nil, path, "next")
	must(next.Acquire(ctx))
	next.Release()
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the next one waited %v", took)
	}
}

// Several processes that tick, rebuild and compact at the same time delete no row that others write.
func TestSweepsOfSeveralDeleteNobodysRows(t *testing.T) {
	dir, l := newHome(t)
	together(t, opened(t, dir, 6), 8, func(l *store.Ledger, who, n int) error {
		switch who {
		case 0, 1:
			_, err := l.Rebuild(ctx)
			return err
		case 2:
			_, _, err := l.Compact(ctx)
			return err
		}
		return makeOne(l, who, n)
	})
	healthy(t, l)
	look(t, l, func(r model.Reader) {
		for who := 3; who < 6; who++ {
			if rows := r.Rows(model.AgentID(fmt.Sprint("agent-", who)), model.QueuedRunnable, nil, 99); len(rows) != 8 {
				t.Errorf("agent %d has %d of its 8 rows", who, len(rows))
			}
		}
	})
	if found := l.Damage(); len(found) > 0 {
		t.Errorf("named damaged: %q", found)
	}
}
