package model

import (
	"fmt"
	"iter"
	"time"
)

// Decision is what the scheduler would do for an agent now: a proposal, shown alike by
// every frontend. It never moves focus.
type Decision struct {
	Kind       DecisionKind `json:"decision"`
	Reason     string       `json:"reason"`
	WorkItemID ItemID       `json:"work_item_id,omitempty"`
	WaitID     WaitID       `json:"wait_condition_id,omitempty"`
	// ModelReentry says that the agent would get a turn.
	ModelReentry bool `json:"model_reentry"`
	// Key names the offer; the same key is not offered again before its pause is over.
	Key string `json:"idempotency_key,omitempty"`
	// Skipped are candidates that were offered before without news, Exhausted those of them
	// that were offered often enough; Until is when the first of them is due again.
	Skipped   int       `json:"skipped,omitempty"`
	Exhausted []ItemID  `json:"exhausted,omitempty"`
	Until     time.Time `json:"until,omitzero"`
	Evidence  []string  `json:"evidence,omitempty"`
}

// DecisionKind names what is decided (docs/lifecycle.md 12).
type DecisionKind string

// The kinds of decisions.
const (
	DecideStop            DecisionKind = "Stop"
	DecideNoop            DecisionKind = "Noop"
	DecideStartModelTurn  DecisionKind = "StartModelTurn"
	DecideEmitTick        DecisionKind = "EmitSystemTick"
	DecideWaitForOperator DecisionKind = "WaitForOperator"
	DecideWaitForTask     DecisionKind = "WaitForTask"
	DecideWaitForExternal DecisionKind = "WaitForExternalChange"
	DecideWaitForTimer    DecisionKind = "WaitForTimer"
	DecideSleep           DecisionKind = "Sleep"
	DecideStayIdle        DecisionKind = "StayIdle"
)

// Decide proposes, first match wins: the agent's own state, then work that can go on,
// then what is waited for, then rest.
func Decide(f Facts, id AgentID, now time.Time) Decision {
	a, ok := f.Agent(id)
	if !ok {
		return Decision{Kind: DecideSleep, Reason: "unknown_agent"}
	}
	x := decider{f: f, a: a, now: now}
	for _, rule := range []func() (Decision, bool){x.agent, x.offered, x.work, x.rechecks, x.due, x.agentWaits, x.itemWaits} {
		if d, ok := rule(); ok {
			return x.rest.on(d)
		}
	}
	if a.Posture == asleep {
		return x.rest.on(Decision{Kind: DecideStayIdle, Reason: "already_asleep"})
	}
	if x.rest.count > 0 {
		return x.rest.on(Decision{Kind: DecideSleep, Reason: "candidates_rest"})
	}
	return Decision{Kind: DecideSleep, Reason: "no_pending_scheduler_facts"}
}

func (x *decider) agent() (Decision, bool) {
	switch {
	case x.a.Posture == Stopped:
		return Decision{Kind: DecideStop, Reason: "stopped"}, true
	case x.a.Turn.Runs(x.now):
		return Decision{Kind: DecideNoop, Reason: "turn_in_progress", WorkItemID: x.a.Turn.WorkItemID, Until: x.a.Turn.ExpiresAt}, true
	case x.a.QueuedInput > 0 && x.now.Before(x.a.RestUntil):
		return Decision{Kind: DecideNoop, Reason: "failed_turn_rests", Until: x.a.RestUntil,
			Evidence: []string{fmt.Sprintf("failed_turns=%d", x.a.FailedTurns), fmt.Sprintf("queued_input=%d", x.a.QueuedInput)}}, true
	case x.a.QueuedInput > 0:
		return Decision{Kind: DecideStartModelTurn, Reason: "queued_input", ModelReentry: true,
			Evidence: []string{fmt.Sprintf("queued_input=%d", x.a.QueuedInput)}}, true
	}
	return Decision{}, false
}

