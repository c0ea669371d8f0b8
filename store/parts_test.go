package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/storetest"
)

// touching is a backend that reports the keys that each commit writes.
type touching struct {
	store.Backend
	committed func(keys []string)
}

func (b touching) Update(ctx context.Context, fn func(store.Txn) error) error {
	var x touchingTxn
	err := b.Backend.Update(ctx, func(t store.Txn) error {
		x = touchingTxn{Txn: t}
		return fn(&x)
	})
	if err == nil {
		b.committed(x.keys)
	}
	return err
}

type touchingTxn struct {
	store.Txn
	keys []string
}

func (t *touchingTxn) Put(key, value []byte) error {
	t.keys = append(t.keys, string(key))
	return t.Txn.Put(key, value)
}

func (t *touchingTxn) Delete(key []byte) error {
	t.keys = append(t.keys, string(key))
	return t.Txn.Delete(key)
}

// A change writes the head of each part that it changes, and nothing of any other part. So does a rebuild.
func TestNothingOfAPartChangesWithoutItsHead(t *testing.T) {
	storetest.Slow(t)
	const heads = "agent-head/"
	seed := storetest.Seed(t)
	parts, several := map[model.AgentID]bool{}, 0
	b := touching{kv.NewMemory(), func(keys []string) {
		touched := map[model.AgentID]bool{}
		for _, k := range keys {
			if part := store.PartOf([]byte(k)); part != "" {
				touched[part], parts[part] = true, true
			}
		}
		if len(touched) > 1 {
			several++
		}
		for part := range touched {
			if !slices.Contains(keys, heads+string(part)) {
				t.Errorf("seed %d: a change of the part of %s leaves its head: %s", seed, part, strings.Join(keys, "  "))
			}
		}
	}}
	l := on(t, b, nil)
	x := NewLife(seed)
	x.Attach(l)
	x.Live(t, l, 2000)
	for _, table := range []string{"index/", "trail/", "log/", "running/", "inbox/"} {
		row := pairs(t, b, table)[0]
		changeKeys(t, b.Backend, func(txn store.Txn) error { return txn.Delete(row[0]) })
		rebuilt, err := l.Rebuild(ctx)
		if err != nil || rebuilt.Derived == 0 {
			t.Errorf("seed %d: %s: %+v, %v", seed, table, rebuilt, err)
		}
	}
	if len(parts) < 3 || several < 3 {
		t.Errorf("%d parts, %d changes of several: the test shows little", len(parts), several)
	}
}
