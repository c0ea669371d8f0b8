package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/kv"
	"vise/store/recovery"
	"vise/store/storetest"
	"vise/store/transfer"
)

// dying is a machine that ends at an operation.
func dying(at int) (m *files.Machine, operations *int) {
	n := 0
	return &files.Machine{Copy: storetest.CopyForBbolt, Gate: func(files.Op) error {
		if n++; at > 0 && n >= at {
			return errStopped
		}
		return nil
	}}, &n
}

// toHome moves a ledger from a backend to the home in dir, and fromHome the other way, on a machine.
func toHome(from store.Backend, dir string, m *files.Machine) error {
	l, err := store.NewLedger(ctx, from, nil)
	if err != nil {
		return err
	}
	to, err := transfer.Arrive(dir, l.Home().ID, store.Options{Machine: m})
	if err != nil {
		return err
	}
	_, err = (&transfer.Move{From: l, To: to, FromName: "there", ToName: "home", Opened: to.Install}).Run(ctx)
	if err != nil {
		return errors.Join(err, to.Close())
	}
	return to.Finish(ctx)
}

func fromHome(dir string, to store.Backend, m *files.Machine) error {
	l, err := store.Open(dir, store.Options{Machine: m})
	if err != nil {
		return err
	}
	_, err = (&transfer.Move{From: l, To: to, FromName: "home", ToName: "there"}).Run(ctx)
	return errors.Join(err, l.Close())
}

// homeOpen reports whether the home in dir has a ledger that can be changed.
func homeOpen(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "ledger.db")); err != nil {
		return false
	}
	l, err := store.Open(dir, store.Options{})
	if err != nil {
		return false
	}
	defer l.Close()
	return isOpen(store.BackendOf(l))
}

// A machine that ends at any operation of a move to a home, or from one, leaves a ledger that is open once at most. The move goes on.
func TestAMoveOfAHomeOnAMachineThatEndsGoesOn(t *testing.T) {
	storetest.Slow(t)
	seed := storetest.Seed(t)
	l := on(t, kv.NewMemory(), nil)
	x := NewLife(seed)
	x.Attach(l)
	x.Live(t, l, 60)
	want := contents(t, store.BackendOf(l))
	rng := rand.New(rand.NewPCG(seed, 3))
	check := func(way string, at int, dir string, there store.Backend, wantHome bool) {
		t.Helper()
		got := there
		if wantHome {
			opened, err := store.Open(dir, store.Options{})
			must(err)
			defer opened.Close()
			got = store.BackendOf(opened)
		}
		if homeOpen(dir) != wantHome || isOpen(there) == wantHome || !maps.Equal(contents(t, got), want) {
			t.Fatalf("seed %d, %s, operation %d: not moved whole", seed, way, at)
		}
	}
	dirs := storetest.MemoryDir(t)
	count, operations := dying(0)
	must(toHome(twin(t, store.BackendOf(l)), filepath.Join(dirs, "counted"), count))
	arriving := *operations
	count, operations = dying(0)
	must(fromHome(filepath.Join(dirs, "counted"), kv.NewMemory(), count))
	leaving := *operations
	for n := range 25 {
		dir, there := filepath.Join(dirs, string(rune('a'+n))), twin(t, store.BackendOf(l))
		at := 1 + rng.IntN(arriving)
		m, _ := dying(at)
		err := toHome(there, dir, m)
		if homeOpen(dir) && isOpen(there) {
			t.Fatalf("seed %d: to the home, operation %d: both are open (%v)", seed, at, err)
		}
		if err := toHome(there, dir, nil); err != nil {
			t.Fatalf("seed %d: to the home, operation %d, again: %v", seed, at, err)
		}
		check("to the home", at, dir, there, true)

		there, at = kv.NewMemory(), 1+rng.IntN(leaving)
		m, _ = dying(at)
		err = fromHome(dir, there, m)
		if homeOpen(dir) && isOpen(there) {
			t.Fatalf("seed %d: from the home, operation %d: both are open (%v)", seed, at, err)
		}
		if err := fromHome(dir, there, nil); err != nil {
			t.Fatalf("seed %d: from the home, operation %d, again: %v", seed, at, err)
		}
		check("from the home", at, dir, there, false)
	}
	t.Logf("ended at 50 of %d and %d operations", arriving, leaving)
}

// A home whose ledger has moved is not restored, because the ledger would be open twice; at a moment, it makes a new home.
func TestAHomeWhoseLedgerHasMovedIsNotRestored(t *testing.T) {
	dir := filepath.Join(storetest.MemoryDir(t), "home")
	l, err := store.Create(dir, store.Options{})
	must(err)
	_, err = l.Apply(ctx, model.Envelope{Key: "a", Actor: model.Operator, Agent: "ada", Command: model.CreateWorkItem{Objective: "x"}})
	must(errors.Join(err, l.Close()))
	must(fromHome(dir, kv.NewMemory(), nil))
	for range 2 {
		var refusal *kv.Refusal
		r, err := recovery.PlanRestore(context.Background(), dir, recovery.RestoreOptions{})
		if !errors.As(err, &refusal) {
			t.Errorf("%+v, %v", r, err)
		}
		must(os.Remove(filepath.Join(dir, "ledger.db")))
		must(os.WriteFile(filepath.Join(dir, "ledger.db"), []byte("damaged"), 0o600))
	}
}

// A home that is made from a backup of a ledger that came from elsewhere knows up to which revision its history has gaps.
func TestABackupOfALedgerThatCameKeepsSinceWhen(t *testing.T) {
	l := on(t, kv.NewMemory(), nil)
	x := NewLife(1)
	x.Attach(l)
	x.Live(t, l, 60)
	dir, file := filepath.Join(storetest.MemoryDir(t), "home"), filepath.Join(t.TempDir(), "copy.db")
	must(toHome(store.BackendOf(l), dir, nil))
	since := func() (n uint64) {
		var h struct{ Since uint64 }
		raw, err := os.ReadFile(filepath.Join(dir, "home.json"))
		must(errors.Join(err, json.Unmarshal(raw, &h)))
		return h.Since
	}
	was := since()
	came, err := store.Open(dir, store.Options{})
	must(err)
	_, err = recovery.Backup(ctx, came, file)
	must(errors.Join(err, came.Close(), os.RemoveAll(dir)))
	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: file})
	must(err)
	must(r.Apply(ctx, recovery.RestoreOptions{}))
	if got := since(); got != was || was == 0 {
		t.Errorf("it came at revision %d, and now at %d", was, got)
	}
}
