package model

import (
	"errors"
	"testing"
	"time"
)

// Step refuses everything that a frontend does not offer, or it would change nothing.
func TestWhatIsNotOfferedIsRefused(t *testing.T) {
	b := newBook()
	at := func(n int) Stamp {
		return Stamp{At: time.Unix(int64(n), 0), NewID: "0" + string(rune('a'+n)), Actor: Operator, Agent: "a"}
	}
	n := 0
	do := func(c Command) Receipt {
		t.Helper()
		n++
		ch, err := b.apply(at(n), c)
		if err != nil {
			t.Fatal(err)
		}
		return ch.Receipt
	}
	items := map[string]ItemID{}
	for _, name := range []string{"open", "current", "done", "reported", "waits", "asks", "unsure"} {
		items[name] = do(CreateWorkItem{Objective: Text(name)}).WorkItemID
	}
	do(CompleteWorkItem{WorkItemID: items["done"]})
	do(CompleteWorkItem{WorkItemID: items["reported"]})
	do(ReportWorkItem{WorkItemID: items["reported"], Text: "all well"})
	do(WaitFor{WorkItemID: items["waits"], Wake: WakeExternal, Resource: "run", Reason: "CI"})
	do(WaitFor{WorkItemID: items["asks"], Wake: WakeOperatorInput, Reason: "a word"})
	unsure := NeedsInput
	do(UpdateWorkItem{WorkItemID: items["unsure"], PlanStatus: &unsure})
	do(PickWorkItem{WorkItemID: items["current"]})
	for name, id := range items {
		w := b.item(id)
		row := RowOf(w, b.ItemWaits("a", id), b.agent("a").CurrentWorkItemID == id)
		objective := Text("changed")
		for _, c := range []Command{
			UpdateWorkItem{WorkItemID: id, Objective: &objective}, WaitFor{WorkItemID: id, Wake: WakeExternal, Resource: "run",
				Reason: "x"},
			Trigger{WorkItemID: id}, ReportWorkItem{WorkItemID: id, Text: "more"}, PickWorkItem{WorkItemID: id},
			Answer{WorkItemID: id, Text: "yes"},
		} {
			ch, err := Step(b, at(n+1), c)
			var refused *Error
			vain := errors.As(err, &refused) || ch.Empty() || CommandName(c) == "PickWorkItem" && name == "current"
			if why := NotOffered(row, CommandName(c)); (why != "") != vain {
				t.Errorf("%s of %s: not offered because %q, Step says %v", CommandName(c), name, why, err)
			}
		}
	}
}

func TestAPickIsForetold(t *testing.T) {
	current := Row{ID: "c", Class: CurrentRunnable, Scheduling: Runnable, IsCurrent: true}
	inspected := Row{ID: "i", Class: BlockedClass, Scheduling: blocked, IsCurrent: true}
	queued := Row{ID: "q", Class: QueuedRunnable, Scheduling: Runnable}
	blocked := Row{ID: "b", Class: BlockedClass, Scheduling: blocked}
	for _, c := range []struct {
		name           string
		from           *Row
		target         Row
		reason, review bool
	}{
		{"no focus", nil, queued, false, false},
		{"leaving runnable work", &current, queued, true, false},
		{"to a blocked item", &current, blocked, true, true},
		{"from an inspected item", &inspected, queued, false, false},
		{"the same again", &current, current, false, false},
	} {
		if o := (Desk{Current: c.from}).PickOutlook(c.target); o.AsksReason != c.reason || o.ReviewOnly != c.review {
			t.Errorf("%s: got %+v", c.name, o)
		}
	}
}

func TestTheNextCandidateLeavesTheItemOut(t *testing.T) {
	cur := &Row{ID: "cur", Class: CurrentRunnable}
	d := Desk{Current: cur, Sections: []Section{
		{Class: QueuedRunnable, Rows: []Row{{ID: "q1"}, {ID: "q2"}}}, {Class: TriggeredBlocked, Rows: []Row{{ID: "t1"}}},
		{Class: BlockedClass, Rows: []Row{{ID: "b1"}}},
	}}
	for without, want := range map[ItemID]ItemID{"other": "cur", "cur": "t1"} {
		if r, _ := d.NextWithout(without); r.ID != want {
			t.Errorf("without %s: got %s, want %s", without, r.ID, want)
		}
	}
	d.Current = nil
	d.Sections = d.Sections[:1]
	if r, _ := d.NextWithout("q1"); r.ID != "q2" {
		t.Errorf("got %s, want q2", r.ID)
	}
	if r, ok := (Desk{}).NextWithout("x"); ok {
		t.Errorf("an empty desk offers %s", r.ID)
	}
}
