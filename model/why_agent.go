package model

import (
	"cmp"
	"fmt"
	"time"
)

// AgentWhy explains an agent's next act, its time, and what holds it back. It is the same in every frontend.
type AgentWhy struct {
	AgentID AgentID `json:"agent_id"`
	explanation
	// NextRun is when the next turn begins if nothing else happens; zero: something must happen first.
	NextRun time.Time `json:"next_run,omitzero"`
	// Stalled are the stalled candidates.
	Stalled []Row `json:"stalled,omitempty"`
}

// ExplainAgent says when an agent runs next, and why not earlier.
func ExplainAgent(f Facts, id AgentID, now time.Time) AgentWhy {
	a, _ := f.Agent(id)
	d := Decide(f, id, now)
	y := AgentWhy{AgentID: id, explanation: explanation{Decision: d}}
	switch {
	case d.HeldBy != "":
		y.NextRun = d.Until
	case d.ModelReentry:
		y.NextRun = now
	}
	y.say("Runs next", runsNext(f, a, d, now))
	for _, x := range f.ItemWaits(id, "") {
		y.say("Waits itself", x.words())
	}
	for _, p := range a.Permissions {
		y.say("Permission", fmt.Sprintf("%s; asked in %s at %s; answer it: %s", string(p.words()), string(p.Program),
			p.AskedAt.Format(time.RFC3339), string(p.howToAnswer())))
	}
	if w, ok := Focus(f, id); ok {
		for _, x := range OverlapsOf(f, w) {
			y.say("Overlap", string(w.Handle)+": "+x.Words())
		}
	}
	if d.HeldBy != "" {
		y.say("Rests", d.HeldBy+"; vise retry "+string(id)+" ends that")
	}
	if x := a.Pace.Failure; x != nil {
		words := squeezed(cmp.Or(x.Reason, "it said nothing"))
		y.say("Failing", fmt.Sprintf("%s failed; turn %d at %s: %s: %s", lastTurns(max(a.FailedTurns, 1)),
			x.Turn, x.At.Format(time.RFC3339), Spaced(x.Code), words))
	}
	for _, item := range d.Exhausted {
		w, ok := f.Item(item)
		t, _ := f.Attempt(id, item)
		if !ok {
			continue
		}
		y.Stalled = append(y.Stalled, rowIn(f, w))
		y.say("Stalled", fmt.Sprintf("%s: %s changed nothing; vise retry %s offers it again", w.Handle,
			Counted(max(t.Turns, 1), "turn"), w.Handle))
	}
	y.limits(a, now)
	return y
}

// words say what a wait without a work item is for.
func (w Wait) words() string {
	s := fmt.Sprintf("for %s (%s): %s", waitWords(w), w.ID, cut(w.Reason, rowText))
	if w.Ask.Question != "" {
		s += "; asks: " + string(cut(w.Ask.Question, rowText))
	}
	if w.Triggered() {
		s += fmt.Sprintf("; news %d×", w.TriggerCount)
	}
	return s
}

// limits says how far the limits are used up.
func (y *explanation) limits(a Agent, now time.Time) {
	quiet := len(lastHour(a.Pace.QuietAt, now, maxTurnsLimit))
	if n := a.Limits.QuietTurns(); n > 0 {
		y.say("Quiet turns", fmt.Sprintf("%d in the last hour, at most %d", quiet, n))
	}
	if n := a.Limits.MaxTurnsPerHour; n > 0 {
		y.say("Turns", fmt.Sprintf("%d in the last hour, at most %d", len(lastHour(a.Pace.TurnsAt, now, n)), n))
	}
	if words := a.CostWords(now); words != "" {
		y.say("Cost", words)
	}
}

// CostWords say what the agent's turns have used today, and the limit; empty if there is nothing to say.
func (a Agent) CostWords(now time.Time) string {
	used, most := a.UsedToday(now), a.Limits.MaxCostPerDay
	switch tokens := a.Limits.MaxTokensPerDay; {
	case tokens > 0:
		return fmt.Sprintf("%s today, at most %d tokens", cmp.Or(used.Words(), "nothing"), tokens)
	case most > 0:
		return fmt.Sprintf("%s today, at most $%.2f", cmp.Or(used.Words(), "$0.00"), most)
	case used != Usage{}:
		return used.Words() + " today"
	}
	return ""
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
	case d.Offered() && a.Offered != nil:
		return "as soon as a driver takes the turn that was offered at " + a.Offered.At.Format(time.RFC3339)
	case d.ModelReentry:
		return "now, if it is driven: " + d.Words()
	}
	if t := NextPass(f, a.ID, d); !t.IsZero() {
		return at(t) + ", or when something happens before"
	}
	return "when something happens: " + d.Words()
}

// Words say the reason of a decision in a sentence about the agent.
func (d Decision) Words() string {
	return cmp.Or(map[string]string{
		"stopped": "it is stopped", "turn_in_progress": "a turn runs", reasonOffered: "it has work, and no turn runs",
		"queued_input": "messages wait for it", "continue_active": "its work goes on",
		"review_triggered": "there is news to review", "queued_available": "there is work in its queue",
		reasonRecheck: "a blocked work item is to be checked again", "timer_due": "a timer is due",
		"active_agent_wait":       "it waits for something itself",
		"work_item_operator_wait": "its work waits for you", "work_item_task_wait": "its work waits for a task",
		"work_item_external_wait": "its work waits for an external event", "work_item_timer_wait": "its work waits for a timer",
		"work_item_system_wait": "its work waits for the system", "already_asleep": "it sleeps until there is work",
		"candidates_stalled": "its work is stalled", "no_pending_scheduler_facts": "it has no work",
	}[d.Reason], Spaced(d.Reason))
}
