package model

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Scheduling is an item's scheduling state: one function decides it (docs/lifecycle.md 2).
type Scheduling string

// The scheduling states.
const (
	Runnable        Scheduling = "runnable"
	waitingTask     Scheduling = "waiting_task"
	WaitingOperator Scheduling = "waiting_operator"
	WaitingTimer    Scheduling = "waiting_timer"
	waitingExternal Scheduling = "waiting_external"
	waitingSystem   Scheduling = "waiting_system"
	blocked         Scheduling = "blocked"
	scheduledNever  Scheduling = "completed"
)

// readiness is the reduced form of a scheduling state.
type readiness string

// The readinesses.
const (
	readyToRun     readiness = "runnable"
	readyOperator  readiness = "waiting_for_operator"
	readyBlocked   readiness = "blocked"
	readyCompleted readiness = "completed"
)

// Readiness reduces a scheduling state.
func (s Scheduling) Readiness() readiness { return cmp.Or(readinesses[s], readyBlocked) }

var readinesses = map[Scheduling]readiness{Runnable: readyToRun, WaitingOperator: readyOperator, scheduledNever: readyCompleted}

// Class is a candidate class: work is offered in the order of the classes.
type Class string

// The candidate classes (docs/lifecycle.md 10).
const (
	CurrentRunnable    Class = "current_runnable"
	TriggeredBlocked   Class = "triggered_blocked"
	QueuedRunnable     Class = "queued_runnable"
	WaitingForOperator Class = "waiting_for_operator"
	BlockedClass       Class = "blocked"
	CompletedRecent    Class = "completed_recent"
)

// ReportOffered is not a candidate class. It collects the completed items with an offered report that nobody chose; each also
// has its own class. Rows and ClassTally know it.
const ReportOffered Class = "report_offered"

// Classes is the order of the classes.
var Classes = []Class{CurrentRunnable, TriggeredBlocked, QueuedRunnable, WaitingForOperator, BlockedClass, CompletedRecent}

// Rank is a class's place in Classes.
func (c Class) Rank() int { return slices.Index(Classes, c) }

// Limit is how many items of a class vise shows first (docs/lifecycle.md 10).
func (c Class) Limit() int { return cmp.Or(map[Class]int{CurrentRunnable: 1, QueuedRunnable: 5}[c], 3) }

// derived is everything that follows from an item's record, its active waits and the focus. None of it is stored as truth.
type derived struct {
	Scheduling Scheduling
	Readiness  readiness
	ReasonCode string
	Class      Class
	IsCurrent  bool
	// NeedsOperator holds if the plan needs input, if an operator wait has no answer yet (even if another state outranks it in
	// Scheduling), or if a report is only offered.
	NeedsOperator   bool
	LastTriggeredAt time.Time
	// Wait is the active wait that decides; nil if none is active.
	Wait        *Wait
	Diagnostics []string
}

// Derive returns what follows for an item. waits are its active waits; current says that it is the focus.
func Derive(w WorkItem, waits []Wait, current bool) derived {
	d := derived{IsCurrent: current && w.State == Open, Wait: deciding(waits)}
	for _, x := range waits {
		if x.Triggered() && x.LastTriggeredAt.After(d.LastTriggeredAt) {
			d.LastTriggeredAt = x.LastTriggeredAt
		}
		d.NeedsOperator = d.NeedsOperator || x.asks()
	}
	d.NeedsOperator = w.State == Open && (d.NeedsOperator || w.PlanStatus == NeedsInput) || w.OffersReport()
	d.Scheduling, d.ReasonCode = scheduling(w, d.Wait)
	d.Readiness = d.Scheduling.Readiness()
	d.Class = class(w, d)
	d.Diagnostics = diagnose(w, waits)
	return d
}