// offered waits for a turn to answer the tick that was emitted: nothing new came, and
// its pause is not over. One offer at a time is enough for one agent.
func (x *decider) offered() (Decision, bool) {
	if x.a.Offered == nil || !x.now.Before(x.a.Offered.Until) {
		return Decision{}, false
	}
	w, ok := x.f.Item(x.a.Offered.WorkItemID)
	if !ok {
		return Decision{}, false
	}
	r := RowOf(w, x.f.ItemWaits(x.a.ID, w.ID), x.a.CurrentWorkItemID == w.ID)
	if offerReason(r.Class) != x.a.Offered.Reason || tickKey(x.a.Offered.Reason, r) != x.a.Offered.Key {
		return Decision{}, false
	}
	return Decision{Kind: DecideNoop, Reason: "tick_waits_for_turn", WorkItemID: w.ID, Until: x.a.Offered.Until,
		Evidence: []string{x.a.Offered.Key}}, true
}

// rechecks lets second looks wait for a turn behind all other work.
func (x *decider) rechecks() (Decision, bool) {
	if x.a.Offered == nil || x.a.Offered.Reason != reasonRecheck || !x.now.Before(x.a.Offered.Until) {
		return Decision{}, false
	}
	return Decision{Kind: DecideNoop, Reason: "tick_waits_for_turn", WorkItemID: x.a.Offered.WorkItemID, Until: x.a.Offered.Until,
		Evidence: []string{x.a.Offered.Key}}, true
}

// decider is a decision under way: for whom, when, and what was passed over.
type decider struct {
	f    Facts
	a    Agent
	now  time.Time
	rest skipped
}

// skipped are the candidates that rest between two offers.
type skipped struct {
	count     int
	exhausted []ItemID
	until     time.Time
}

func (s skipped) on(d Decision) Decision {
	d.Skipped, d.Exhausted = s.count, s.exhausted
	if d.Until.IsZero() {
		d.Until = s.until
	}
	return d
}

// rests reports whether a candidate was offered under key and its pause is not over.
func (s *skipped) rests(t Attempt, key string, now time.Time) bool {
	if t.TickKey != key {
		return false
	}
	done := t.Stalled || t.Count >= maxAttempts && !now.Before(t.NextAt)
	if done {
		s.exhausted = append(s.exhausted, t.WorkItemID)
	}
	if !done && !now.Before(t.NextAt) {
		return false
	}
	s.count++
	if !done && (s.until.IsZero() || t.NextAt.Before(s.until)) {
		s.until = t.NextAt
	}
	return true
}

// candidateHorizon bounds how many resting candidates of a class are passed over.
const candidateHorizon = 100

// candidates are the rows of a class, up to the horizon. The first is read alone: most
// passes need no other.
func candidates(f Facts, a AgentID, class Class) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		first := f.Rows(a, class, nil, 1)
		if len(first) == 0 || !yield(first[0]) {
			return
		}
		for _, r := range f.Rows(a, class, &first[0], candidateHorizon) {
			if !yield(r) {
				return
			}
		}
	}
}

// offerReason is why an item of a class is offered.
func offerReason(c Class) string {
	switch c {
	case CurrentRunnable:
		return "continue_active"
	case TriggeredBlocked:
		return "review_triggered"
	case QueuedRunnable:
		return "queued_available"
	}
	return ""
}

// work offers the first candidate that does not rest: a resting one is skipped, not
// the pass, so that it hides nothing behind it.
func (x *decider) work() (Decision, bool) {
	for _, class := range Classes[:3] {
		reason := offerReason(class)
		for r := range candidates(x.f, x.a.ID, class) {
			key := tickKey(reason, r)
			t, _ := x.f.Attempt(x.a.ID, r.ID)
			if !x.rest.rests(t, key, x.now) {
				return Decision{Kind: DecideEmitTick, Reason: reason, WorkItemID: r.ID, ModelReentry: true, Key: key,
					Evidence: []string{fmt.Sprintf("%s=%d", class, x.f.Count(x.a.ID, ClassTally(class)))}}, true
			}
		}
	}
	return Decision{}, false
}

