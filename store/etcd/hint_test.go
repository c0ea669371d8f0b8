package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/storetest"
)

// planted is a backend whose transactions get other hints than the ledger's. A nil plant gives none.
type planted struct {
	*Backend
	plant func(store.Reads) store.Reads
}

func (p planted) View(ctx context.Context, fn func(store.Txn) error) error {
	return p.Backend.View(ctx, func(t store.Txn) error { return fn(plantedTxn{t.(*txn), p.plant}) })
}

func (p planted) Update(ctx context.Context, fn func(store.Txn) error) error {
	return p.Backend.Update(ctx, func(t store.Txn) error { return fn(plantedTxn{t.(*txn), p.plant}) })
}

type plantedTxn struct {
	*txn
	plant func(store.Reads) store.Reads
}

func (p plantedTxn) Hint(r store.Reads) {
	if p.plant != nil {
		p.txn.Hint(p.plant(r))
	}
}

// opened opens the ledger of one process for one command. Its clock and its ids follow from n.
func opened(t *testing.T, c Config, plant func(store.Reads) store.Reads, n int) *store.Ledger {
	t.Helper()
	b, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	l := ledgerOn(t, planted{b, plant})
	ids := 0
	l.Now = func() time.Time { return time.Unix(1_700_000_000+int64(n), 0) }
	l.NewID = func() string { ids++; return fmt.Sprintf("new%d-%d", n, ids) }
	return l
}

// Hints save time and nothing else: without any, and with wrong ones, the same commands have the same answers and leave the same ledger.
func TestAWrongHintChangesNothing(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	zoe := func(key []byte) []byte { return []byte(strings.ReplaceAll(string(key), "ann", "zoe")) }
	plants := map[string]func(store.Reads) store.Reads{
		"right": func(r store.Reads) store.Reads { return r },
		"another agent": func(r store.Reads) store.Reads {
			for i := range r.Keys {
				r.Keys[i] = zoe(r.Keys[i])
			}
			return r
		},
		"all that is shown": func(r store.Reads) store.Reads { r.Shown = true; return r },
		"every id is new":   func(r store.Reads) store.Reads { r.New = "-"; return r },
		"no id is new":      func(r store.Reads) store.Reads { r.New = ""; return r },
		"not of this form":  func(r store.Reads) store.Reads { r.Keys = [][]byte{[]byte("item/"), []byte("x"), {}}; return r },
	}
	answers, content := lifeWith(t, cluster, Config{Ledger: "none"}, nil)
	for name, plant := range plants {
		for _, once := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/once=%v", name, once), func(t *testing.T) {
				got, now := lifeWith(t, cluster, Config{Ledger: strings.ReplaceAll(fmt.Sprint(name, once), " ", "-"), Once: once}, plant)
				for i := range answers {
					if got[i] != answers[i] {
						t.Errorf("command %d answers\n%s\nand without hints\n%s", i, got[i], answers[i])
					}
				}
				if !maps.Equal(now, content) {
					t.Errorf("the ledgers differ: %v and %v", slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(content)))
				}
			})
		}
	}
}

