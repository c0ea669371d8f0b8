package model

import (
	"strings"
	"testing"
	"time"
)

// The state of an answer is the state of its message: a turn took it, the turn ended, or it waits again because the
// turn broke off before any output.
func TestAReplyIsToldToBeAsFarAsItsMessage(t *testing.T) {
	b := newBook()
	n := 0
	do := func(c Command) Receipt {
		t.Helper()
		n++
		ch, err := b.apply(Stamp{At: time.Unix(int64(n), 0), NewID: "0" + string(rune('a'+n)), Actor: Operator, Agent: "a"}, c)
		if err != nil {
			t.Fatal(err)
		}
		return ch.Receipt
	}
	id := do(CreateWorkItem{Objective: "Pick a cache"}).WorkItemID
	do(WaitFor{WorkItemID: id, Wake: WakeOperatorInput, Reason: "a choice", Question: "LRU or LFU?", Choices: []Text{"LRU", "LFU"}})
	view := func() View { return ViewOf(b, b.item(id)) }
	if q, ok := view().Question(); !ok || q.Ask.Question != "LRU or LFU?" || q.PlanNeedsInput || q.WaitID == "" {
		t.Errorf("the question is %+v %v", q, ok)
	}
	do(Answer{WorkItemID: id, Text: "LFU"})
	if q, ok := view().Question(); ok {
		t.Errorf("after its answer it still asks %+v", q)
	}
	row := RowOf(b.item(id), b.ItemWaits("a", id), false)
	if why := NotOffered(row, "Answer"); !strings.Contains(why, "has its answer") {
		t.Errorf("answering again is off because %q", why)
	}
	for _, step := range []struct {
		then Command
		want MessageStatus
		turn int
	}{
		{nil, MessageQueued, 0},
		{ClaimTurn{AgentID: "a", Holder: "h"}, MessageSent, 1},
		{EndTurn{AgentID: "a", Turn: 1, Outcome: TurnInterrupted}, MessageQueued, 1},
		{ClaimTurn{AgentID: "a", Holder: "h"}, MessageSent, 2},
		{EndTurn{AgentID: "a", Turn: 2, Outcome: TurnCompleted}, MessageDone, 2},
	} {
		if step.then != nil {
			do(step.then)
		}
		got := view().Replies
		if len(got) != 1 || got[0].Text != "LFU" || got[0].Delivery != step.want || got[0].TurnIndex != step.turn {
			t.Errorf("after %T: %+v, want %s in turn %d", step.then, got, step.want, step.turn)
		}
	}
}
