package store_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// A reader is told about contradictions within a ledger, and the rest is answered.
func namesDamage(t *testing.T, b store.Backend) {
	l := on(t, b, nil)
	lost := create(t, l, "ada", "lost")
	kept := create(t, l, "ada", "kept")
	done := create(t, l, "ada", "done")
	apply(t, l, asAgent("ada", "pick", model.PickWorkItem{WorkItemID: done}))
	apply(t, l, asAgent("ada", "round", model.Round{Text: "it is done", Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: done}}}}))
	create(t, l, "bob", "other")
	without := func(beginning, part string) func(store.Txn) error {
		return func(txn store.Txn) error {
			var keys [][]byte
			err := txn.Scan(store.Prefix([]byte(beginning)), func(key, _ []byte) bool {
				if bytes.Contains(key, []byte(part)) {
					keys = append(keys, bytes.Clone(key))
				}
				return true
			})
			if len(keys) == 0 {
				t.Errorf("nothing lies below %s", beginning)
			}
			for _, key := range keys {
				must(txn.Delete(key))
			}
			return err
		}
	}
	flip := func(beginning string) func(store.Txn) error {
		return func(txn store.Txn) error {
			var key, value []byte
			err := txn.Scan(store.Prefix([]byte(beginning)), func(k, v []byte) bool {
				key, value = bytes.Clone(k), bytes.Clone(v)
				return false
			})
			value[len(value)/2] ^= 1
			must(txn.Put(key, value))
			return err
		}
	}
	rows := func(r model.Reader) []model.Row { return r.Rows("ada", model.QueuedRunnable, nil, 10) }
	change := func(revision byte) string { return string([]byte{0, 0, 0, 0, 0, 0, 0, revision}) }
	for _, c := range []struct {
		name  string
		spoil func(store.Txn) error
		says  string
		rest  func(model.Reader) bool
	}{
		{"a row without its record", without("item/"+string(lost), ""), "its record is missing",
			func(r model.Reader) bool { got := rows(r); return len(got) == 1 && got[0].ID == kept }},
		{"a record without its row", without("index/ada/"+string(model.QueuedRunnable), string(lost)), "2 work items of agent ada are counted as",
			func(r model.Reader) bool { return len(rows(r)) == 1 }},
		{"a row that does not read", flip("index/ada/" + string(model.QueuedRunnable)), "does not match its checksum",
			func(r model.Reader) bool { return len(rows(r)) == 1 }},
		{"a record that does not read", flip("item/" + string(lost)), "does not match its checksum",
			func(r model.Reader) bool { return len(rows(r)) == 1 }},
		{"an agent that does not read", flip("agent/ada"), "does not match its checksum",
			func(r model.Reader) bool { got := r.Agents("", 1); return len(got) == 1 && got[0].ID == "bob" }},
		{"a report without whose words it is", without("brief/", ""), "whose words",
			func(r model.Reader) bool {
				w, _ := r.Item(done)
				v := model.ViewOf(r, w)
				return v.ID == done && v.Report != nil
			}},
		{"events in the middle", without("journal/", change(2)), "of agent ada are missing",
			func(r model.Reader) bool { return len(r.HistoryBefore("", model.Position{}, 100)) > 5 }},
		{"the oldest events", without("journal/", change(1)), "of agent ada are missing",
			func(r model.Reader) bool { return len(r.HistoryBefore("", model.Position{}, 100)) > 5 }},
		{"an agent's events, in the middle", without("log/ada/", change(2)), "of agent ada are missing",
			func(r model.Reader) bool { return len(r.HistoryBefore("ada", model.Position{}, 100)) > 4 }},
		{"an agent's events, read forwards", without("log/ada/", change(1)), "of agent ada are missing",
			func(r model.Reader) bool { return len(r.History("ada", model.Position{}, 100)) > 4 }},
		{"the last commit", without("journal/", change(6)), "the last change of the history is not revision 6",
			func(r model.Reader) bool { return len(rows(r)) == 2 }},
		{"a commit past the head", func(txn store.Txn) error {
			return txn.Put([]byte("journal/"+change(7)+"/ada"), []byte("not counted"))
		}, "goes on past revision 6", func(r model.Reader) bool { return len(rows(r)) == 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			spoilt := copyOf(t, b)
			must(spoilt.Update(ctx, c.spoil))
			z := on(t, spoilt, nil)
			look(t, z, func(r model.Reader) {
				if !c.rest(r) {
					t.Error("the rest is not answered")
				}
			})
			if got := z.Damage(); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, c.says) }) {
				t.Errorf("named is %q", got)
			}
		})
	}
	look(t, l, func(r model.Reader) {
		rows(r)
		r.Rows("ada", model.CompletedRecent, nil, 1)
		for n := range 12 {
			r.HistoryBefore("", model.Position{}, n)
			r.HistoryBefore("ada", model.Position{}, n)
			for revision := range uint64(8) {
				at := model.Position{Revision: revision, N: n}
				r.HistoryBefore("", at, n)
				r.History("", at, 12-n)
				r.History("bob", at, n)
			}
		}
	})
	if got := l.Damage(); len(got) > 0 {
		t.Errorf("of a sound ledger it says %q", got)
	}
	if err := l.View(ctx, func(r model.Reader) error { _, err := model.DetailOf(r, "wi-none", model.Stamp{}); return err }); code(err) != model.CodeNotFound {
		t.Errorf("what is not there: %v", err)
	}
}

// copyOf returns a backend in memory with the same keys.
func copyOf(t *testing.T, b store.Backend) store.Backend {
	to := kv.NewMemory()
	must(b.View(ctx, func(from store.Txn) error {
		return to.Update(ctx, func(txn store.Txn) (err error) {
			for _, table := range store.Tables {
				must(from.Scan(store.Prefix([]byte(table)), func(key, value []byte) bool {
					err = txn.Put(bytes.Clone(key), bytes.Clone(value))
					return err == nil
				}))
			}
			return err
		})
	}))
	return to
}
