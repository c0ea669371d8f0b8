package action

import (
	"strings"
	"time"

	"vise/model"
)

// eventKinds are the words of kind: and the events that each gathers.
var eventKinds = map[string][]model.EventKind{
	"item": {model.EventWorkItemWritten}, "pick": {model.EventWorkItemPicked, model.EventFocusReleased},
	"plan": {model.EventPlanRefreshed}, "wait": {model.EventWaitRegistered, model.EventWaitsCancelled},
	"trigger": {model.EventWaitTriggered, model.EventIngressDelivered},
	"report":  {model.EventReportPromoted, model.EventReportOffered, model.EventReportDeclined, model.EventBriefSuppressed},
	"warning": {model.EventCompletionWarning, model.EventStalled},
	"message": {model.EventMessageQueued, model.EventMessagesSent, model.EventMessagesSeen, model.EventOperatorAnswered},
	"turn":    {model.EventTurnStarted, model.EventTurnEnded, model.EventRound}, "tick": {model.EventTickEmitted, model.EventRecheckConsumed},
	"task": {model.EventTaskStarted, model.EventTaskEnded}, "agent": {model.EventAgentAdded, model.EventAgentUpdated},
	"delegation": {model.EventDelegationOpened, model.EventDelegationCompleted}, "seen": {model.EventAcknowledged},
}

// ParseEvents reads a filter of events: words, "exact words", agent:, by:, item:,
// kind:a,b, age:<1h, and each of them with "-" before it. A term that cannot be read hides
// nothing.
func ParseEventFilter(s string, now time.Time) RowFilter {
	return parseFilter(s, now, "", filterTerm.checkEvent)
}

func (t filterTerm) checkEvent() string {
	switch t.kind {
	case "agent", "by", "item":
		return ""
	case "age":
		return t.check()
	case "kind":
		for k := range strings.SplitSeq(t.arg, ",") {
			if _, ok := eventKinds[k]; k != "" && !ok {
				return "no kind " + model.Text(k).String() + ": item, pick, plan, wait, trigger, report, warning, message, turn, tick, task, agent, delegation, seen"
			}
		}
		return ""
	}
	return "no term " + model.Text(t.kind).String() + ": agent:, by:, item:, kind: and age:"
}

// KeepsEvent reports whether every term holds of an event.
func (f RowFilter) KeepsEvent(e model.Entry, handle model.Handle) bool {
	for _, t := range f.terms {
		if f.holdsEvent(t, e, handle) == t.not {
			return false
		}
	}
	return true
}

func (f RowFilter) holdsEvent(t filterTerm, e model.Entry, handle model.Handle) bool {
	switch t.kind {
	case "agent":
		return strings.HasPrefix(string(e.AgentID), t.arg)
	case "by":
		return strings.Contains(string(e.Actor), t.arg)
	case "item":
		return strings.HasPrefix(string(handle), t.arg)
	case "age":
		older, d, ok := ageOf(t.arg)
		return !ok || (f.now.Sub(e.At) > d) == older
	case "kind":
		for k := range strings.SplitSeq(t.arg, ",") {
			for _, kind := range eventKinds[k] {
				if kind == e.Kind {
					return true
				}
			}
		}
		return false
	}
	words := string(handle) + " " + string(e.AgentID) + " " + e.Tell().String() + " " + string(e.Actor)
	return strings.Contains(strings.ToLower(words), t.arg)
}
