package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/etcd"
	"vise/store/kv"
	"vise/store/storetest"
)

func resolve(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	ids := []string{"01aaaa0000000000000000000a", "01aaab0000000000000000000b", "02cccc0000000000000000000c"}
	for i, id := range ids {
		l.NewID = func() string { return id }
		create(t, l, "ada", fmt.Sprint("k", i))
	}
	var handle model.Handle
	look(t, l, func(r model.Reader) {
		w, _ := r.Item("wi-" + model.ItemID(ids[2]))
		handle = w.Handle
	})
	for _, c := range []struct {
		ref  string
		want string
		code model.Code
	}{
		{"wi-" + ids[0], ids[0], ""},
		{ids[0], ids[0], ""},
		{"01aaaa", ids[0], ""},
		{"wi-01aaab", ids[1], ""},
		{" WI-02" + ids[2][2:3] + " ", ids[2], ""},
		{"wi-02", "", model.CodeAmbiguous}, // too short
		{string(handle), ids[2], ""},
		{string(handle[3:]), ids[2], ""},
		{"01aaa", "", model.CodeAmbiguous},
		{"zzzz", "", model.CodeNotFound},
		{"", "", model.CodeInvalid},
		{"wi-", "", model.CodeInvalid},
	} {
		got, err := l.Resolve(ctx, c.ref)
		if c.code == "" && (err != nil || got != "wi-"+model.ItemID(c.want)) || code(err) != c.code {
			t.Errorf("%q: got %s, %v", c.ref, got, err)
		}
		if e := (*model.Error)(nil); errors.As(err, &e) && c.ref == "01aaa" && len(e.Candidates) != 2 {
			t.Errorf("%q: candidates %v", c.ref, e.Candidates)
		}
	}
}

func namesThePerson(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	who := "ann"
	l.Person = func() model.Text { return model.Text(who) }
	id := create(t, l, "ada", "k1")
	apply(t, l, asAgent("ada", "k2", model.WaitFor{WorkItemID: id, Wake: model.WakeOperatorInput, Reason: "x", Question: "LRU?"}))
	byOperator := func(key string, c model.Command) {
		apply(t, l, model.Envelope{Key: key, Actor: model.Operator, Agent: "ada", Command: c})
	}
	byOperator("k3", model.Answer{WorkItemID: id, Text: "LRU"})
	who = "ben"
	byOperator("k3", model.Answer{WorkItemID: id, Text: "LRU"}) // a retry has the same author
	byOperator("k4", model.CompleteWorkItem{WorkItemID: id})
	byOperator("k5", model.ReportWorkItem{WorkItemID: id, Text: "Done."})
	look(t, l, func(r model.Reader) {
		named := map[model.EventKind]model.Text{}
		for _, e := range r.History("ada", model.Position{}, 100) {
			if named[e.Kind] += e.Person; (e.Actor == model.Operator) != (e.Person != "") {
				t.Errorf("%s by %s names %q", e.Kind, e.Actor, e.Person)
			}
		}
		w, _ := r.Item(id)
		v := model.ViewOf(r, w)
		trigger := r.Waits("ada", id, 1)[0].LastTrigger
		if named[model.EventOperatorAnswered] != "ann" || named[model.EventReportPromoted] != "ben" ||
			v.Replies[0].Person != "ann" || trigger.Person != "ann" || v.Report.Person != "ben" {
			t.Errorf("events %v, reply %+v, trigger %+v, report %+v", named, v.Replies, trigger, v.Report)
		}
	})
	sound(t, l)
}

func historyPages(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	x := NewLife(1)
	x.Attach(l)
	x.Live(t, l, 120)
	look(t, l, func(r model.Reader) {
		for _, agent := range []model.AgentID{"", "ada"} {
			var forwards, backwards []model.Position
			at := model.Position{}
			for page := r.History(agent, at, 7); len(page) > 0; page = r.History(agent, at, 7) {
				for _, e := range page {
					at = e.Position()
					forwards = append(forwards, at)
					if agent != "" && e.AgentID != agent {
						t.Errorf("%s's history has %+v", agent, e)
					}
				}
			}
			at = model.Position{}
			for page := r.HistoryBefore(agent, at, 7); len(page) > 0; page = r.HistoryBefore(agent, at, 7) {
				for _, e := range page {
					at = e.Position()
					backwards = append(backwards, at)
				}
			}
			slices.Reverse(backwards)
			if len(forwards) < 20 || !slices.Equal(forwards, backwards) {
				t.Errorf("%q: %d forwards, %d backwards", agent, len(forwards), len(backwards))
			}
		}
	})
}

