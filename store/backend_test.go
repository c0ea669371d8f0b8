package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"vise/store"
	"vise/store/files"
	"vise/store/kv"
	"vise/store/lock"
)

var ctx = context.Background()

var _ store.PlanFiles = files.Home{}

func TestMemoryKeepsTheContract(t *testing.T) {
	keepsTheContract(t, func(testing.TB) store.Backend { return kv.NewMemory() })
}

func TestBoltKeepsTheContract(t *testing.T) {
	keepsTheContract(t, func(t testing.TB) store.Backend { return newBolt(t, t.TempDir()) })
}

// newBolt returns an empty bbolt ledger in dir.
func newBolt(t testing.TB, dir string) *kv.Bolt {
	t.Helper()
	path := filepath.Join(dir, "ledger.db")
	l := lock.On(nil, filepath.Join(dir, "ledger.lock"), "vise test")
	if err := kv.CreateBolt(nil, path, func(store.Txn) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return kv.OpenBolt(nil, path, l)
}

func BenchmarkBolt(b *testing.B) {
	db := newBolt(b, b.TempDir())
	defer db.Close()
	value := make([]byte, 300)
	b.Run("view", func(b *testing.B) {
		for b.Loop() {
			err := db.View(ctx, func(t store.Txn) error {
				_, err := t.Get([]byte("a/1"))
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("update", func(b *testing.B) {
		for b.Loop() {
			err := db.Update(ctx, func(t store.Txn) error { return t.Put([]byte("a/1"), value) })
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("update of nothing", func(b *testing.B) {
		for b.Loop() {
			if err := db.Update(ctx, func(t store.Txn) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("mark", func(b *testing.B) {
		for b.Loop() {
			db.Mark(ctx)
		}
	})
}

func TestMemoryTellsOfTurnsAndTasks(t *testing.T) {
	turnsContract(t, func(testing.TB) *store.Ledger { return store.NewMem(nil) })
}

func TestBoltTellsOfTurnsAndTasks(t *testing.T) {
	turnsContract(t, func(t testing.TB) *store.Ledger {
		l, err := store.Create(filepath.Join(t.TempDir(), "home"), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return l
	})
}
