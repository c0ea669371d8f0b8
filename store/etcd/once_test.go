package etcd

import (
	"errors"
	"slices"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/storetest"
)

func openOnce(t *testing.T, cluster *storetest.Etcd) *Backend {
	t.Helper()
	b, err := Open(Config{Endpoints: cluster.Endpoints(), Ledger: "l", Once: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// A handle that is taken is given to no second item.
func TestATakenHandleIsNotGivenAgain(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	b := open(t, cluster, "l")
	l := ledgerOn(t, b)
	memory := kv.NewMemory()
	free := ledgerOn(t, memory)
	l.NewID = func() string { return "same" }
	free.NewID = l.NewID
	r, err := free.Apply(ctx, envelope("ann", "k", model.CreateWorkItem{Objective: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	handle := handleIn(t, free, r.WorkItemID)
	err = memory.View(ctx, func(from store.Txn) error {
		value, _ := from.Get([]byte("handle/" + handle)) // memory does not fail
		return b.Update(ctx, func(x store.Txn) error { return x.Put([]byte("handle/"+handle), value) })
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err = l.Apply(ctx, envelope("ann", "k", model.CreateWorkItem{Objective: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	if got := handleIn(t, l, r.WorkItemID); len(got) <= len(handle) {
		t.Errorf("the handle is %s, and %s is taken", got, handle)
	}
}

func handleIn(t *testing.T, l *store.Ledger, id model.ItemID) (h model.Handle) {
	t.Helper()
	err := l.View(ctx, func(r model.Reader) error {
		w, _ := r.Item(id)
		h = w.Handle
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// What a program has read before its change is compared at the commit. A change of another process in between is not lost.
func TestWhatWasReadBeforeAChangeIsCompared(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	other := ledgerOn(t, open(t, cluster, "l"))
	id := create(t, other, "ann", "k")
	later := create(t, other, "ann", "later")
	once := func() *store.Ledger {
		b := openOnce(t, cluster)
		l := ledgerOn(t, b)
		for _, ref := range []model.ItemID{id, later} {
			if _, err := l.Resolve(ctx, string(ref)); err != nil {
				t.Fatal(err)
			}
		}
		return l
	}
	objective, priority := model.Text("better"), model.PriorityHigh
	l := once()
	apply := func(l *store.Ledger, key string, c model.Command) error {
		_, err := l.Apply(ctx, envelope("ann", key, c))
		return err
	}
	if err := errors.Join(apply(other, "a", model.UpdateWorkItem{WorkItemID: id, Objective: &objective}),
		apply(l, "b", model.UpdateWorkItem{WorkItemID: id, Priority: &priority})); err != nil {
		t.Fatal(err)
	}
	err := l.View(ctx, func(r model.Reader) error {
		if w, _ := r.Item(id); w.Objective != objective || w.Priority != priority {
			t.Errorf("a change is lost: %+v", w)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	l = once()
	if err := apply(other, "c", model.CompleteWorkItem{WorkItemID: later}); err != nil {
		t.Fatal(err)
	}
	if err := apply(l, "d", model.PickWorkItem{WorkItemID: later}); code(err) != model.CodeCompleted {
		t.Errorf("a completed item is picked: %v", err)
	}
	if err := apply(l, "c", model.CompleteWorkItem{WorkItemID: later}); err != nil {
		t.Errorf("a retry is not answered by its key: %v", err)
	}
}

// What a view of this program has read is compared at the commit of a change that depends on it, also of a part that it does not write.
func TestWhatAViewReadIsComparedAtTheCommit(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	key, list := []byte("item/wi-1/ann"), []byte("waits/ann/wi-1/a/")
	scan := func(x store.Txn, prefix []byte) (out []byte, err error) {
		err = x.Scan(store.Prefix(prefix), func(_, value []byte) bool { out = append(out, value...); return true })
		return out, err
	}
	for name, look := range map[string]func(store.Txn) ([]byte, error){
		"key":   func(x store.Txn) ([]byte, error) { return x.Get(key) },
		"id":    func(x store.Txn) ([]byte, error) { return scan(x, []byte("item/wi-1/")) },
		"range": func(x store.Txn) ([]byte, error) { return scan(x, list) },
		"all":   func(x store.Txn) ([]byte, error) { return scan(x, []byte("item/wi-1")) },
	} {
		t.Run(name, func(t *testing.T) {
			other := open(t, cluster, name)
			b, err := Open(Config{Endpoints: cluster.Endpoints(), Ledger: name, Once: true})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			write := func(value string) {
				t.Helper()
				err := other.Update(ctx, func(x store.Txn) error {
					return errors.Join(x.Put([]byte("agent-head/ann"), []byte(value)), x.Put(key, []byte(value)),
						x.Put(append(slices.Clone(list), "1234567/wt-1"...), []byte(value)))
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			write("old")
			if err := b.View(ctx, func(x store.Txn) error { _, err := look(x); return err }); err != nil {
				t.Fatal(err)
			}
			write("new")
			tries := 0
			err = b.Update(ctx, func(x store.Txn) error {
				tries++
				value, err := look(x)
				return errors.Join(err, x.Put([]byte("agent-head/bob"), value), x.Put([]byte("item/wi-2/bob"), value))
			})
			if err != nil {
				t.Fatal(err)
			}
			err = other.View(ctx, func(x store.Txn) error {
				if value, err := x.Get([]byte("item/wi-2/bob")); err != nil || string(value) != "new" || tries != 2 {
					t.Errorf("what was written is %q after %d tries, %v", value, tries, err)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The head of a part that is written is compared, also if it was known before the change.
func TestAKnownHeadIsComparedAtTheCommit(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	other := open(t, cluster, "l")
	b, err := Open(Config{Endpoints: cluster.Endpoints(), Ledger: "l", Once: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	write := func(on *Backend) (tries int) {
		t.Helper()
		err := on.Update(ctx, func(x store.Txn) error {
			tries++
			return errors.Join(x.Put([]byte("agent-head/ann"), []byte("x")), x.Put([]byte("agent/ann"), []byte("x")))
		})
		if err != nil {
			t.Fatal(err)
		}
		return tries
	}
	write(other)
	if err := b.View(ctx, func(x store.Txn) error { _, err := x.Get([]byte("about/state")); return err }); err != nil {
		t.Fatal(err)
	}
	write(other)
	if tries := write(b); tries != 2 {
		t.Errorf("a head of an earlier revision was compared after %d tries", tries)
	}
}

// A part that is only read ahead, because a list of a view refers to it, makes no conflict: only what a change asked for is compared.
func TestAChangeDependsOnNoPartThatWasOnlyReadAhead(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	other, b := open(t, cluster, "l"), openOnce(t, cluster)
	item := map[string][]byte{"ann": []byte("item/wi-1/ann"), "bob": []byte("item/wi-2/bob")}
	write := func(on *Backend, part string, then func(store.Txn) error) error {
		return on.Update(ctx, func(x store.Txn) error {
			if err := then(x); err != nil {
				return err
			}
			return errors.Join(x.Put([]byte("agent-head/"+part), []byte("x")), x.Put(item[part], []byte("x")))
		})
	}
	for part, key := range item {
		err := write(other, part, func(x store.Txn) error {
			return x.Put(append([]byte("inbox/a/12345678/"), key[len("item/"):]...), []byte("x"))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	listed := 0
	err := b.View(ctx, func(x store.Txn) error {
		return x.Scan(store.Prefix([]byte("inbox/")), func(_, _ []byte) bool { listed++; return true })
	})
	if err != nil || listed != 2 {
		t.Fatal(listed, err)
	}
	tries := 0
	err = write(b, "ann", func(x store.Txn) error {
		tries++
		value, err := x.Get(item["ann"])
		if _, ahead := x.(*txn).cached[one(pathOf(item["bob"]))]; tries == 1 && !ahead {
			t.Error("the item of bob was not read ahead")
		}
		if tries == 1 {
			err = errors.Join(err, write(other, "bob", func(store.Txn) error { return nil }))
		}
		return errors.Join(err, x.Put(item["ann"], append(value, '2')))
	})
	if err != nil || tries != 1 {
		t.Errorf("%d tries: %v", tries, err)
	}
}