func news(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	l.Person = func() model.Text { return "ann" }
	x := NewLife(storetest.Seed(t))
	x.Attach(l)
	knows := map[model.AgentID]model.News{}
	look(t, l, func(r model.Reader) { knows[""], knows["ada"] = model.NewsFrom(r, ""), model.NewsFrom(r, "ada") })
	told := map[model.AgentID][]model.Entry{}
	all, some, want := 0, 0, 1
	_, counts := b.(*etcd.Backend) // it reads heads, however many changes there were, and does not tell those without events apart
	if counts {
		want = 0
	}
	for _, commands := range []int{1, 0, 2, 5, 30, 800, 1} {
		since := revision(t, l)
		x.Live(t, l, commands)
		look(t, l, func(r model.Reader) {
			of := map[model.AgentID]bool{}
			for _, e := range r.History("", model.AfterRevision(since), 10_000) {
				of[e.AgentID] = true
			}
			changed, whole := r.Changed(since)
			missing := maps.Clone(of)
			maps.DeleteFunc(missing, func(a model.AgentID, _ bool) bool { return changed[a] })
			if whole && (len(missing) > 0 || !counts && len(changed) != len(of)) {
				t.Errorf("after %d commands %v are said to be changed, and %v are", commands, changed, of)
			}
			if all++; !whole {
				some++
			}
		})
		for agent, n := range knows {
			for whole := false; !whole; {
				look(t, l, func(r model.Reader) {
					var list []model.Entry
					list, n, whole = n.Next(r, 7)
					told[agent] = append(told[agent], list...)
				})
			}
			knows[agent] = n
		}
	}
	look(t, l, func(r model.Reader) {
		for agent := range knows {
			if want := r.History(agent, model.Position{}, 10_000); len(want) < 20 || !reflect.DeepEqual(told[agent], want) {
				t.Errorf("%q: %d events were news, the history has %d", agent, len(told[agent]), len(want))
			}
		}
	})
	if some != want {
		t.Errorf("of %d looks %d told that there were more changes", all, some)
	}
}

func life(t *testing.T, b store.Backend) {
	commands := storetest.Amount(2000, 20_000)
	l := on(t, b, nil)
	x := NewLife(storetest.Seed(t))
	x.Attach(l)
	if n := x.Live(t, l, commands); n < commands/3 {
		t.Errorf("only %d of %d commands were accepted", n, commands)
	}
	sound(t, l)

	again := kv.NewMemory()
	if err := l.Replay(ctx, again); err != nil {
		t.Fatal(err)
	}
	if diff := firstDifference(t, b, again); diff != "" {
		t.Error(diff)
	}
}

// firstDifference compares what is in two ledgers, byte for byte.
func firstDifference(t testing.TB, a, b store.Backend) string {
	t.Helper()
	_, counts := a.(*etcd.Backend)
	for _, table := range store.Tables {
		if counts && table == "about/" {
			continue // the revision counts more than this ledger's changes
		}
		x, y := pairs(t, a, table), pairs(t, b, table)
		for i := range max(len(x), len(y)) {
			switch {
			case i >= len(x) || i >= len(y):
				return fmt.Sprintf("%s has %d and %d rows", table, len(x), len(y))
			case !bytes.Equal(x[i][0], y[i][0]) || !bytes.Equal(x[i][1], y[i][1]):
				return fmt.Sprintf("%q = %q, and %q = %q", x[i][0], x[i][1], y[i][0], y[i][1])
			}
		}
	}
	return ""
}

func pairs(t testing.TB, b store.Backend, table string) (all [][2][]byte) {
	t.Helper()
	err := b.View(ctx, func(txn store.Txn) error {
		return txn.Scan(store.Prefix([]byte(table)), func(k, v []byte) bool {
			all = append(all, [2][]byte{bytes.Clone(k), bytes.Clone(v)})
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rebuild damages what is derived in every way and repairs it.
func rebuild(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	x := NewLife(4) // a random life that leaves something in every table
	x.Attach(l)
	x.Live(t, l, 300)
	before := kv.NewMemory()
	if err := l.Replay(ctx, before); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"index/", "due/", "handle/", "waits/", "resource/", "running/", "delegated/", "serves/", "trail/", "log/", "agent-head/", "key/"} {
		rows := pairs(t, b, table)
		if len(rows) == 0 {
			t.Fatalf("the life left nothing in %s", table)
		}
		first, last := rows[0], rows[len(rows)-1]
		changeKeys(t, b, func(txn store.Txn) error {
			return errors.Join(txn.Delete(first[0]), txn.Put(last[0], append([]byte("x"), last[1]...)))
		})
		h, err := l.Check(ctx)
		if err != nil || h.Found == 0 {
			t.Errorf("%s: spoilt, and the check found %d: %v", table, h.Found, err)
		}
		if _, err := l.Rebuild(ctx); err != nil {
			t.Errorf("%s: %v", table, err)
		}
		if diff := firstDifference(t, b, before); diff != "" {
			t.Fatalf("%s: after the rebuild %s", table, diff)
		}
	}
	for _, stray := range []string{"index/ada/queued_runnable/0000000000000000wi-stray", "trail/ada/wi-stray/01234567", "waits/ada", "due/ada/x"} {
		changeKeys(t, b, func(txn store.Txn) error { return txn.Put([]byte(stray), nil) })
	}
	if _, err := l.Rebuild(ctx); err != nil {
		t.Fatal(err)
	}
	sound(t, l)
}

func readCopy(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	create(t, l, "ada", "k1")
	err := l.ReadCopy(ctx, func(z *store.Ledger) error {
		create(t, l, "ada", "k2")
		if n := revision(t, z); n != 1 {
			t.Errorf("revision %d", n)
		}
		_, err := z.Apply(ctx, asAgent("ada", "k3", model.CreateWorkItem{Objective: "x"}))
		if err == nil && revision(t, l) != 2 {
			t.Error("a write to the copy reached the live one")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func changeKeys(t testing.TB, b store.Backend, fn func(store.Txn) error) {
	t.Helper()
	if err := b.Update(ctx, func(txn store.Txn) error { return fn(headedTxn{txn}) }); err != nil {
		t.Fatal(err)
	}
}
