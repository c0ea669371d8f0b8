package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/storetest"
)

func TestLedgerInMemoryKeepsTheContract(t *testing.T) {
	ledgerContract(t, func(testing.TB) store.Backend { return kv.NewMemory() })
}

func TestLedgerOnBoltKeepsTheContract(t *testing.T) {
	storetest.Slow(t)
	ledgerContract(t, func(t testing.TB) store.Backend { return newBolt(t, t.TempDir()) })
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func objective(key string) model.Envelope {
	return model.Envelope{Key: key, Actor: "agent:ada", Command: model.CreateWorkItem{Objective: model.Text(key)}}
}

// Of an agent with many changes in a week the answers to the last ten thousand are known. Other agents' stay known.
func TestTheLastTenThousandAnswersOfAnAgentAreKnown(t *testing.T) {
	storetest.Slow(t)
	l := on(t, kv.NewMemory(), nil)
	other := asAgent("bob", "other", model.CreateWorkItem{Objective: "x"})
	first := asAgent("ada", "0", model.CreateWorkItem{Objective: "x"})
	apply(t, l, other)
	id := apply(t, l, first).WorkItemID
	change := func(n int) model.Envelope {
		return asAgent("ada", fmt.Sprint(n), model.UpdateWorkItem{WorkItemID: id, Objective: new(model.Text(fmt.Sprint("x", n)))})
	}
	const changes = 10_100
	for n := 1; n <= changes; n++ {
		apply(t, l, change(n))
	}
	for n := changes - 10_000 + 1; n <= changes; n++ {
		if !apply(t, l, change(n)).Replayed {
			t.Fatalf("the answer to %d is forgotten", n)
		}
	}
	if !apply(t, l, other).Replayed {
		t.Error("another agent's answer is forgotten")
	}
	if apply(t, l, first).Replayed {
		t.Error("the first answer is still known: keys grow without a bound")
	}
}

// The only change of an agent is missing, and no number of another agent tells.
func TestTheMissingOnlyChangeOfAnAgentIsNamed(t *testing.T) {
	for name, read := range map[string]func(model.Reader) []model.Entry{
		"forwards":  func(r model.Reader) []model.Entry { return r.History("", model.Position{}, 100) },
		"backwards": func(r model.Reader) []model.Entry { return r.HistoryBefore("", model.Position{}, 100) },
	} {
		t.Run(name, func(t *testing.T) {
			b := kv.NewMemory()
			l := on(t, b, nil)
			create(t, l, "ada", "first")
			create(t, l, "bob", "only")
			create(t, l, "ada", "last")
			must(b.Update(ctx, func(txn store.Txn) error { return txn.Delete([]byte("journal/\x00\x00\x00\x00\x00\x00\x00\x02/bob")) }))
			l = on(t, b, nil)
			look(t, l, func(r model.Reader) { read(r) })
			if got := l.Damage(); !slices.Contains(got, "events are missing between revisions 1 and 3") {
				t.Errorf("named is %q", got)
			}
		})
	}
}

// unread is a backend that cannot read a table.
type unread struct {
	store.Backend
	table string
}

type unreadTxn struct {
	store.Txn
	table string
}

func (b unread) View(ctx context.Context, fn func(store.Txn) error) error {
	return b.Backend.View(ctx, func(t store.Txn) error { return fn(unreadTxn{t, b.table}) })
}

func (t unreadTxn) Scan(r store.Range, visit func(key, value []byte) bool) error {
	if bytes.HasPrefix(r.From, []byte(t.table)) {
		return errFailure
	}
	return t.Txn.Scan(r, visit)
}

// What could not be read is not said to be missing.
func TestAReadThatFailsIsNoDamage(t *testing.T) {
	b := kv.NewMemory()
	apply(t, on(t, b, nil), objective("k"))
	for _, table := range []string{"log/", "index/"} {
		l := on(t, unread{b, table}, nil)
		err := l.View(ctx, func(r model.Reader) error {
			r.HistoryBefore("ada", model.Position{}, 10)
			r.History("ada", model.Position{}, 10)
			r.Rows("ada", model.QueuedRunnable, nil, 10)
			return nil
		})
		if damage := l.Damage(); !errors.Is(err, errFailure) || len(damage) > 0 {
			t.Errorf("%s: %v, and %q is damaged", table, err, damage)
		}
	}
}
