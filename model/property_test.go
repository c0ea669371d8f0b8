package model

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// ref is a simple model of the lifecycle: the state of each item, its waits, and one focus. It has no rows, revisions,
// events or receipts.
type ref struct {
	items map[ItemID]*refItem
	focus map[AgentID]ItemID
}

type refItem struct {
	agent                     AgentID
	completed, blocked, input bool
	wait                      WaitKind
	triggered                 bool
	unseen                    bool // what triggered an external wait, not looked at yet
	report                    bool
}

func (r *ref) runnable(id ItemID) bool {
	x := r.items[id]
	return x != nil && !x.completed && !x.blocked && !x.input && x.wait == ""
}

// release removes the focus if it is id.
func (r *ref) release(id ItemID) {
	if r.focus[r.items[id].agent] == id {
		delete(r.focus, r.items[id].agent)
	}
}

func (x *refItem) unblock() { x.blocked, x.wait, x.triggered, x.unseen = false, "", false, false }

// do applies a command that Step accepted.
func (r *ref) do(at Stamp, c Command, got Receipt) {
	switch c := c.(type) {
	case CreateWorkItem:
		r.items[got.WorkItemID] = &refItem{agent: got.AgentID, input: c.PlanStatus == NeedsInput}
	case UpdateWorkItem:
		r.update(c)
	case PickWorkItem:
		if c.ClearBlocker {
			r.items[c.WorkItemID].unblock()
		}
		r.focus[got.AgentID], r.items[c.WorkItemID].unseen = c.WorkItemID, false
	case WaitFor:
		r.wait(at, c)
	case Trigger:
		x := r.items[c.WorkItemID]
		x.triggered, x.unseen = true, x.wait == WaitExternal
	case CompleteWorkItem:
		r.complete(c.WorkItemID)
	case Round:
		r.round(at, c)
	}
}

func (r *ref) update(c UpdateWorkItem) {
	x := r.items[c.WorkItemID]
	if c.PlanStatus != nil {
		if x.input = *c.PlanStatus == NeedsInput; x.input {
			r.release(c.WorkItemID)
		}
	}
	if c.BlockedBy.null {
		x.unblock()
	} else if c.BlockedBy.given {
		x.blocked = true
		r.release(c.WorkItemID)
	}
}

func (r *ref) wait(at Stamp, c WaitFor) {
	id := c.WorkItemID
	if id == "" {
		id = r.focus[at.Agent]
	}
	if x := r.items[id]; x != nil {
		kind := kindOfWake[c.Wake] // all have one resource: an external wait begins with the triggers that nobody has seen
		x.blocked, x.wait, x.triggered, x.unseen = true, kind, x.unseen && kind == WaitExternal, false
		r.release(id)
	}
}

func (r *ref) complete(id ItemID) {
	r.items[id].unblock()
	r.items[id].completed = true
	r.release(id)
}

func (r *ref) round(at Stamp, c Round) {
	var done []ItemID
	focused := false
	for _, call := range c.Calls {
		x := call.Command.(CompleteWorkItem)
		if !r.items[x.WorkItemID].completed {
			done = append(done, x.WorkItemID)
			focused = r.focus[at.Agent] == x.WorkItemID
		}
		r.complete(x.WorkItemID)
	}
	named, ok := r.items[c.WorkItemID]
	announces := LooksLikePreamble(c.Text)
	switch {
	case trimmed(c.Text) == "":
	case ok && named.completed: // an earlier report accepts any words
		named.report = named.report || !slices.Contains(done, c.WorkItemID) || !announces
	case !ok && len(done) == 1 && focused && !announces:
		r.items[done[0]].report = true
	}
}

// agrees compares all of ref with what the book derives.
func (r *ref) agrees(b *book) error {
	for id, x := range r.items {
		w, waits := b.item(id), b.ItemWaits(x.agent, id)
		got := refItem{agent: w.AgentID, completed: w.State == Completed, blocked: w.BlockedBy != "", input: w.PlanStatus == NeedsInput,
			report: w.ResultSummary != ""}
		if d := Derive(w, waits, false); d.Wait != nil {
			got.wait, got.triggered = d.Wait.Kind, !d.LastTriggeredAt.IsZero()
			got.unseen = d.Wait.Kind == WaitExternal && d.Wait.SeenCount < d.Wait.TriggerCount
		}
		if got != *x {
			return fmt.Errorf("%s is %+v, want %+v", id, got, *x)
		}
		if run := Derive(w, waits, false).Scheduling == Runnable; run != r.runnable(id) {
			return fmt.Errorf("%s runnable %v, want %v", id, run, r.runnable(id))
		}
	}
	for _, a := range every[Agent](b) {
		if a.CurrentWorkItemID != r.focus[a.ID] {
			return fmt.Errorf("focus of %s is %q, want %q", a.ID, a.CurrentWorkItemID, r.focus[a.ID])
		}
	}
	return nil
}

var someAgents = []AgentID{"ann", "bob"}