// due lets a due recheck or timer through before the waits that it may end.
func (x *decider) due() (Decision, bool) {
	due := x.f.Due(x.a.ID, x.now, 1)
	if len(due) == 0 {
		return Decision{}, false
	}
	d := Decision{Kind: DecideEmitTick, Reason: reasonRecheck, WorkItemID: due[0].ItemID, ModelReentry: true}
	if due[0].WaitID != "" {
		d.Reason, d.WaitID = "timer_due", due[0].WaitID
	}
	return d, true
}

// waitDecisions is the order in which waits explain an idle agent.
var waitDecisions = []struct {
	kind       WaitKind
	scheduling Scheduling
	decision   DecisionKind
}{
	{WaitOperator, WaitingOperator, DecideWaitForOperator}, {WaitTask, waitingTask, DecideWaitForTask},
	{WaitExternal, waitingExternal, DecideWaitForExternal}, {WaitTimer, WaitingTimer, DecideWaitForTimer},
	{WaitSystem, waitingSystem, DecideWaitForTimer},
}

func (x *decider) agentWaits() (Decision, bool) {
	waits := x.f.ItemWaits(x.a.ID, "")
	for _, w := range waitDecisions {
		for _, x := range waits {
			if x.Kind == w.kind {
				return Decision{Kind: w.decision, Reason: "active_agent_wait", WaitID: x.ID,
					Evidence: []string{fmt.Sprintf("agent_waits=%d", len(waits))}}, true
			}
		}
	}
	return Decision{}, false
}

func (x *decider) itemWaits() (Decision, bool) {
	for _, w := range waitDecisions {
		if n := x.f.Count(x.a.ID, schedulingTally(w.scheduling)); n > 0 {
			return Decision{Kind: w.decision, Reason: "work_item_" + string(w.kind) + "_wait",
				Evidence: []string{fmt.Sprintf("%s=%d", w.scheduling, n)}}, true
		}
	}
	return Decision{}, false
}

// far is later than any instant that is kept.
var far = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// NextPass is when the scheduler has reason to look at an agent again, if nothing is
// committed before; zero means never.
func NextPass(f Facts, id AgentID, d Decision) time.Time {
	a, ok := f.Agent(id)
	if !ok {
		return time.Time{}
	}
	next := d.Until
	sooner := func(t time.Time) {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if a.Turn != nil {
		sooner(a.Turn.ExpiresAt)
	}
	for _, due := range f.Due(id, far, 1) {
		sooner(due.At)
	}
	return next
}

// AutoPick is the pick that the scheduler may make for an agent that lets it: at idle, of
// the first queued item (docs/lifecycle.md 7).
func AutoPick(f Facts, id AgentID, now time.Time) (PickWorkItem, bool) {
	a, ok := f.Agent(id)
	if !ok || !a.AutoPick || a.Posture == Stopped || a.Turn.Runs(now) || a.QueuedInput > 0 {
		return PickWorkItem{}, false
	}
	if _, focused := Focus(f, id); focused || len(f.Rows(id, TriggeredBlocked, nil, 1)) > 0 {
		return PickWorkItem{}, false
	}
	for _, r := range f.Rows(id, QueuedRunnable, nil, 1) {
		return PickWorkItem{WorkItemID: r.ID, Reason: "first in the queue"}, true
	}
	return PickWorkItem{}, false
}

// TurnDue reports whether an agent should get a turn now, and the key of the tick that the
// turn answers; input that is queued has none.
func TurnDue(f Facts, id AgentID, now time.Time) (tick string, due bool) {
	a, _ := f.Agent(id)
	switch d := Decide(f, id, now); {
	case d.Kind == DecideStartModelTurn:
		return "", true
	case d.Reason == "tick_waits_for_turn" && now.Before(a.RestUntil):
		return "", false
	case d.Reason == "tick_waits_for_turn":
		return a.Offered.Key, true
	}
	return "", false
}
