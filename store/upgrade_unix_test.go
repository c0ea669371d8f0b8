//go:build unix

package store_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// olderHome is a home whose ledger has the last schema that is made anew.
func olderHome(t *testing.T) (dir string, ledger []byte) {
	t.Helper()
	dir = filepath.Join(storetest.MemoryDir(t), "home")
	must(os.Mkdir(dir, 0o700))
	for _, name := range []string{"home.json", "ledger.db"} {
		raw, err := os.ReadFile(filepath.Join("testdata", "v7-"+name))
		must(err)
		must(os.WriteFile(filepath.Join(dir, name), raw, 0o600))
		ledger = raw
	}
	return dir, ledger
}

// refusedByOlder checks that a program of before this layout refuses a home.
func refusedByOlder(t *testing.T, dir string) {
	t.Helper()
	var home struct{ Format int }
	raw, err := os.ReadFile(filepath.Join(dir, "home.json"))
	must(err)
	if err := json.Unmarshal(raw, &home); err != nil || home.Format != 2 {
		t.Errorf("home.json has %s", raw)
	}
}

// The first use of an older ledger makes it anew with its whole history, and keeps the old file.
func TestAnOlderLedgerIsMadeAnewAndKeptAside(t *testing.T) {
	dir, old := olderHome(t)
	l, err := store.Open(dir, store.Options{})
	must(err)
	defer l.Close()
	if u, err := l.Upgrade(ctx); err != nil || u.Schema != 7 || len(u.Changes) == 0 {
		t.Errorf("%+v, %v", u, err)
	}
	if h := healthy(t, l); h.Revision != 16 || h.Commits != 16 {
		t.Errorf("%+v", h)
	}
	must(l.View(ctx, func(r model.Reader) error {
		all, back := r.History("", model.Position{}, 1000), r.HistoryBefore("", model.Position{}, 1000)
		slices.Reverse(back)
		if len(all) < 16 || !slices.EqualFunc(all, back, func(a, b model.Entry) bool { return a.Position() == b.Position() }) {
			t.Errorf("%d events forwards, %d backwards", len(all), len(back))
		}
		return nil
	}))
	in, err := l.Apply(ctx, model.Envelope{Key: "k1", Actor: model.AgentActor("keeper"),
		Command: model.CreateWorkItem{Objective: keptSince(7), Plan: "# plan\n"}})
	if err != nil || !in.Replayed || in.Revision != 1 {
		t.Errorf("an old key answers %+v, %v", in, err)
	}

	kept, err := filepath.Glob(filepath.Join(dir, "aside", "ledger-before-upgrade-*.db"))
	must(err)
	if len(kept) != 1 {
		t.Fatalf("kept aside: %q", kept)
	}
	if raw, err := os.ReadFile(kept[0]); err != nil || !slices.Equal(raw, old) {
		t.Errorf("the file kept aside is not the old one: %v", err)
	}
	refusedByOlder(t, dir)
	if u, err := l.Upgrade(ctx); err != nil || u.Schema != u.Current {
		t.Errorf("%+v, %v", u, err)
	}

	// The copy of the history was made anew too: it leads to the same ledger.
	must(l.Close())
	must(os.Remove(filepath.Join(dir, "ledger.db")))
	r, err := store.PlanRestore(ctx, dir, store.RestoreOptions{})
	must(err)
	defer r.Discard()
	if r.Revision != 16 || !r.Lost.None() && r.Lost.AtLeast > 0 {
		t.Errorf("restored to %+v", r)
	}
}

// An older ledger whose records are not those of its history is refused, and stays as it is.
func TestAnOlderLedgerWithoutARecordIsRefused(t *testing.T) {
	dir, _ := olderHome(t)
	path := filepath.Join(dir, "ledger.db")
	db, err := bbolt.Open(path, 0o600, nil)
	must(err)
	must(db.Update(func(tx *bbolt.Tx) error {
		key, _ := tx.Bucket([]byte("state")).Cursor().Seek([]byte("item/"))
		return tx.Bucket([]byte("state")).Delete(key)
	}))
	must(db.Close())
	was, err := os.ReadFile(path)
	must(err)
	l, err := store.Open(dir, store.Options{})
	must(err)
	defer l.Close()
	err = l.View(ctx, func(model.Reader) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "is only in the history") {
		t.Errorf("%v", err)
	}
	if is, err := os.ReadFile(path); err != nil || !slices.Equal(is, was) {
		t.Errorf("the file was changed: %v", err)
	}
}

// A machine that stops at any operation of the upgrade leaves a home whose next use does it.
func TestAnUpgradeThatStopsAnywhereIsDoneAtTheNextUse(t *testing.T) {
	older, old := olderHome(t)
	use := func(dir string, f *Faults) error {
		l, err := store.Open(dir, store.Options{Machine: f.Machine()})
		if err != nil {
			return err
		}
		defer l.Close()
		return l.View(ctx, func(model.Reader) error { return nil })
	}
	f := &Faults{}
	must(use(storetest.CopyOf(t, older), f))
	rng := rand.New(rand.NewPCG(storetest.Seed(t), 1))
	n, share := f.Count(), storetest.Amount(5, 1)
	for at := 1; at <= n; at++ {
		if rng.IntN(share) > 0 {
			continue
		}
		dir := storetest.CopyOf(t, older)
		_ = use(dir, &Faults{At: at})
		l, err := store.Open(dir, store.Options{})
		must(err)
		if h := healthy(t, l); h.Revision != 16 {
			t.Errorf("stopped at operation %d of %d: revision %d", at, n, h.Revision)
		}
		must(l.HealCopy(ctx))
		must(l.Close())
		kept, err := filepath.Glob(filepath.Join(dir, "aside", "ledger-before-upgrade-*.db"))
		must(err)
		if len(kept) == 0 || !slices.ContainsFunc(kept, func(path string) bool { raw, _ := os.ReadFile(path); return slices.Equal(raw, old) }) {
			t.Errorf("stopped at operation %d of %d: kept aside is %q", at, n, kept)
		}
		left, err := filepath.Glob(filepath.Join(dir, ".reading-*"))
		must(err)
		if len(left) > 0 {
			t.Errorf("stopped at operation %d of %d: %q is left", at, n, left)
		}
		must(os.RemoveAll(dir))
	}
	t.Logf("%d operations", n)
}

// A snapshot that an older program took is restored with this program's layout.
func TestAnOlderSnapshotIsRestored(t *testing.T) {
	dir, _ := olderHome(t)
	must(os.Mkdir(filepath.Join(dir, "snapshots"), 0o700))
	must(os.Rename(filepath.Join(dir, "ledger.db"), filepath.Join(dir, "snapshots", "20260101T000000Z-000000000016.db")))
	r, err := store.PlanRestore(ctx, dir, store.RestoreOptions{})
	must(err)
	must(r.Apply(ctx, store.RestoreOptions{}))
	l, err := store.Open(dir, store.Options{})
	must(err)
	defer l.Close()
	if h := healthy(t, l); h.Revision != 16 {
		t.Errorf("restored to revision %d", h.Revision)
	}
	refusedByOlder(t, dir)
}
