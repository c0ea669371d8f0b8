package model

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestAStoryAddsUp compares the stories of all items, after random commands, with the derived states after each
// command, and checks their bounds.
func TestAStoryAddsUp(t *testing.T) {
	slow(t)
	rapid.Check(t, func(t *rapid.T) {
		b := newBook()
		want := map[ItemID]Spent{}
		var undo *Undo
		at := Stamp{At: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)}
		for i := range rapid.IntRange(1, 40).Draw(t, "commands") {
			passed := time.Duration(rapid.IntRange(0, 3600).Draw(t, "passed")) * 1700 * time.Millisecond
			for _, w := range every[WorkItem](b) {
				want[w.ID] = want[w.ID].plus(spending(b, w, passed))
			}
			at.At, at.NewID = at.At.Add(passed), fmt.Sprint(i)
			at.Agent = rapid.SampledFrom(someAgents).Draw(t, "agent")
			at.Actor = AgentActor(at.Agent)
			if rapid.Bool().Draw(t, "by the operator") {
				at.Actor = Operator
			}
			ch, _ := b.apply(at, commandOfAStory(t, b, undo)) // refusals are expected
			undo = ch.Receipt.Inverse
		}
		for _, w := range every[WorkItem](b) {
			checkStory(t, StoryOf(b, w, at.At), w, want[w.ID])
		}
	})
}

// commandOfAStory draws a command of any kind that changes an item's state; undo, if not nil, undoes the previous one.
func commandOfAStory(t *rapid.T, b *book, undo *Undo) Command {
	if undo != nil && rapid.IntRange(0, 4).Draw(t, "undo") == 0 {
		undo.What = "that"
		return *undo
	}
	all := every[WorkItem](b)
	if len(all) == 0 || rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
		return someCommand(t, b)
	}
	w := rapid.SampledFrom(all).Draw(t, "work item")
	switch rapid.IntRange(0, 2).Draw(t, "other") {
	case 0:
		return Answer{WorkItemID: w.ID, Text: "yes", PlanReady: rapid.Bool().Draw(t, "ready")}
	case 1:
		for _, x := range b.ItemWaits(w.AgentID, w.ID) {
			return CancelWait{WaitID: x.ID}
		}
	}
	return RefreshPlan{WorkItemID: w.ID, Plan: PlanArtifact{Hash: fmt.Sprint(b.revision), Condition: PlanOK}}
}

// spending is the part of the story to which the time in an item's state belongs.
func spending(b *book, w WorkItem, passed time.Duration) Spent {
	d := Derive(w, b.ItemWaits(w.AgentID, w.ID), b.agent(w.AgentID).CurrentWorkItemID == w.ID)
	switch ms := passed.Milliseconds(); {
	case w.State == Completed:
		return Spent{}
	case d.NeedsOperator:
		return Spent{YouMS: ms}
	case d.IsCurrent && d.Scheduling == Runnable:
		return Spent{WorkedMS: ms}
	default:
		return Spent{OthersMS: ms}
	}
}

func checkStory(t *rapid.T, s Story, w WorkItem, want Spent) {
	sum := Spent{}
	for _, x := range s.Lines {
		sum = sum.plus(x.Spent)
	}
	if s.Spent != want || sum != want {
		t.Fatalf("%s: %+v, its lines %+v, want %+v", w.ID, s.Spent, sum, want)
	}
	if len(s.Lines) == 0 || len(s.Lines) > storyLines || s.Lines[0].Kind != StoryAsked || s.Done != (w.State == Completed) {
		t.Fatalf("%s: %d lines, completed %v", w.ID, len(s.Lines), s.Done)
	}
	if !slices.IsSortedFunc(s.Lines, func(a, b StoryLine) int { return a.At.Compare(b.At) }) {
		t.Fatalf("%s: lines out of order", w.ID)
	}
}

func TestALongStoryIsFoldedInTheMiddle(t *testing.T) {
	b := newBook()
	at := Stamp{At: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC), Actor: Operator, Agent: "ann"}
	do := func(c Command) {
		t.Helper()
		at.NewID = fmt.Sprint(b.revision)
		if _, err := b.apply(at, c); err != nil {
			t.Fatal(err)
		}
		at.At = at.At.Add(time.Minute)
	}
	do(CreateWorkItem{Objective: "again and again"})
	for i := range 12 {
		do(PickWorkItem{WorkItemID: "wi-0", ClearBlocker: true, Reason: Text(fmt.Sprint("try ", i))})
		do(WaitFor{WorkItemID: "wi-0", Wake: WakeExternal, Source: "ci", Reason: "the build"})
	}
	s := StoryOf(b, b.item("wi-0"), at.At)
	x := s.Lines[storyFirst]
	if len(s.Lines) != storyLines || x.Kind != StoryFolded || x.Times != 6 || x.Text != "waited ×3, worked ×3" || x.Age() != 6*time.Minute {
		t.Errorf("%d lines, of which %+v", len(s.Lines), x)
	}
	if first, last := s.Lines[1].Text, s.Lines[storyLines-2].Text; first != "picked: try 0" || last != "picked: try 11" {
		t.Errorf("it begins with %q and ends with %q", first, last)
	}
}

// TestAVeryLongLifeSaysWhatIsNotTold: the time before the events that are read is counted separately.
func TestAVeryLongLifeSaysWhatIsNotTold(t *testing.T) {
	b := newBook()
	at := Stamp{At: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC), Actor: Operator, Agent: "ann", NewID: "0"}
	if _, err := b.apply(at, CreateWorkItem{Objective: "a long life"}); err != nil {
		t.Fatal(err)
	}
	for range storyEvents/2 + 10 {
		for _, blocker := range []Clearable{SetTo("the vault"), Clear()} {
			at.At = at.At.Add(time.Minute)
			if _, err := b.apply(at, UpdateWorkItem{WorkItemID: "wi-0", BlockedBy: blocker}); err != nil {
				t.Fatal(err)
			}
		}
	}
	s := StoryOf(b, b.item("wi-0"), at.At)
	if x := s.Lines[0]; x.Kind != StoryEarlier || x.UntoldMS != s.UntoldMS || s.Age() != at.At.Sub(b.item("wi-0").CreatedAt) || s.UntoldMS == 0 {
		t.Errorf("%+v of %+v", x, s.Spent)
	}
}

func TestSpanIsInTwoUnits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 999 * time.Millisecond: "0s", 45 * time.Second: "45s", 12*time.Minute + 30*time.Second: "12m30s",
		time.Hour: "1h", 65*time.Minute + 59*time.Second: "1h5m", 76 * time.Hour: "3d4h", 48 * time.Hour: "2d",
	} {
		if got := Span(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