// scheduling has the one order of precedence: completed, active wait, blocker, needs_input, runnable.
func scheduling(w WorkItem, wait *Wait) (Scheduling, string) {
	switch {
	case w.State == Completed:
		return scheduledNever, "completed"
	case wait != nil:
		return Scheduling("waiting_" + wait.Kind), "active_" + string(wait.Kind) + "_wait"
	case w.BlockedBy != "":
		return blocked, "manual_blocker"
	case w.PlanStatus == NeedsInput:
		return WaitingOperator, "plan_needs_input"
	}
	return Runnable, "runnable"
}

// schedulingIn is the scheduling state of an item with its waits in f.
func schedulingIn(f Facts, w WorkItem) Scheduling {
	s, _ := scheduling(w, deciding(f.ItemWaits(w.AgentID, w.ID)))
	return s
}

// class follows docs/lifecycle.md 10; a completed item is never a candidate.
func class(w WorkItem, d derived) Class {
	switch {
	case w.State == Completed:
		return CompletedRecent
	case d.IsCurrent && d.Scheduling == Runnable:
		return CurrentRunnable
	case !d.LastTriggeredAt.IsZero() && w.BlockedBy != "":
		return TriggeredBlocked
	case d.Scheduling == Runnable:
		return QueuedRunnable
	case d.Scheduling == WaitingOperator:
		return WaitingForOperator
	}
	return BlockedClass
}

// deciding is the wait that outranks the others; among equal ones, the oldest.
func deciding(waits []Wait) *Wait {
	var best *Wait
	for i := range waits {
		if best == nil || waitRank[waits[i].Kind] < waitRank[best.Kind] {
			best = &waits[i]
		}
	}
	return best
}

func diagnose(w WorkItem, waits []Wait) []string {
	var found []string
	if w.State == Completed && len(waits) > 0 {
		found = append(found, "completed_work_item_has_active_wait")
	}
	if len(waits) > 1 && slices.ContainsFunc(waits, func(x Wait) bool { return x.Kind != waits[0].Kind }) {
		found = append(found, "multiple_active_wait_kinds")
	}
	if w.State == Open && w.BlockedBy != "" && len(waits) == 0 && w.RecheckAt.IsZero() {
		found = append(found, "blocked_without_recheck_or_wait")
	}
	return found
}

// Advice is a hint for the agent or the operator. It never changes anything (docs/lifecycle.md 18).
type Advice struct {
	Kind adviceKind `json:"kind"`
	Text string     `json:"text"`
}

// adviceKind is the stable name of an advice.
type adviceKind string

// The kinds of advice.
const (
	adviceManyRounds adviceKind = "many_rounds_without_mutation"
	adviceStaleTodo  adviceKind = "stale_todo_in_progress"
	adviceDraftPlan  adviceKind = "draft_plan_with_completed_todos"
	adviceNoWayBack  adviceKind = "external_wait_has_weak_recoverability"
	adviceForgotten  adviceKind = "blocked_work_item_without_recheck_or_wait"
)

// When advice is due: after this many rounds, or this long, without a mutation of the item.
const (
	manyRounds = 12
	staleTodo  = 4 * time.Hour
)

// Advise returns the advice about one open item.
func Advise(f Facts, w WorkItem, now time.Time) []Advice {
	if w.State == Completed {
		return nil
	}
	var out []Advice
	add := func(k adviceKind, format string, args ...any) {
		out = append(out, Advice{k, fmt.Sprintf(format, args...)})
	}
	if n := roundsSince(f, w); n >= manyRounds {
		add(adviceManyRounds, "%d replies since the work item was last updated; say what changed, or complete it", n)
	}
	done, running, _ := w.TodoCounts()
	if idle := now.Sub(w.UpdatedAt); running > 0 && idle >= staleTodo {
		add(adviceStaleTodo, "a todo is in progress and was not touched for %s", idle.Round(time.Minute))
	}
	if w.PlanStatus == Draft && done > 0 {
		add(adviceDraftPlan, "todos are completed while the plan is still a draft")
	}
	return append(out, noWayBack(w, f.ItemWaits(w.AgentID, w.ID))...)
}

