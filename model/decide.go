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
	// Key names the offer: the same item, for the same reason, with nothing new about it.
	Key string `json:"idempotency_key,omitempty"`
	// HeldBy says in words what holds a turn back, Until when that is over; Until is also the
	// end of the lease of the turn that runs.
	HeldBy string    `json:"held_by,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	// Exhausted are the stalled candidates that were passed over, Skipped how many.
	Skipped   int      `json:"skipped,omitempty"`
	Exhausted []ItemID `json:"exhausted,omitempty"`
	Evidence  []string `json:"evidence,omitempty"`
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
		return Decision{Kind: DecideNoop, Reason: "turn_in_progress", WorkItemID: x.a.Turn.WorkItemID, Until: x.a.Turn.ExpiresAt}, true
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

// reasonOffered: a tick was emitted, and waits for a driver to start the turn.
const reasonOffered = "tick_waits_for_turn"

// waitsForTurn says that what was offered still stands. One offer at a time is enough for one
// agent, however long no driver takes it.
func (x *decider) waitsForTurn() Decision {
	return Decision{Kind: DecideNoop, Reason: reasonOffered, WorkItemID: x.a.Offered.WorkItemID, Evidence: []string{x.a.Offered.Key}}
}

// secondLooks lets rechecks that came due wait for a turn behind all other work.
func (x *decider) secondLooks() (Decision, bool) {
	if x.a.Offered == nil || x.a.Offered.Reason != reasonRecheck {
		return Decision{}, false
	}
	if d, held := x.held(forSecondLooks); held {
		return d, true
	}
	return x.waitsForTurn(), true
}

// rests says what holds back the work that there is.
func (x *decider) rests() (Decision, bool) { return x.rest, x.rest.Reason != "" }

// decider is a decision under way: for whom, when, and what was passed over.
type decider struct {
	f    Facts
	a    Agent
	now  time.Time
	rest Decision
	// stalled are candidates that had turns enough without news.
	stalled []ItemID
}

func (x *decider) passed(d Decision) Decision {
	d.Skipped, d.Exhausted = len(x.stalled), x.stalled
	return d
}

// candidateHorizon bounds how many stalled candidates of a class are passed over.
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
var offerReason = map[Class]string{
	CurrentRunnable: "continue_active", TriggeredBlocked: "review_triggered", QueuedRunnable: "queued_available",
}

// work offers the first candidate that is not stalled. While the focus is runnable nothing
// else is offered; a stalled one hides nothing behind it in the other classes.
func (x *decider) work() (Decision, bool) {
	for _, class := range Classes[:3] {
		for r := range candidates(x.f, x.a.ID, class) {
			if !stalled(x.f, r) {
				return x.offers(r)
			}
			x.stalled = append(x.stalled, r.ID)
		}
		if class == CurrentRunnable && len(x.stalled) > 0 {
			break
		}
	}
	return Decision{}, false
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
	switch d := Decide(f, id, now); {
	case d.Kind == DecideStartModelTurn:
		return "", true
	case d.Reason == reasonOffered:
		return d.Evidence[0], true
	}
	return "", false
}
