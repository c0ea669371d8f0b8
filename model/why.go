package model

import (
	"fmt"
	"time"
)

// Why explains an item's place: what it is, its rank, why it is not current, why it
// cannot run and what would change that. It is the same in every frontend.
type Why struct {
	Class Class `json:"candidate_class"`
	// Rank is the item's place in its class, from 1; 0 when it lies beyond the first hundred.
	Rank      int `json:"rank"`
	ClassSize int `json:"class_size"`
	// Lines are the sentences, in order.
	Lines []WhyLine `json:"lines"`
	// Order is the beginning of the agent's whole candidate order.
	Order    []Row    `json:"-"`
	Decision Decision `json:"decision"`
}

// WhyLine is one labelled sentence.
type WhyLine struct {
	Label string `json:"label"`
	Text  Text   `json:"text"`
}

const (
	rankHorizon = 100
	orderShown  = 5
)

// Explain tells why an item is where it is.
func Explain(r Facts, w WorkItem, now time.Time) Why {
	agent, _ := r.Agent(w.AgentID)
	waits := r.ItemWaits(w.AgentID, w.ID)
	d := Derive(w, waits, agent.CurrentWorkItemID == w.ID)
	y := Why{Class: d.Class, ClassSize: r.Count(w.AgentID, ClassTally(d.Class)), Decision: Decide(r, w.AgentID, now)}
	for i, row := range r.Rows(w.AgentID, d.Class, nil, rankHorizon) {
		if row.ID == w.ID {
			y.Rank = i + 1
			break
		}
	}
	y.say("Class", classReason(d))
	y.say("Rank", rankReason(y, d.Class))
	y.notCurrent(r, w, d)
	y.notRunnable(w, d, now)
	y.evidence(waits)
	for _, advice := range Advise(r, w, now) {
		y.say("Advice", advice.Text)
	}
	y.say("Scheduler", fmt.Sprintf("%s: %s", y.Decision.Kind, y.Decision.Reason))
	if l, err := ListItems(r, w.AgentID, FilterOpen, nil, orderShown); err == nil {
		y.Order = l.Rows
	}
	return y
}

func (y *Why) say(label, text string) { y.Lines = append(y.Lines, WhyLine{label, Text(text)}) }

func classReason(d Derived) string {
	switch d.Class {
	case CurrentRunnable:
		return "current: it is the focus, and runnable"
	case TriggeredBlocked:
		return "triggered: blocked, and a wait of it was triggered"
	case QueuedRunnable:
		return "queued: open and runnable, not the focus"
	case WaitingForOperator:
		return "needs you: it waits for the operator"
	case CompletedRecent:
		return "done: completed, for good"
	}
	return "blocked: it cannot advance by itself"
}

func rankReason(y Why, c Class) string {
	order := map[Class]string{
		TriggeredBlocked: "newest trigger first", QueuedRunnable: "oldest update first",
	}[c]
	if order == "" {
		order = "newest update first"
	}
	if y.Rank == 0 {
		return fmt.Sprintf("beyond the first %d of %d, %s", rankHorizon, y.ClassSize, order)
	}
	return fmt.Sprintf("%d of %d, %s", y.Rank, y.ClassSize, order)
}

func (y *Why) notCurrent(r Facts, w WorkItem, d Derived) {
	if d.IsCurrent || w.State == Completed {
		return
	}
	cur, ok := Focus(r, w.AgentID)
	switch {
	case !ok:
		y.say("Not current", "nothing is; only a pick sets the focus")
	case Derive(cur, r.ItemWaits(cur.AgentID, cur.ID), true).Scheduling == Runnable:
		y.say("Not current", string(cur.Handle)+" is current and still runnable; focus is sticky")
	default:
		y.say("Not current", string(cur.Handle)+" is current, picked for inspection")
	}
}

func (y *Why) notRunnable(w WorkItem, d Derived, now time.Time) {
	switch {
	case d.Scheduling == Runnable || w.State == Completed:
		return
	case d.Wait != nil:
		y.say("Not runnable", "it waits for "+waitWords(*d.Wait)+": "+string(d.Wait.Reason))
		y.say("Becomes so", "when its blocker is cleared, which also ends the wait; a trigger alone does not clear it")
	case w.BlockedBy != "":
		y.say("Not runnable", "blocked by: "+string(w.BlockedBy))
		y.say("Becomes so", "when the blocker is cleared")
	default:
		y.say("Not runnable", "its plan needs input from the operator")
		y.say("Becomes so", "when the plan status is draft or ready again")
	}
	if !w.RecheckAt.IsZero() && w.RecheckConsumedAt.Before(w.RecheckAt) {
		y.say("Recheck", "due "+dueWords(w.RecheckAt, now)+"; it reminds, it does not unblock")
	}
	if w.BlockedBy != "" && w.PlanStatus == NeedsInput {
		y.say("Also", "its plan needs input")
	}
}

func (y *Why) evidence(waits []Wait) {
	for _, x := range waits {
		if x.Triggered() {
			y.say("Evidence", fmt.Sprintf("%s was triggered %d× by %s, last at %s", waitWords(x), x.TriggerCount,
				x.LastTrigger.Actor, x.LastTriggeredAt.Format(time.RFC3339)))
		}
	}
}

// waitWords names what a wait waits for.
func waitWords(x Wait) string {
	words := map[WaitKind]string{
		WaitTask: "task", WaitOperator: "the operator", WaitTimer: "a timer", WaitExternal: "an external event", WaitSystem: "the system",
	}[x.Kind]
	for _, t := range []Text{x.Source, x.Resource, x.Condition} {
		if t != "" {
			words += " " + string(t)
		}
	}
	return words
}

func dueWords(at, now time.Time) string {
	if !at.After(now) {
		return "now"
	}
	return "in " + at.Sub(now).Round(time.Second).String()
}