// lifeWith carries out commands, each in a process of its own, and returns their answers and the ledger's content.
func lifeWith(t *testing.T, cluster *storetest.Etcd, c Config, plant func(store.Reads) store.Reads) (answers []string,
	content map[string]string) {
	t.Helper()
	c.Endpoints = cluster.Endpoints()
	item := func(n int) model.ItemID { return model.ItemID(fmt.Sprintf("wi-new%d-1", n)) }
	words := model.Text("better")
	commands := []model.Command{
		model.CreateWorkItem{Objective: "first"},                     // new0-1: the first command makes the ledger
		model.CreateWorkItem{Objective: "second"},                    // new1-1
		model.PickWorkItem{WorkItemID: item(1)},                      //
		model.PickWorkItem{WorkItemID: item(0)},                      // without a reason
		model.PickWorkItem{WorkItemID: "wi-unknown"},                 // refused
		model.UpdateWorkItem{WorkItemID: item(1), Objective: &words}, //
		model.UpdateWorkItem{WorkItemID: item(1), Objective: &words}, // changes nothing
		model.UpdateWorkItem{WorkItemID: item(1), SeenRevision: 1},   // refused
		model.WaitFor{WorkItemID: item(1), Wake: model.WakeOperatorInput, Reason: "r", Question: "which?"},
		model.Answer{WorkItemID: item(1), Text: "that"},
		model.Say{AgentID: "ann", Text: "hello"},
		model.OpenDelegation{WorkItemID: item(1), To: "bob", Objective: "child"}, // new11-1
		model.StartTask{WorkItemID: item(1), Summary: "builds"},
		model.CompleteWorkItem{WorkItemID: item(1)},
		model.CompleteWorkItem{WorkItemID: item(1)}, // again
	}
	for n, x := range commands {
		e := envelope("ann", fmt.Sprint("key", n), x)
		if _, operator := x.(model.Answer); operator || n%4 == 3 {
			e.Actor, e.Agent = model.Operator, ""
		}
		for range 2 { // the second time it is answered by its key
			l := opened(t, c, plant, n)
			if n > 0 {
				_, _ = l.Resolve(ctx, string(item(1))) // what is read before can be used again
			}
			in, err := l.Apply(ctx, e)
			answers = append(answers, fmt.Sprintf("%s, %v", inJSON(t, in), err))
		}
	}
	l := opened(t, c, plant, len(commands))
	if err := l.View(ctx, func(r model.Reader) error {
		answers = append(answers, inJSON(t, model.DeskOf(r, "ann", model.Stamp{At: l.Now()}, model.Class.Limit)))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	content = map[string]string{}
	b, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	err = b.View(ctx, func(x store.Txn) error {
		for _, table := range store.Tables {
			err := x.Scan(store.Prefix([]byte(table)), func(k, v []byte) bool {
				if table != "about/" {
					content[string(k)] = string(v)
				}
				return true
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(content) < 40 {
		t.Fatalf("%d keys, %v", len(content), err)
	}
	return answers, content
}

// What was read of all agents at once answers each read as the cluster does. A ledger that has more than a page of it is not known by that.
func TestWhatIsShownIsReadAtOnce(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	all := openOnce(t, cluster)
	l := ledgerOn(t, all)
	for _, agent := range []model.AgentID{"ann", "bob"} {
		for i := range 5 {
			create(t, l, agent, fmt.Sprint(agent, i))
		}
	}
	x := openOnce(t, cluster).begin(ctx, false)
	x.Hint(store.Reads{Shown: true})
	if _, err := x.Get([]byte("agent/ann")); err != nil || len(x.shown) != 14 {
		t.Fatalf("%d are known, %v", len(x.shown), err)
	}
	middle := x.shown[len(x.shown)/2]
	for _, s := range []span{allShown.span, beginning("f/index/ann/"), beginning("f/inbox/"), one(middle.place).span, one("f/agent/zoe").span,
		{from: middle.place, to: allShown.to}, {from: "f/a", to: middle.place}, beginning("f/zzz/"), {from: "f/z", to: "f/a"}} {
		for _, r := range []read{{span: s}, {span: s, limit: 3}, {span: s, reverse: true, limit: 3}, {span: s, since: middle.changed}} {
			got, known := x.shownPage(r)
			want, err := x.ask(r)
			if err != nil || !known || !slices.EqualFunc(got.pairs, want[0].pairs, func(a, b pair) bool {
				return a.place == b.place &&
					string(a.value) == string(b.value) && a.changed == b.changed && a.version == b.version
			}) || got.more != want[0].more {
				t.Errorf("%+v: %v, %v, want %v, %v", r, known, got, want, err)
			}
		}
	}
	for _, s := range []span{beginning("p/ann/"), {from: "f/", to: "n/about0"}, one("n/about/head").span} {
		if _, known := x.shownPage(read{span: s}); known {
			t.Errorf("%+v is not shown", s)
		}
	}
	y := all.begin(ctx, false)
	if y.learn(allShown, page{pairs: x.shown, more: true}); y.shown != nil {
		t.Error("the first page is taken for all")
	}
}

func openOnce(t *testing.T, cluster *storetest.Etcd) *Backend {
	t.Helper()
	b, err := Open(Config{Endpoints: cluster.Endpoints(), Ledger: "l", Once: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func inJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A handle that is taken, although it was guessed that it is free, is given to no second item.
func TestAGuessedHandleIsComparedAtTheCommit(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	b := open(t, cluster, "l")
	l := ledgerOn(t, b)
	memory := store.NewMemory()
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
		b.changed.Store(false) // as if the ledger had been opened with fleet.json
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

// A program that looks for an item in all agents' parts does not depend on those where it is not.
func TestAChangeDependsOnNoPartThatWasOnlyHinted(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	other := ledgerOn(t, open(t, cluster, "l"))
	id := create(t, other, "ann", "a")
	create(t, other, "bob", "b")
	b, err := Open(Config{Endpoints: cluster.Endpoints(), Ledger: "l", Once: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.View(ctx, func(x store.Txn) error { _, err := x.Get([]byte("about/state")); return err }); err != nil {
		t.Fatal(err)
	}
	tries := 0
	err = b.Update(ctx, func(x store.Txn) error {
		tries++
		var item, key []byte
		err := x.Scan(store.Prefix([]byte("item/"+id+"/")), func(k, value []byte) bool { key, item = k, value; return true })
		if tries == 1 {
			create(t, other, "bob", "c")
		}
		head := []byte("agent-head/ann")
		was, unread := x.Get(head)
		return errors.Join(err, unread, x.Put(head, was), x.Put(key, item))
	})
	if err != nil || tries != 1 {
		t.Errorf("%d tries, %v", tries, err)
	}
}
