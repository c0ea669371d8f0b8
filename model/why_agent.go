package model

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// AgentWhy explains what an agent does next, when, and what holds it back. It is the same in
// every frontend.
type AgentWhy struct {
	AgentID AgentID `json:"agent_id"`
	// Lines are the sentences, in order.
	Lines    []whyLine `json:"lines"`
	Decision Decision  `json:"decision"`
	// NextRun is when a turn begins if nothing else happens; zero: something must happen first.
	NextRun time.Time `json:"next_run,omitzero"`
	// Stalled are candidates that had turns enough without news.
	Stalled []Row `json:"stalled,omitempty"`
}

// ExplainAgent tells when an agent runs next, and why not before.
func ExplainAgent(f Facts, id AgentID, now time.Time) AgentWhy {
	a, _ := f.Agent(id)
	d := Decide(f, id, now)
	y := AgentWhy{AgentID: id, Decision: d}
	switch {
	case d.HeldBy != "":
		y.NextRun = d.Until
	case d.ModelReentry:
		y.NextRun = now
	}
	y.say("Runs next", runsNext(f, a, d, now))
	for _, p := range a.Permissions {
		y.say("Permission", fmt.Sprintf("%s; asked in %s at %s; answer it %s", string(p.words()), string(p.Program),
			p.AskedAt.Format(time.RFC3339), string(p.howToAnswer())))
	}
	if d.HeldBy != "" {
		y.say("Rests", d.HeldBy+"; vise retry "+string(id)+" ends that")
	}
	if x := a.Pace.Failure; x != nil {
		words := strings.Join(strings.Fields(cmp.Or(string(x.Reason), "it said nothing")), " ")
		y.say("Failing", fmt.Sprintf("%s failed; turn %d at %s: %s: %s", lastTurns(max(a.FailedTurns, 1)),
			x.Turn, x.At.Format(time.RFC3339), spaced(string(x.Code)), words))
	}
	for _, item := range d.Exhausted {
		w, ok := f.Item(item)
		t, _ := f.Attempt(id, item)
		if !ok {
			continue
		}
		y.Stalled = append(y.Stalled, RowOf(w, f.ItemWaits(id, item), a.CurrentWorkItemID == item))
		y.say("Stalled", fmt.Sprintf("%s: %s changed nothing; vise retry %s offers it again", w.Handle,
			Counted(max(t.Turns, 1), "turn"), w.Handle))
	}
	y.limits(a, now)
	y.say("Scheduler", fmt.Sprintf("%s: %s", d.Kind, d.Reason))
	return y
}

func (y *AgentWhy) say(label, text string) { y.Lines = append(y.Lines, whyLine{label, Text(text)}) }

// limits tell how far the limits are used up.
func (y *AgentWhy) limits(a Agent, now time.Time) {
	quiet := len(lastHour(a.Pace.QuietAt, now, maxTurnsLimit))
	if n := a.Limits.QuietTurns(); n > 0 {
		y.say("Quiet turns", fmt.Sprintf("%d in the last hour, at most %d", quiet, n))
	}
	if n := a.Limits.MaxTurnsPerHour; n > 0 {
		y.say("Turns", fmt.Sprintf("%d in the last hour, at most %d", len(lastHour(a.Pace.TurnsAt, now, n)), n))
	}
	if spent, most := a.CostToday(now), a.Limits.MaxCostPerDay; most > 0 {
		y.say("Cost", fmt.Sprintf("$%.2f today, at most $%.2f", spent, most))
	} else if spent > 0 {
		y.say("Cost", fmt.Sprintf("$%.2f today", spent))
	}
}

// runsNext says when a turn of the agent begins.
func runsNext(f Facts, a Agent, d Decision, now time.Time) string {
	at := func(t time.Time) string { return "at " + t.Format(time.RFC3339) + ", " + dueWords(t, now) }
	switch {
	case d.Kind == DecideStop:
		return "not before it is resumed: vise agents resume " + string(a.ID)
	case a.Turn.Runs(now):
		return fmt.Sprintf("turn %d runs since %s, by %s", a.Turn.Index, a.Turn.StartedAt.Format(time.RFC3339), a.Turn.Holder)
	case d.HeldBy != "":
		return at(d.Until)
	case d.Reason == reasonOffered && a.Offered != nil:
		return "as soon as a driver takes the turn that was offered at " + a.Offered.At.Format(time.RFC3339)
	case d.ModelReentry:
		return "now, if it is driven"
	}
	if t := NextPass(f, a.ID, d); !t.IsZero() {
		return at(t) + ", or when something happens before"
	}
	return "when something happens: " + strings.ReplaceAll(d.Reason, "_", " ")
}
