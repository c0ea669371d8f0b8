package model

import (
	"fmt"
	"time"
)

// Decision is what the scheduler would do for an agent now: a proposal, shown alike by
// every door. It never moves focus.
type Decision struct {
	Kind       DecisionKind `json:"decision"`
	Reason     string       `json:"reason"`
	WorkItemID ItemID       `json:"work_item_id,omitempty"`
	WaitID     WaitID       `json:"wait_condition_id,omitempty"`
	// ModelReentry says that the agent would get a turn.
	ModelReentry bool     `json:"model_reentry"`
	Evidence     []string `json:"evidence,omitempty"`
}

// DecisionKind names what is decided (DESIGN §4.12).
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
	for _, rule := range []func(Facts, Agent) (Decision, bool){decideAgent, decideWork, decideDue(now), decideAgentWaits, decideItemWaits} {
		if d, ok := rule(f, a); ok {
			return d
		}
	}
	if a.Posture == Asleep {
		return Decision{Kind: DecideStayIdle, Reason: "already_asleep"}
	}
	return Decision{Kind: DecideSleep, Reason: "no_pending_scheduler_facts"}
}

func decideAgent(_ Facts, a Agent) (Decision, bool) {
	switch {
	case a.Posture == Stopped:
		return Decision{Kind: DecideStop, Reason: "stopped"}, true
	case a.Turn != nil:
		return Decision{Kind: DecideNoop, Reason: "turn_in_progress", WorkItemID: a.Turn.WorkItemID}, true
	case a.QueuedInput > 0:
		return Decision{Kind: DecideStartModelTurn, Reason: "queued_input", ModelReentry: true,
			Evidence: []string{fmt.Sprintf("queued_input=%d", a.QueuedInput)}}, true
	}
	return Decision{}, false
}

func decideWork(f Facts, a Agent) (Decision, bool) {
	for _, c := range []struct {
		class  Class
		reason string
	}{
		{CurrentRunnable, "continue_active"}, {TriggeredBlocked, "review_triggered"}, {QueuedRunnable, "queued_available"},
	} {
		if rows := f.Rows(a.ID, c.class, nil, 1); len(rows) > 0 {
			return Decision{Kind: DecideEmitTick, Reason: c.reason, WorkItemID: rows[0].ID, ModelReentry: true,
				Evidence: []string{fmt.Sprintf("%s=%d", c.class, f.Count(a.ID, ClassTally(c.class)))}}, true
		}
	}
	return Decision{}, false
}

// decideDue lets a due recheck or timer through before the waits that it may end.
func decideDue(now time.Time) func(Facts, Agent) (Decision, bool) {
	return func(f Facts, a Agent) (Decision, bool) {
		due := f.Due(a.ID, now, 1)
		if len(due) == 0 {
			return Decision{}, false
		}
		d := Decision{Kind: DecideEmitTick, Reason: "work_item_recheck", WorkItemID: due[0].ItemID, ModelReentry: true}
		if due[0].WaitID != "" {
			d.Reason, d.WaitID = "timer_due", due[0].WaitID
		}
		return d, true
	}
}

// waitDecisions is the order in which waits explain an idle agent.
var waitDecisions = []struct {
	kind       WaitKind
	scheduling Scheduling
	decision   DecisionKind
}{
	{WaitOperator, WaitingOperator, DecideWaitForOperator}, {WaitTask, WaitingTask, DecideWaitForTask},
	{WaitExternal, WaitingExternal, DecideWaitForExternal}, {WaitTimer, WaitingTimer, DecideWaitForTimer},
	{WaitSystem, WaitingSystem, DecideEmitTick},
}

func decideAgentWaits(f Facts, a Agent) (Decision, bool) {
	waits := f.ItemWaits(a.ID, "")
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

func decideItemWaits(f Facts, a Agent) (Decision, bool) {
	for _, w := range waitDecisions {
		if n := f.Count(a.ID, SchedulingTally(w.scheduling)); n > 0 {
			return Decision{Kind: w.decision, Reason: "work_item_" + string(w.kind) + "_wait",
				Evidence: []string{fmt.Sprintf("%s=%d", w.scheduling, n)}}, true
		}
	}
	return Decision{}, false
}