// roundsSince counts the rounds about w since its last mutation.
func roundsSince(f Facts, w WorkItem) int {
	t, _ := f.Trace(w.AgentID, w.ID)
	n := 0
	for _, e := range t.Entries {
		if e.At.After(w.UpdatedAt) {
			n++
		}
	}
	return n
}

// noWayBack returns advice about an item that nothing wakes if the awaited event never comes.
func noWayBack(w WorkItem, waits []Wait) []Advice {
	armed := !w.RecheckAt.IsZero() && w.RecheckConsumedAt.Before(w.RecheckAt)
	for _, x := range waits {
		if x.Kind == WaitTimer || x.Kind == WaitSystem || x.Triggered() {
			armed = true
		}
	}
	switch {
	case armed:
		return nil
	case len(waits) == 0 && w.BlockedBy != "":
		return []Advice{{adviceForgotten, "it is blocked, and nothing reminds of it any more"}}
	}
	for _, x := range waits {
		if _, asked := x.Asks(); x.Kind == WaitExternal && !asked && x.After() == "" {
			return []Advice{{adviceNoWayBack, "if the event never comes, nobody is reminded; say when to check again (recheck)"}}
		}
	}
	return nil
}

// Why explains an item's place: its state, its rank, why it is not current, why it cannot run, and what would change that. It
// is the same in every frontend.
type Why struct {
	Class Class `json:"candidate_class"`
	// Rank is the item's place in its class, from 1; 0 if it is not among the first hundred.
	Rank      int `json:"rank"`
	ClassSize int `json:"class_size"`
	explanation
}

// explanation is what is said of an item or an agent, with what the scheduler would do now.
type explanation struct {
	// Lines are the sentences, in order.
	Lines    []whyLine `json:"lines"`
	Decision Decision  `json:"decision"`
}

func (y *explanation) say(label, text string) { y.Lines = append(y.Lines, whyLine{label, Text(text)}) }

// whyLine is one labelled sentence.
type whyLine struct {
	Label string `json:"label"`
	Text  Text   `json:"text"`
}

const rankHorizon = 100

// Explain says why an item is where it is.
func Explain(r Facts, w WorkItem, now time.Time) Why {
	agent, _ := r.Agent(w.AgentID)
	waits := r.ItemWaits(w.AgentID, w.ID)
	d := Derive(w, waits, agent.CurrentWorkItemID == w.ID)
	y := Why{Class: d.Class, ClassSize: r.Count(w.AgentID, ClassTally(d.Class))}
	y.Decision = Decide(r, w.AgentID, now)
	rows := r.Rows(w.AgentID, d.Class, nil, rankHorizon)
	y.Rank = 1 + slices.IndexFunc(rows, func(row Row) bool { return row.ID == w.ID })
	said := newestReply(r, w)
	if d.Class == WaitingForOperator && said.Settles(waits) {
		y.say("Class", NotYetRead)
	} else {
		y.say("Class", classReasons[d.Class])
	}
	y.say("Rank", rankReason(y, d.Class))
	y.notCurrent(r, w, d)
	y.notRunnable(w, d, now)
	y.evidence(waits)
	if said.Unread() {
		y.say("Answered", fmt.Sprintf("%q, not yet read by its agent", cut(said.Text, rowText)))
	}
	if stalled(r, RowOf(w, waits, d.IsCurrent)) {
		t, _ := r.Attempt(w.AgentID, w.ID)
		y.say("Stalled", Counted(max(t.Turns, 1), "turn")+" changed nothing; it is offered again when it changes, or by vise retry "+
			string(w.Handle))
	}
	if h := y.Decision; h.HeldBy != "" && d.Class.Rank() <= QueuedRunnable.Rank() {
		y.say("Rests", "its agent, until "+h.Until.Format(time.RFC3339)+": "+h.HeldBy)
	}
	for _, x := range OverlapsOf(r, w) {
		y.say("Overlap", x.Words())
	}
	for _, advice := range Advise(r, w, now) {
		y.say("Advice", advice.Text)
	}
	y.say("Its agent", "runs next "+runsNext(r, agent, y.Decision, now))
	return y
}

