package model

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"
)

// stripMarks are the marks of a strip in scripts.
var stripMarks = map[StripMark]string{StripUnread: "_", StripNothing: "·",
	StripWork1: "▁", StripWork2: "▂", StripWork3: "▅", StripWork4: "▇",
	StripTriggered: "◆", StripAsks: "?", StripCompleted: "✓", StripFailed: "✗"}

// strip draws an agent's activity up to now in so many cells of a length.
func (s *script) strip(t *testing.T, agent AgentID, d *datadriven.TestData) string {
	var each string
	var cells int
	d.ScanArgs(t, "cell", &each)
	d.ScanArgs(t, "cells", &cells)
	cell, err := time.ParseDuration(each)
	if err != nil {
		t.Fatal(err)
	}
	return drawn(stripOf(s.book, agent, s.now, cell, cells, trackMost)) + "\n"
}

func drawn(strip []StripMark) string {
	var b strings.Builder
	for _, m := range strip {
		b.WriteString(stripMarks[m])
	}
	return b.String()
}

// stripOf reads an agent's strip from the journal, so many events at a time.
func stripOf(b *book, agent AgentID, now time.Time, cell time.Duration, cells, most int) []StripMark {
	m := memberOf(b, b.agent(agent))
	m.fill(b, now)
	var t Track
	for whole := false; !whole; {
		t, _, whole = ReadTrack(b, m, StripBegin(now, cell, cells), t, most)
	}
	return t.Strip(m, now, cell, cells)
}

// A track that follows the news draws the same strip as one that is read as a whole.
func TestATrackThatFollowsNewsIsTheOneThatIsReadWhole(t *testing.T) {
	slow(t)
	rapid.Check(t, func(t *rapid.T) {
		b, now := newBook(), time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)
		var kept Track
		var items []ItemID
		do := func(by Actor, c Command) {
			in, err := b.apply(Stamp{At: now, NewID: string(rune('a'+len(items))) + now.Format("150405"), Actor: by, Agent: "ann"}, c)
			if _, made := c.(CreateWorkItem); made && err == nil {
				items = append(items, in.Receipt.WorkItemID)
			}
		}
		const cell, cells = 8 * time.Minute, 60
		begin := func() time.Time { return StripBegin(now, cell, cells) }
		follow := func() FleetMember {
			m := memberOf(b, b.agent("ann"))
			m.fill(b, now)
			return m
		}
		do("agent:ann", CreateWorkItem{Objective: "first"})
		for range rapid.IntRange(1, 25).Draw(t, "acts") {
			now = now.Add(time.Duration(rapid.IntRange(1, 1200).Draw(t, "seconds")) * time.Second)
			id := rapid.SampledFrom(items).Draw(t, "item")
			switch rapid.IntRange(0, 8).Draw(t, "act") {
			case 0:
				do("agent:ann", CreateWorkItem{Objective: "one more"})
			case 1:
				do("agent:ann", WaitFor{WorkItemID: id, Wake: WakeOperatorInput, Reason: "which?"})
			case 2:
				do(Operator, Answer{WorkItemID: id, Text: "this"})
			case 3:
				do("agent:ann", WaitFor{WorkItemID: id, Wake: WakeExternal, Resource: "run/1", Reason: "CI"})
			case 4:
				do("external:ci", Trigger{WorkItemID: id, Source: "ci"})
			case 5:
				do("agent:ann", PickWorkItem{WorkItemID: id})
			case 6:
				do(Scheduler, ClaimTurn{AgentID: "ann", Holder: "drive"})
			case 7:
				outcome := rapid.SampledFrom([]TurnOutcome{TurnCompleted, TurnFailed}).Draw(t, "outcome")
				do(Scheduler, EndTurn{AgentID: "ann", Turn: b.agent("ann").TurnIndex, Outcome: outcome})
			case 8:
				do("agent:ann", CompleteWorkItem{WorkItemID: id})
			}
			if rapid.IntRange(0, 4).Draw(t, "follow") == 0 {
				kept, _, _ = ReadTrack(b, follow(), begin(), kept, trackMost)
			}
		}
		m := follow()
		kept, _, _ = ReadTrack(b, m, begin(), kept, trackMost)
		is, want := kept.Strip(m, now, cell, cells), stripOf(b, "ann", now, cell, cells, 1)
		if !slices.Equal(is, want) || slices.Contains(is, StripUnread) {
			t.Fatalf("followed\n%s\nread whole\n%s", drawn(is), drawn(want))
		}
		if kept.Turns(begin()) != stripTurns(b, begin()) {
			t.Fatalf("%d turns, %d ended", kept.Turns(begin()), stripTurns(b, begin()))
		}
	})
}

// stripTurns counts in the journal the turns that ended since an instant.
func stripTurns(b *book, since time.Time) (n int) {
	for _, e := range b.journal {
		if e.Kind == EventTurnEnded && !e.At.Before(since) {
			n++
		}
	}
	return n
}
