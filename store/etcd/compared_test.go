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

// A handle that is taken is given to no second item.
func TestATakenHandleIsNotGivenAgain(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	b := open(t, cluster, "l")
	l := ledgerOn(t, b)
	free := ledgerOn(t, kv.NewMemory())
	l.NewID = func() string { return "same" }
	free.NewID = l.NewID
	r, err := free.Apply(ctx, envelope("ann", "k", model.CreateWorkItem{Objective: "x"}))
	if err != nil {
		t.Fatal(err)
	}
	handle := handleIn(t, free, r.WorkItemID)
	key := []byte("handle/" + handle + "/bob")
	err = b.Update(ctx, func(x store.Txn) error {
		head := []byte("agent-head/bob")
		return errors.Join(x.Put(head, kv.Frame(head, []byte("{}"))), x.Put(key, kv.Frame(key, []byte("wi-1"))))
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

// A change of another process since the mirror was read is not lost.
func TestWhatWasReadBeforeAChangeIsCompared(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	other := ledgerOn(t, open(t, cluster, "l"))
	id := create(t, other, "ann", "k")
	later := create(t, other, "ann", "later")
	once := func() *store.Ledger {
		l := ledgerOn(t, mirroring(t, "l", cluster.Endpoints()...))
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

// What a change reads without a request, from the mirror, is compared at its commit, also of a part that it does not write.
func TestWhatAMirrorHasIsComparedAtTheCommit(t *testing.T) {
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
			other, b := open(t, cluster, name), mirroring(t, name, cluster.Endpoints()...)
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
			tries := 0
			err := b.Update(ctx, func(x store.Txn) error {
				value, err := look(x)
				if tries++; tries == 1 {
					write("new")
				}
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

// The head of a part that is written is compared, also if the mirror has it.
func TestAKnownHeadIsComparedAtTheCommit(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	other, b := open(t, cluster, "l"), mirroring(t, "l", cluster.Endpoints()...)
	write := func(on *Backend, meanwhile func()) (tries int) {
		t.Helper()
		err := on.Update(ctx, func(x store.Txn) error {
			if tries++; tries == 1 {
				meanwhile()
			}
			return errors.Join(x.Put([]byte("agent-head/ann"), []byte("x")), x.Put([]byte("agent/ann"), []byte("x")))
		})
		if err != nil {
			t.Fatal(err)
		}
		return tries
	}
	write(other, func() {})
	if tries := write(b, func() { write(other, func() {}) }); tries != 2 {
		t.Errorf("a head of an earlier revision was compared after %d tries", tries)
	}
}

// An id that was looked for in all parts and is in none is not made in two, and what is there is not taken for new.
func TestANewIDIsCompared(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	mine, other := open(t, cluster, "l"), open(t, cluster, "l")
	ledgerOn(t, mine)
	write := func(b *Backend, part string, look func(store.Txn) bool) (found bool) {
		t.Helper()
		err := b.Update(ctx, func(x store.Txn) error {
			if found = look(x); found {
				return nil
			}
			return errors.Join(x.Put([]byte("agent-head/"+part), []byte(part)), x.Put([]byte("item/wi-1/"+part), []byte(part)))
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	blind := func(store.Txn) bool { return false }
	tries := 0
	if !write(mine, "bob", func(x store.Txn) (found bool) {
		if err := x.Scan(store.Prefix([]byte("item/wi-1/")), func([]byte, []byte) bool { found = true; return false }); err != nil {
			t.Error(err)
		}
		if tries++; tries == 1 {
			write(other, "ann", blind)
		}
		return found
	}) {
		t.Error("an id is of two agents")
	}
	tries = 0
	write(open(t, cluster, "l"), "ann", func(store.Txn) bool { tries++; return false })
	if tries != 2 {
		t.Errorf("what is there was taken for new, after %d tries", tries)
	}
}