var classReasons = map[Class]string{
	CurrentRunnable:    "works: its agent has picked it, and it can go on",
	TriggeredBlocked:   "news: it is blocked, and what it waits for has happened",
	QueuedRunnable:     "queued: open and ready, not picked",
	WaitingForOperator: "asks you: it waits for your answer",
	BlockedClass:       "blocked: it cannot advance by itself",
	CompletedRecent:    "done: completed, for good",
}

func rankReason(y Why, c Class) string {
	order := map[Class]string{TriggeredBlocked: "latest news first", QueuedRunnable: "by priority, then oldest update first"}[c]
	order = cmp.Or(order, "newest update first")
	if y.Rank == 0 {
		return fmt.Sprintf("beyond the first %d of %d, %s", rankHorizon, y.ClassSize, order)
	}
	return fmt.Sprintf("%d of %d, %s", y.Rank, y.ClassSize, order)
}

func (y *explanation) notCurrent(r Facts, w WorkItem, d derived) {
	if d.IsCurrent || w.State == Completed {
		return
	}
	cur, ok := Focus(r, w.AgentID)
	switch {
	case !ok:
		y.say("Not picked", "nothing is picked; only a pick changes that")
	case schedulingIn(r, cur) == Runnable:
		y.say("Not picked", string(cur.Handle)+" works and can go on; only a pick changes that")
	default:
		y.say("Not picked", string(cur.Handle)+" is picked, for review")
	}
}

func (y *explanation) notRunnable(w WorkItem, d derived, now time.Time) {
	switch {
	case d.Scheduling == Runnable || w.State == Completed:
		return
	case d.Wait != nil:
		y.say("Not ready", "it waits for "+waitWords(*d.Wait)+": "+string(d.Wait.Reason))
		y.say("Becomes so", "when its blocker is cleared, which also ends the wait; news alone does not clear it")
	case w.BlockedBy != "":
		y.say("Not ready", "blocked by: "+string(w.BlockedBy))
		y.say("Becomes so", "when the blocker is cleared")
	default:
		y.say("Not ready", "its plan needs your input")
		y.say("Becomes so", "when the plan status is draft or ready again")
	}
	if !w.RecheckAt.IsZero() && w.RecheckConsumedAt.Before(w.RecheckAt) {
		y.say("Check again", dueWords(w.RecheckAt, now)+"; it reminds, it does not unblock")
	}
	if w.BlockedBy != "" && w.PlanStatus == NeedsInput {
		y.say("Also", "its plan needs input")
	}
}

func (y *explanation) evidence(waits []Wait) {
	for _, x := range waits {
		if said := x.Checked; said != (Checked{}) {
			y.say("Checks", fmt.Sprintf("%s, since %s", said.Gist(), said.Since.Format(time.RFC3339)))
		}
		if x.Triggered() {
			times := ""
			if x.TriggerCount > 1 {
				times = fmt.Sprintf(", %d times", x.TriggerCount)
			}
			y.say("News", fmt.Sprintf("for its wait for %s, from %s at %s%s", waitWords(x), By(x.LastTrigger.Actor, x.LastTrigger.Person),
				x.LastTriggeredAt.Format(time.RFC3339), times))
		}
	}
}

// waitWords names what a wait waits for.
func waitWords(x Wait) string {
	if a, ok := x.Asks(); ok {
		return a.Words()
	}
	if x.After() != "" {
		return "work item " + string(x.Source)
	}
	words := map[WaitKind]string{
		WaitTask: "task", WaitOperator: "an answer", WaitTimer: "a timer", WaitExternal: "an external event", WaitSystem: "the system",
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
