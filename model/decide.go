package model

import (
	"fmt"
	"iter"
	"time"
)

// Decision is what the scheduler would do for an agent now. It is a proposal, the same in every frontend, and never moves the
// focus.
type Decision struct {
	Kind       DecisionKind `json:"decision"`
	Reason     string       `json:"reason"`
	WorkItemID ItemID       `json:"work_item_id,omitempty"`
	WaitID     WaitID       `json:"wait_condition_id,omitempty"`
	// ModelReentry says that the agent would get a turn.
	ModelReentry bool `json:"model_reentry"`
	// Key names the offer. It stays the same for the same item and reason, as long as there is no news of the item.
	Key string `json:"idempotency_key,omitempty"`
	// HeldBy says in words what holds a turn back, Until when that ends. Until is also the end of a running turn.
	HeldBy string    `json:"held_by,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	// Exhausted are the stalled candidates that were skipped, Skipped is their number.
	Skipped   int      `json:"skipped,omitempty"`
	Exhausted []ItemID `json:"exhausted,omitempty"`
	Evidence  []string `json:"evidence,omitempty"`
}

// DecisionKind names the kind of a decision (docs/lifecycle.md 12).
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

// Decide proposes; the first match wins: the agent's own state, then work, then waits, then sleep.
func Decide(f Facts, id AgentID, now time.Time) Decision {
	a, ok := f.Agent(id)
	if !ok {
		return Decision{Kind: DecideSleep, Reason: "unknown_agent"}
	}
	x := decider{f: f, a: a, now: now}
	for _, rule := range []func() (Decision, bool){
		x.agent, x.input, x.work, x.secondLooks, x.due, x.rests, x.agentWaits, x.itemWaits,
	} {
		if d, ok := rule(); ok {
			return x.passed(d)
		}
	}
	if a.Posture == asleep {
		return x.passed(Decision{Kind: DecideStayIdle, Reason: "already_asleep"})
	}
	if len(x.stalled) > 0 {
		return x.passed(Decision{Kind: DecideSleep, Reason: "candidates_stalled"})
	}
	return x.passed(Decision{Kind: DecideSleep, Reason: "no_pending_scheduler_facts"})
}

func (x *decider) agent() (Decision, bool) {
	switch {
	case x.a.Posture == Stopped:
		return Decision{Kind: DecideStop, Reason: "stopped"}, true
	case x.a.Turn.Runs(x.now):
		return Decision{Kind: DecideNoop, Reason: "turn_in_progress", WorkItemID: x.a.Turn.WorkItemID, Until: x.a.Turn.until()}, true
	}
	return Decision{}, false
}

func (x *decider) input() (Decision, bool) {
	if x.a.QueuedInput == 0 {
		return Decision{}, false
	}
	queued := fmt.Sprintf("queued_input=%d", x.a.QueuedInput)
	if d, held := x.held(forInput); held {
		d.Evidence = append(d.Evidence, queued)
		return d, true
	}
	return Decision{Kind: DecideStartModelTurn, Reason: "queued_input", ModelReentry: true, Evidence: []string{queued}}, true
}

// reasonOffered: a tick was emitted and waits until a driver starts the turn.
const reasonOffered = "tick_waits_for_turn"

// Offered reports whether the agent waits for a driver to take a turn that was offered before.
func (d Decision) Offered() bool { return d.Reason == reasonOffered }

// waitsForTurn says that the last offer still stands. An agent has one offer at a time, even if no driver takes it.
func (x *decider) waitsForTurn() Decision {
	return Decision{Kind: DecideNoop, Reason: reasonOffered, WorkItemID: x.a.Offered.WorkItemID, Evidence: []string{x.a.Offered.Key}}
}

// secondLooks offers due rechecks after all other work.
func (x *decider) secondLooks() (Decision, bool) {
	if x.a.Offered == nil || x.a.Offered.Reason != reasonRecheck {
		return Decision{}, false
	}
	if d, held := x.held(forSecondLooks); held {
		return d, true
	}
	return x.waitsForTurn(), true
}

// rests says what holds back the available work.
func (x *decider) rests() (Decision, bool) { return x.rest, x.rest.Reason != "" }

// decider is one decision: for which agent, when, and what it skipped.
type decider struct {
	f    Facts
	a    Agent
	now  time.Time
	rest Decision
	// stalled are the stalled candidates.
	stalled []ItemID
}

func (x *decider) passed(d Decision) Decision {
	d.Skipped, d.Exhausted = len(x.stalled), x.stalled
	return d
}

// candidateHorizon bounds how many stalled candidates of a class are skipped.
const candidateHorizon = 100

// candidates are the rows of a class, up to the horizon. The first row is read alone, because most passes need no other.
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

// offerReason is the reason of an offer, for each class.
var offerReason = map[Class]string{
	CurrentRunnable: "continue_active", TriggeredBlocked: "review_triggered", QueuedRunnable: "queued_available",
}

// work offers the first candidate that is not stalled. While the focus is runnable, nothing else is offered, except that a focus
// about which a turn came to nothing hides no new trigger. A stalled item hides nothing behind it.
func (x *decider) work() (Decision, bool) {
	for _, class := range Classes[:3] {
		for r := range candidates(x.f, x.a.ID, class) {
			if stalled(x.f, r) {
				x.stalled = append(x.stalled, r.ID)
				continue
			}
			if class == CurrentRunnable {
				r = x.newTrigger(r)
			}
			return x.offers(r)
		}
	}
	return Decision{}, false
}

// newTrigger is the newest triggered item that no turn was about yet, if a turn about the focus as it is came to nothing; otherwise the
// focus.
func (x *decider) newTrigger(focus Row) Row {
	if x.tried(focus) {
		for r := range candidates(x.f, x.a.ID, TriggeredBlocked) {
			if !x.tried(r) {
				return r
			}
		}
	}
	return focus
}

// tried reports whether a turn was offered the item as it is and came to nothing.
func (x *decider) tried(r Row) bool {
	t, _ := x.f.Attempt(x.a.ID, r.ID)
	return t.Turns > 0 && t.about(r)
}

func (x *decider) offers(r Row) (Decision, bool) {
	if d, held := x.held(forWork); held {
		d.WorkItemID = r.ID
		x.rest = d
		return d, false
	}
	reason := offerReason[r.Class]
	key := tickKey(reason, r)
	if x.a.Offered != nil && x.a.Offered.Key == key {
		return x.waitsForTurn(), true
	}
	return Decision{Kind: DecideEmitTick, Reason: reason, WorkItemID: r.ID, ModelReentry: true, Key: key,
		Evidence: []string{fmt.Sprintf("%s=%d", r.Class, x.f.Count(x.a.ID, ClassTally(r.Class)))}}, true
}

// due offers a due recheck or timer before the waits that it could end.
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

// waitDecisions are the waits that explain an idle agent, in their order.
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
			if x.Kind == w.kind && !x.Triggered() {
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

// far is later than any stored instant.
var far = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// NextPass is when the scheduler must look at an agent again if nothing is committed before; zero: never.
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
		sooner(a.Turn.until())
	}
	for _, due := range f.Due(id, far, 1) {
		sooner(due.At)
	}
	return next
}

// AutoPick is the scheduler's pick for an agent that allows it: while idle, the first queued item (docs/lifecycle.md 7).
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

// Shortened is the scheduler's renewal of a lease that ends later than its length from now, since the clock was set back. From now on it
// lasts for its length.
func Shortened(f Facts, id AgentID, now time.Time) (BeatTurn, bool) {
	a, _ := f.Agent(id)
	t := a.Turn
	if t == nil || t.Lives != nil || !t.BeatAt.After(now) {
		return BeatTurn{}, false
	}
	return BeatTurn{AgentID: id, Turn: t.Index, TTLMS: t.ExpiresAt.Sub(t.BeatAt).Milliseconds()}, true
}

// TurnDue reports whether an agent should get a turn now, and the key of the tick that the turn answers. A turn for queued
// input has no key.
func TurnDue(f Facts, id AgentID, now time.Time) (tick string, due bool) {
	switch d := Decide(f, id, now); {
	case d.Kind == DecideStartModelTurn:
		return "", true
	case d.Offered():
		return d.Evidence[0], true
	}
	return "", false
}
