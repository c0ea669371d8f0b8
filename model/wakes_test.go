package model

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// pending is an acknowledged trigger as the test follows it: the wait that has it, and whether a turn, a person or a
// receipt has reported it.
type pending struct {
	wait WaitID
	item ItemID
	told bool
}

// TestEveryAcknowledgedTriggerIsSeen: after any sequence of acts, with turns that end well, fail or break off, each
// trigger is on a wait that is offered for review, or a turn, a person or a receipt has reported it.
func TestEveryAcknowledgedTriggerIsSeen(t *testing.T) {
	slow(t)
	triggers, byTurn, byPerson, byReceipt, carried, standing := 0, 0, 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b, now := newBook(), time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)
		var all []*pending
		inTurn := map[*pending]bool{}
		said := false
		for i := range rapid.IntRange(10, 40).Draw(t, "commands") {
			now = now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 1, 40}).Draw(t, "seconds")) * time.Second)
			c, actor := someWake(t, b)
			before := b.agent("ann")
			ch, err := b.apply(Stamp{At: now, NewID: fmt.Sprintf("%03d", i), Actor: actor, Agent: "ann"}, c)
			if err != nil {
				continue
			}
			in := ch.Receipt
			if before.Turn != nil && b.agent("ann").Turn == nil || before.TurnIndex != b.agent("ann").TurnIndex && before.Turn != nil {
				end, ok := c.(EndTurn)
				if ok && (end.Outcome == TurnCompleted || said && end.Outcome != TurnInterrupted) {
					for p := range inTurn {
						byTurn += one(!p.told)
						p.told = true
					}
				}
				clear(inTurn)
			}
			for _, u := range in.Unseen {
				for _, p := range all {
					if p.wait == u.WaitID {
						byReceipt += one(!p.told)
						p.told = true
					}
				}
				carried += one(u.CarriedTo != "")
			}
			for p := range inTurn {
				if x, _ := b.Wait(p.wait); actor == AgentActor("ann") && x.Status != WaitActive { // the agent was told, and acted
					byTurn += one(!p.told)
					p.told = true
				}
			}
			switch c := c.(type) {
			case Trigger:
				for _, id := range in.TriggeredWaits {
					x, _ := b.Wait(id)
					all = append(all, &pending{wait: id, item: x.WorkItemID})
					triggers++
				}
			case PickWorkItem:
				for _, p := range all {
					if p.item == c.WorkItemID {
						byPerson += one(!p.told)
						p.told = true
					}
				}
			case ClaimTurn:
				said = false
				turn := b.agent("ann").Turn
				for _, p := range all {
					if x, _ := b.Wait(p.wait); x.Status == WaitActive && (p.item == turn.OfferedID || p.item == turn.WorkItemID) {
						inTurn[p] = true
					}
				}
			case Round:
				said = said || c.Turn != 0
			}
			for _, p := range all {
				x, _ := b.Wait(p.wait)
				row := RowOf(b.item(p.item), b.ItemWaits("ann", p.item), b.agent("ann").CurrentWorkItemID == p.item)
				stands := x.Status == WaitActive && x.Triggered() && row.Class == TriggeredBlocked
				if !p.told && !stands && !inTurn[p] {
					t.Fatalf("after %s by %s: the trigger of %s is on no wait, and nobody was told", CommandName(c), actor, p.wait)
				}
			}
		}
		for _, p := range all {
			standing += one(!p.told)
		}
	})
	t.Logf("%d triggers acknowledged: %d told to turns, %d to who picked, %d by receipts (%d carried to a new wait), %d stand for review",
		triggers, byTurn, byPerson, byReceipt, carried, standing)
	if byTurn == 0 || byPerson == 0 || byReceipt == 0 || carried == 0 || standing == 0 {
		t.Error("not every way of being seen was tried")
	}
}

// someWake draws an act that can affect a trigger.
func someWake(t *rapid.T, b *book) (Command, Actor) {
	ann, ids := AgentActor("ann"), []ItemID{}
	for _, w := range every[WorkItem](b) {
		ids = append(ids, w.ID)
	}
	if len(ids) < 2 {
		return CreateWorkItem{Objective: "One"}, ann
	}
	id := rapid.SampledFrom(ids).Draw(t, "item")
	text := func(name string, of ...Text) Text { return rapid.SampledFrom(of).Draw(t, name) }
	a := b.agent("ann")
	turn := 0
	if a.Turn != nil {
		turn = a.Turn.Index
	}
	who := rapid.SampledFrom([]Actor{ann, Operator}).Draw(t, "who")
	switch rapid.IntRange(0, 13).Draw(t, "kind") {
	case 0, 1, 2:
		return WaitFor{WorkItemID: id, Reason: "CI", Wake: WakeExternal, Resource: text("resource", "run/1", "run/2"),
			Source: text("source", "ci", "review", "")}, who
	case 3, 4, 5:
		return Trigger{WorkItemID: id, Source: "ci", Payload: "passed"}, "external:ci"
	case 6:
		return PickWorkItem{WorkItemID: id, Reason: "look", ClearBlocker: rapid.Bool().Draw(t, "clear")}, who
	case 7:
		return UpdateWorkItem{WorkItemID: id, BlockedBy: Clear()}, who
	case 8, 9:
		return Tick{AgentID: "ann"}, Scheduler
	case 10:
		key := ""
		if a.Offered != nil {
			key = a.Offered.Key
		}
		return ClaimTurn{AgentID: "ann", Holder: "drive", Tick: key}, Scheduler
	case 11:
		return Round{Text: "words", Turn: turn}, ann
	case 12:
		return EndTurn{AgentID: "ann", Turn: turn, Outcome: rapid.SampledFrom([]TurnOutcome{TurnCompleted, TurnFailed, TurnInterrupted,
			TurnTimedOut}).Draw(t, "outcome")}, Scheduler
	}
	return CompleteWorkItem{WorkItemID: id}, who
}

// one counts the true values.
func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
