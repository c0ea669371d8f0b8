//go:build unix

package store_test

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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

// A ledger that is made anew is what this program makes of the same commands, byte for byte.
func TestALedgerMadeAnewIsTheSame(t *testing.T) {
	made := store.NewMemory()
	l := on(t, made, nil)
	x := NewLife(storetest.Seed(t))
	x.Attach(l)
	now, steps := l.Now, 0
	l.Now = func() time.Time { // so that some answers are older than a week
		steps++
		return now().Add(time.Duration(steps) * 10 * time.Minute)
	}
	x.Live(t, l, storetest.Amount(2000, 20_000))
	dir := storetest.MemoryDir(t)
	older := filepath.Join(dir, "older.db")
	must(l.WriteOlder(ctx, older))
	again, err := store.Remade(ctx, older, filepath.Join(dir, "ledger.db"))
	must(err)
	defer again.Close()
	if len(pairs(t, made, "key/")) > 1500 {
		t.Error("no answer was too old")
	}
	if diff := firstDifference(t, made, again); diff != "" {
		t.Error(diff)
	}
}

// An older ledger whose records are not those of its history is refused, and stays as it is.
func TestAnOlderLedgerWithOtherRecordsThanItsHistoryIsRefused(t *testing.T) {
	for says, change := range map[string]func(records *bbolt.Bucket, key, value []byte) error{
		"is only in the history": func(records *bbolt.Bucket, key, _ []byte) error { return records.Delete(key) },
		"is not what its history says": func(records *bbolt.Bucket, key, value []byte) error {
			payload := append(slices.Clone(value[:len(value)-4]), ' ')
			sum := crc32.Checksum(slices.Concat(key, payload), crc32.MakeTable(crc32.Castagnoli))
			return records.Put(key, binary.BigEndian.AppendUint32(payload, sum))
		},
	} {
		dir, _ := olderHome(t)
		path := filepath.Join(dir, "ledger.db")
		db, err := bbolt.Open(path, 0o600, nil)
		must(err)
		must(db.Update(func(tx *bbolt.Tx) error {
			records := tx.Bucket([]byte("state"))
			key, value := records.Cursor().Seek([]byte("item/"))
			return change(records, slices.Clone(key), value)
		}))
		must(db.Close())
		was, err := os.ReadFile(path)
		must(err)
		l, err := store.Open(dir, store.Options{})
		must(err)
		err = l.View(ctx, func(model.Reader) error { return nil })
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
		must(l.Close())
		if is, err := os.ReadFile(path); err != nil || !slices.Equal(is, was) {
			t.Errorf("%s: the file was changed: %v", says, err)
		}
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