// someCommand draws a command on the existing items, also invalid ones.
func someCommand(t *rapid.T, b *book) Command {
	ids := []ItemID{"wi-none"}
	for _, w := range every[WorkItem](b) {
		ids = append(ids, w.ID)
	}
	slices.Sort(ids)
	id := rapid.SampledFrom(ids).Draw(t, "item")
	text := Text(rapid.SampledFrom([]string{"", "words", " ", "I will complete it."}).Draw(t, "text"))
	status := rapid.SampledFrom([]PlanStatus{Draft, Ready, NeedsInput, "odd"}).Draw(t, "status")
	done := func() Call { return Call{CompleteWorkItem{WorkItemID: rapid.SampledFrom(ids).Draw(t, "call")}} }
	switch rapid.IntRange(0, 10).Draw(t, "command") {
	case 0, 1:
		return CreateWorkItem{Objective: text, PlanStatus: status}
	case 2:
		return UpdateWorkItem{WorkItemID: id, PlanStatus: &status}
	case 3:
		return UpdateWorkItem{WorkItemID: id, BlockedBy: rapid.SampledFrom([]Clearable{Clear(), SetTo(text), {}}).Draw(t, "blocker")}
	case 4, 5:
		return PickWorkItem{WorkItemID: id, Reason: text, ClearBlocker: rapid.Bool().Draw(t, "clear")}
	case 6:
		wake := rapid.SampledFrom([]Wake{WakeOperatorInput, WakeExternal, WakeSystem, "odd"}).Draw(t, "wake")
		return WaitFor{WorkItemID: rapid.SampledFrom([]ItemID{"", id}).Draw(t, "on"), Reason: text, Wake: wake, Resource: "r"}
	case 7:
		return Trigger{WorkItemID: id, Payload: text}
	case 8:
		return CompleteWorkItem{WorkItemID: id}
	case 9:
		return Round{Text: text, WorkItemID: rapid.SampledFrom([]ItemID{"", id}).Draw(t, "names"), Calls: []Call{done()}}
	}
	return Round{Text: text, Calls: []Call{done(), done()}}
}

// TestStepAgreesWithTheReference runs random commands on both, and checks every change: Step gives the same result
// again, changes none of its input, increases revisions with each write, and keeps the invariants of the ledger.
func TestStepAgreesWithTheReference(t *testing.T) {
	slow(t)
	rapid.Check(t, func(t *rapid.T) {
		b, r := newBook(), &ref{items: map[ItemID]*refItem{}, focus: map[AgentID]ItemID{}}
		at := Stamp{At: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)}
		for i := range rapid.IntRange(1, 40).Draw(t, "commands") {
			at.At, at.NewID = at.At.Add(time.Second), fmt.Sprint(i)
			at.Agent = rapid.SampledFrom(someAgents).Draw(t, "agent")
			at.Actor = AgentActor(at.Agent)
			oneCommand(t, b, r, at, someCommand(t, b))
		}
	})
}

func oneCommand(t *rapid.T, b *book, r *ref, at Stamp, c Command) {
	before := fmt.Sprintf("%v", every[WorkItem](b))
	first, err := Step(b, at, c)
	again, err2 := Step(b, at, c)
	if !reflect.DeepEqual(first, again) || !reflect.DeepEqual(err, err2) {
		t.Fatalf("%s: judged twice, told twice differently", CommandName(c))
	}
	if after := fmt.Sprintf("%v", every[WorkItem](b)); after != before {
		t.Fatalf("%s: Step changed what it was given", CommandName(c))
	}
	if err != nil {
		if e, ok := err.(*Error); !ok || e.Code == "" || e.Message == "" {
			t.Fatalf("%s: refused without a code: %v", CommandName(c), err)
		}
		return
	}
	revisions := map[ItemID]uint64{}
	for _, w := range every[WorkItem](b) {
		revisions[w.ID] = w.Revision
	}
	if _, err := b.apply(at, c); err != nil {
		t.Fatal(err)
	}
	r.do(at, c, first.Receipt)
	if err := r.agrees(b); err != nil {
		t.Fatalf("after %s: %v", CommandName(c), err)
	}
	if broken := b.check(); broken != "" {
		t.Fatalf("after %s: %s", CommandName(c), broken)
	}
	for _, w := range first.Writes {
		if w, ok := w.(WorkItem); ok && w.Revision <= revisions[w.ID] {
			t.Fatalf("after %s: revision of %s went from %d to %d", CommandName(c), w.ID, revisions[w.ID], w.Revision)
		}
	}
}

// TestPagesAreTheWholeList reads every filter page by page and compares with one read.
func TestPagesAreTheWholeList(t *testing.T) {
	slow(t)
	rapid.Check(t, func(t *rapid.T) {
		b := newBook()
		at := Stamp{At: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC), Actor: AgentActor("ann"), Agent: "ann"}
		for i := range rapid.IntRange(1, 60).Draw(t, "commands") {
			at.NewID = fmt.Sprint(i)
			b.apply(at, someCommand(t, b)) // refusals are expected
		}
		for _, filter := range Filters {
			whole, err := ListItems(b, "ann", filter, nil, MaxLimit)
			if err != nil {
				t.Fatal(err)
			}
			if whole.Total != whole.Returned {
				t.Fatalf("%s: counts %d, lists %d", filter, whole.Total, whole.Returned)
			}
			var paged []Row
			for page, after := (itemPage{}), (*Row)(nil); ; after = page.Next {
				if page, err = ListItems(b, "ann", filter, after, 2); err != nil {
					t.Fatal(err)
				}
				if paged = append(paged, page.Rows...); page.Next == nil {
					break
				}
			}
			if !reflect.DeepEqual(whole.Rows, paged) {
				t.Fatalf("%s: %d rows at once, %d by pages", filter, len(whole.Rows), len(paged))
			}
		}
	})
}

// slow leaves a test out of go test -short, as storetest.Slow does for the packages above this one.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("slow")
	}
}
