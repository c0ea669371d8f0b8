package store

import (
	"context"
	"errors"
	"testing"

	"vise/model"
)

// reopen returns another program's view of the same home, with other migrations.
func reopen(t *testing.T, dir string, steps []migration) *Ledger {
	t.Helper()
	l, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	l.steps = steps
	return l
}

func TestOlderSchemaIsMigratedOnceAndNewerIsOnlyRead(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir() + "/home"
	old, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if _, err := old.Apply(ctx, model.Envelope{Key: "k1", Actor: "agent:ada", Command: model.CreateWorkItem{Objective: "x"}}); err != nil {
		t.Fatal(err)
	}

	ran := 0
	step := func(t Txn) error { ran++; return t.Put([]byte("about/migrated"), nil) }
	steps := append(append([]migration{}, migrations...), step, step)
	current := reopen(t, dir, steps)
	if ran != 0 {
		t.Errorf("%d migrations before the first use", ran)
	}
	revision := uint64(0)
	err = current.View(ctx, func(r model.Reader) error { revision = r.Revision(); return nil })
	if err != nil || revision != 1 || ran != 2 {
		t.Errorf("revision %d after %d migrations, %v", revision, ran, err)
	}
	again := reopen(t, dir, steps)
	if _, err := again.Apply(ctx, model.Envelope{Key: "k2", Actor: "agent:ada", Command: model.CreateWorkItem{Objective: "x"}}); err != nil || ran != 2 {
		t.Errorf("%d migrations, %v", ran, err)
	}

	late := reopen(t, dir, migrations)
	if err := late.View(ctx, func(r model.Reader) error { revision = r.Revision(); return nil }); err != nil || revision != 2 {
		t.Errorf("an older program reads revision %d, %v", revision, err)
	}
	_, err = late.Apply(ctx, model.Envelope{Key: "k3", Actor: "agent:ada", Command: model.CreateWorkItem{Objective: "x"}})
	if !errors.Is(err, &model.Error{Code: model.CodeNewer}) {
		t.Errorf("an older program writes: %v", err)
	}
}

func TestAFailedMigrationLeavesTheLedgerAsItWas(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir() + "/home"
	old, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	no := errors.New("no")
	broken := reopen(t, dir, append(append([]migration{}, migrations...), func(t Txn) error {
		return errors.Join(t.Put([]byte("about/migrated"), nil), no)
	}))
	if err := broken.View(ctx, func(model.Reader) error { return nil }); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	if h, err := old.Check(ctx); err != nil || !h.Healthy() {
		t.Errorf("%v, %v", h, err)
	}
	err = old.ViewFacts(ctx, func(f *Facts) error {
		v, err := f.Txn.Get([]byte("about/migrated"))
		if v != nil {
			t.Error("half of a migration was kept")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A process that has a home open while a newer program gives it another layout must not read that as its own.
func TestAHomeThatGetsANewerLayoutIsNotRead(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir() + "/home"
	open, err := Create(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	newer := reopen(t, dir, append(append([]migration{}, migrations...), func(Txn) error { return nil }))
	if err := newer.View(ctx, func(model.Reader) error { return nil }); err != nil {
		t.Fatal(err)
	}
	h := newer.home
	h.Format = homeFormat + 1
	if err := h.Save(); err != nil {
		t.Fatal(err)
	}
	err = open.View(ctx, func(model.Reader) error { t.Error("it is read"); return nil })
	if refused := new(model.Error); !errors.As(err, &refused) || refused.Code != model.CodeRefused || refused.Hint != "install a newer vise" {
		t.Errorf("got %v", err)
	}
}
