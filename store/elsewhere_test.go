package store_test

import (
	"context"
	"reflect"
	"testing"

	"vise/model"
	"vise/store"
)

// A ledger elsewhere, of which the records are known, is read as it is read there. What is gone is in no list.
func TestWhatIsKnownOfALedgerElsewhereIsReadAsThere(t *testing.T) {
	l := store.NewMem(nil)
	apply := func(key string, c model.Command) model.Receipt {
		t.Helper()
		return apply(t, l, asAgent("ada", key, c))
	}
	open := apply("a", model.CreateWorkItem{Objective: "open"}).WorkItemID
	waiting := apply("b", model.CreateWorkItem{Objective: "waits"}).WorkItemID
	apply("c", model.WaitFor{WorkItemID: waiting, Reason: "a word", Wake: model.WakeOperatorInput, Question: "Which?"})
	done := apply("d", model.CreateWorkItem{Objective: "done"}).WorkItemID
	apply("e", model.CompleteWorkItem{WorkItemID: done})
	var records []model.Record
	type shown struct {
		Rows   map[model.Class][]model.Row
		Inbox  map[model.Need][]model.Inboxed
		Counts map[model.Class]int
	}
	look := func(r model.Reader) shown {
		out := shown{map[model.Class][]model.Row{}, map[model.Need][]model.Inboxed{}, map[model.Class]int{}}
		for _, c := range model.Classes {
			out.Rows[c], out.Counts[c] = r.Rows("ada", c, nil, 10), r.Count("ada", model.ClassTally(c))
		}
		for _, n := range model.Needs {
			r.Inbox(n, func(x model.Inboxed) bool { out.Inbox[n] = append(out.Inbox[n], x); return true })
		}
		return out
	}
	var want shown
	must(l.View(context.Background(), func(r model.Reader) error {
		want = look(r)
		for _, a := range r.Agents("", 10) {
			records = append(records, a)
		}
		for _, id := range []model.ItemID{open, waiting, done} {
			w, _ := r.Item(id)
			records = append(records, w)
			for _, x := range r.Waits("ada", id, 10) {
				records = append(records, x)
			}
		}
		return nil
	}))
	known, err := store.NothingElsewhere().With(records, nil)
	must(err)
	if got := look(known.Reader()); known.Records != len(records) || !reflect.DeepEqual(got, want) {
		t.Errorf("%d records read as %+v\nwant %+v", known.Records, got, want)
	}
	left, err := known.With(nil, []model.RecordName{{Kind: model.KindItem, Key: string(waiting)}})
	must(err)
	got := look(left.Reader())
	if left.Records != len(records)-1 || len(got.Inbox[model.NeedAnswer]) > 0 || len(got.Rows[model.QueuedRunnable]) == 0 {
		t.Errorf("without one item: %d records, %+v", left.Records, got)
	}
	for c, rows := range got.Rows {
		if n := got.Counts[c]; n != len(rows) {
			t.Errorf("%d are counted as %s, and %d listed", n, c, len(rows))
		}
	}
	if again := look(known.Reader()); !reflect.DeepEqual(again, want) {
		t.Error("what was known before has changed")
	}
}
