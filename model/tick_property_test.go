package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// After any history: a tick that is repeated without a change between changes nothing; the count of queued messages is
// right; no due time is missed; and only a turn, a stop or a pause prevents the offer of a candidate.
func TestTicksSettle(t *testing.T) {
	slow(t)
	rapid.Check(t, func(t *rapid.T) {
		w := &tickWorld{t: t, book: newBook(), now: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)}
		w.do(Operator, AddAgent{AgentID: "ann"})
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			w.step()
			w.settle()
			w.check()
		}
	})
}

type tickWorld struct {
	t    *rapid.T
	book *book
	now  time.Time
	ids  int
}

// do applies a command; this test ignores refusals by rules.
func (w *tickWorld) do(by Actor, c Command) (Change, bool) {
	w.ids++
	ch, err := w.book.apply(Stamp{At: w.now, NewID: fmt.Sprint(w.ids), Actor: by, Agent: "ann"}, c)
	return ch, err == nil
}

func (w *tickWorld) step() {
	w.now = w.now.Add(rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute, time.Hour}).Draw(w.t, "later"))
	item := ItemID("wi-none")
	if ids := every[WorkItem](w.book); len(ids) > 0 {
		item = rapid.SampledFrom(ids).Draw(w.t, "item").ID
	}
	minute, a := int64(60_000), w.book.agent("ann")
	stopped := rapid.SampledFrom([]Posture{Awake, asleep, Stopped}).Draw(w.t, "posture")
	turn, tick := 0, ""
	if a.Turn != nil {
		turn = a.Turn.Index
	}
	if a.Offered != nil {
		tick = a.Offered.Key
	}
	w.do(Operator, rapid.SampledFrom([]Command{
		CreateWorkItem{Objective: "One"}, PickWorkItem{WorkItemID: item, Reason: "r"}, CompleteWorkItem{WorkItemID: item},
		PickWorkItem{WorkItemID: item, Reason: "r", ClearBlocker: true},
		UpdateWorkItem{WorkItemID: item, BlockedBy: SetTo("x"), RecheckAfterMS: &minute},
		WaitFor{WorkItemID: item, Reason: "r", Wake: WakeTimer, WakeAt: w.now.Add(time.Minute)},
		WaitFor{WorkItemID: item, Reason: "r", Wake: WakeSystem}, WaitFor{Reason: "r", Wake: WakeTimer, WakeAt: w.now.Add(time.Minute)},
		WaitFor{WorkItemID: item, Reason: "r", Wake: WakeExternal, Resource: "x", Deliver: DeliverEnqueueMessage},
		Trigger{WorkItemID: item}, Say{AgentID: "ann", Text: "hello"}, UpdateAgent{AgentID: "ann", Posture: &stopped},
		ClaimTurn{AgentID: "ann", Holder: "h", Tick: tick}, EndTurn{AgentID: "ann", Turn: turn, Outcome: TurnCompleted},
		EndTurn{AgentID: "ann", Turn: turn, Outcome: TurnFailed}, BeatTurn{AgentID: "ann", Turn: turn},
	}).Draw(w.t, "command"))
}

// settle ticks until nothing changes, which must be soon.
func (w *tickWorld) settle() {
	for range 5 {
		ch, ok := w.do(Scheduler, Tick{AgentID: "ann"})
		if !ok {
			w.t.Fatal("a tick was refused")
		}
		if ch.Empty() {
			return
		}
		for _, e := range ch.Events {
			if e.Kind == EventRecheckConsumed && !slices.Contains(w.book.agent("ann").DueRechecks, e.WorkItemID) {
				w.t.Fatalf("the second look at %s is consumed, and no turn will be told of it", e.WorkItemID)
			}
		}
	}
	w.t.Fatal("five ticks at one instant changed something each")
}

func (w *tickWorld) check() {
	a := w.book.agent("ann")
	if n := len(w.book.QueuedMessages("ann", 1000)); n != a.QueuedInput {
		w.t.Fatalf("%d messages are queued, the agent counts %d", n, a.QueuedInput)
	}
	if due := w.book.Due("ann", w.now, 1); len(due) > 0 {
		w.t.Fatalf("due and left behind: %+v", due[0])
	}
	if broken := w.book.check(); broken != "" {
		w.t.Fatal(broken)
	}
	d := Decide(w.book, "ann", w.now)
	if d.Kind == DecideEmitTick {
		w.t.Fatalf("settled, and still to be offered: %+v", d)
	}
	if next := NextPass(w.book, "ann", d); !next.IsZero() && !next.After(w.now) {
		w.t.Fatalf("settled, and the next look is at once: %v", next)
	}
}
