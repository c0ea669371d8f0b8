package model

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The supposed facts after a command equal those of a ledger on which the command was carried out, for every read.
func TestWhatIsSupposedIsWhatHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBook()
		at := Stamp{At: time.Date(2026, 1, 2, 9, 0, 0, 0, time.UTC)}
		for i := range rapid.IntRange(1, 30).Draw(t, "commands") {
			at.At, at.NewID = at.At.Add(time.Second), fmt.Sprint(i)
			at.Agent = rapid.SampledFrom(someAgents).Draw(t, "agent")
			at.Actor = AgentActor(at.Agent)
			c := someCommand(t, b)
			before := newBook()
			before.records, before.journal = maps.Clone(b.records), b.journal
			then, err := suppose(before, at, c)
			if _, refused := b.apply(at, c); (err == nil) != (refused == nil) {
				t.Fatalf("%s: supposed %v, done %v", c.Name(), err, refused)
			}
			if err != nil {
				continue
			}
			for _, agent := range someAgents {
				sameFacts(t, c, then, b, agent, at.At)
			}
		}
	})
}

func sameFacts(t *rapid.T, c Command, then, done Facts, agent AgentID, now time.Time) {
	same := func(what string, got, want any) {
		if got, want := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); got != want {
			t.Fatalf("%s, %s of %s: supposed %s, is %s", c.Name(), what, agent, got, want)
		}
	}
	for _, class := range append(Classes, ReportOffered) {
		rows := done.Rows(agent, class, nil, 100)
		same("rows "+string(class), then.Rows(agent, class, nil, 100), rows)
		same("count "+string(class), then.Count(agent, ClassTally(class)), done.Count(agent, ClassTally(class)))
		same("first row "+string(class), then.Rows(agent, class, nil, 1), done.Rows(agent, class, nil, 1))
		if len(rows) > 1 {
			same("rows behind the first "+string(class), then.Rows(agent, class, &rows[0], 2), done.Rows(agent, class, &rows[0], 2))
		}
	}
	same("dues", then.Due(agent, far, 100), done.Due(agent, far, 100))
	same("decision", Decide(then, agent, now), Decide(done, agent, now))
}
