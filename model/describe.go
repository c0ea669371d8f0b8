package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Describe describes an event in words, without its item: "picked: the merge window closes". Every frontend uses these words.
func (e Entry) Describe() Text {
	if describe, ok := describers[e.Kind]; ok {
		return describe(e.Data)
	}
	return Text(Spaced(e.Kind))
}

// Act is a row of activity: the event that names what one commit did to an item, and the others of that commit.
type Act struct {
	Entry
	Then []Entry
	// Times is how many equal acts the row stands for, if more than one.
	Times int
}

// Acts groups events, newest or oldest first, by commit, agent, actor and item.
func Acts(all []Entry) []Act {
	var out []Act
	for _, e := range all {
		at := len(out) - 1
		for at >= 0 && out[at].Revision == e.Revision && !out[at].sameAct(e) {
			at--
		}
		if at < 0 || out[at].Revision != e.Revision {
			out = append(out, Act{Entry: e})
			continue
		}
		a := &out[at]
		if c := cmp.Compare(e.leads(), a.leads()); c > 0 || c == 0 && e.N < a.N {
			a.Entry, e = e, a.Entry
		}
		a.Then = append(a.Then, e)
		slices.SortFunc(a.Then, func(x, y Entry) int { return cmp.Compare(x.N, y.N) })
	}
	return out
}

func (e Entry) sameAct(x Entry) bool {
	return e.AgentID == x.AgentID && e.Actor == x.Actor && e.WorkItemID == x.WorkItemID
}

// leads ranks the events of one commit: the greatest names the act.
func (e Entry) leads() int {
	switch e.Kind {
	case EventWorkItemPicked, EventWaitRegistered, EventOperatorAnswered:
		return 3
	case EventWorkItemWritten, EventWaitTriggered:
		return 2
	case EventFocusReleased, EventWaitsCancelled, EventReportPromoted, EventBriefSuppressed, EventCompletionWarning:
		return 0
	}
	return 1
}

// Describe describes what was done, then in few words what followed from it.
func (a Act) Describe() Text {
	said := []Text{a.Entry.Describe()}
	completed, answered := DataOf[Written](a.Entry).Action == "completed", a.Kind == EventOperatorAnswered
	for _, e := range a.Then {
		then := e.Describe()
		switch {
		case e.Kind == EventBriefSuppressed, DataOf[Written](e).Action == "waiting", e.Kind == EventFocusReleased && completed,
			answered && (e.Kind == EventWaitTriggered || e.Kind == EventMessageQueued):
			continue // the act says it
		case e.Kind == EventFocusReleased:
			then = "no longer current"
		case e.Kind == EventWaitsCancelled:
			then = Text(Counted(len(DataOf[cancelled](e).WaitIDs), "wait") + " cancelled")
		case e.Kind == EventCompletionWarning:
			words, _, _ := strings.Cut(DataOf[Warning](e).Message, ";")
			then = Text(strings.TrimPrefix(words, "completed "))
		}
		said = append(said, then)
	}
	return Join(said, " · ")
}

var describers = map[EventKind]func(json.RawMessage) Text{
	EventAgentAdded:      func(json.RawMessage) Text { return "agent added" },
	EventAgentRemoved:    func(json.RawMessage) Text { return "agent removed" },
	EventAgentUpdated:    describing(describeAgent),
	EventWorkItemWritten: describing(describeWritten),
	EventWorkItemPicked:  describing(describePicked),
	EventFocusReleased:   describing(func(d Released) string { return "no longer current: " + Spaced(d.Reason) }),
	EventPlanRefreshed:   describing(describePlan),
	EventPlanTaken:       describing(func(planTaken) string { return "plan.md has the edit of another machine" }),
	EventTodosRefreshed:  describing(describeRows),
	eventLinksChanged:    describing(describeLinked),
	EventCommented:       describing(describeComment),
	EventChecked:         describing(describeCheck),
	EventOverlapNoted:    describing(func(d overlapNews) string { return "overlap: " + d.Overlap.Words() }),
	EventWaitRegistered:  describing(describeWait),
	EventWaitsCancelled: describing(func(d cancelled) string {
		return Counted(len(d.WaitIDs), "wait") + " cancelled: " + Spaced(d.Reason)
	}),
	EventWaitTriggered:     describing(describeTrigger),
	EventAwaited:           describing(func(d awaitedNews) string { return string(d.AgentID) + " waits for it" }),
	EventWaitChecked:       describing(func(d checkNews) string { return d.Resource.Raw() + ": " + d.Gist().Raw() }),
	EventCompletionWarning: describing(func(d Warning) string { return "warning: " + d.Message }),
	EventReportPromoted: describing(func(d promoted) string {
		from := ""
		if d.Source != ReportSameRound { // the usual one
			from = " (" + Spaced(d.Source) + ")"
		}
		return "report kept" + from + ": " + string(d.TextPreview)
	}),
	EventReportOffered: describing(func(d offeredNews) string {
		return "report offered (" + Spaced(d.Source) + "): " + string(d.TextPreview)
	}),
	EventReportDeclined:      describing(func(d declinedNews) string { return Counted(d.Offers, "offered report") + " declined" }),
	EventBriefSuppressed:     describing(func(promoted) string { return "the report is shown in place of the turn's last text" }),
	EventPermissionAsked:     describing(describePermission("asked for permission")),
	EventPermissionAnswered:  describing(describePermission("permission answered")),
	EventPermissionEnded:     describing(describePermission("permission ended")),
	EventTaskStarted:         describing(describeTask),
	EventTaskEnded:           describing(describeTask),
	EventMessagesSent:        describing(describeHanded(" sent")),
	EventMessagesSeen:        describing(describeHanded(" seen")),
	EventMessagesRequeued:    describing(describeHanded(" to be sent again")),
	EventMessageQueued:       describing(describeMessage),
	EventOperatorAnswered:    describing(func(d answered) string { return "answered: " + string(d.Text) }),
	EventOperatorNotified:    describing(func(d notice) string { return "says: " + string(d.Text) }),
	EventTurnStarted:         describing(describeTurn),
	EventTurnEnded:           describing(describeTurn),
	EventRound:               describing(describeRound),
	EventTickEmitted:         describing(describeTick),
	EventRecheckConsumed:     describing(func(recheckNews) string { return "check again" }),
	EventStalled:             describing(func(d stallNews) string { return "stalled after " + Counted(d.Attempts, "turn") }),
	EventRetried:             describing(func(agentNews) string { return "tried again" }),
	EventUsageLimit:          describing(describeLimit),
	EventSnoozed:             describing(describeSnooze),
	EventAcknowledged:        describing(describeSeen),
	eventIngressMinted:       describing(describeIngress("made")),
	eventIngressRevoked:      describing(describeIngress("revoked")),
	EventIngressDelivered:    describing(describeIngress("used")),
	EventDelegationOpened:    describing(describeDelegated("delegated to %s")),
	EventDelegationCancelled: describing(describeDelegated("delegation to %s cancelled")),
	EventDelegationReported: describing(func(d delegated) string {
		return describeDelegated("report of %s: ")(d) + string(d.ResultSummary)
	}),
	EventDelegationCompleted: describing(describeDelegated("delegation completed by %s")),
}

// describing decodes an event's data; from data of another shape it takes the fields that fit.
func describing[D any](words func(D) string) func(json.RawMessage) Text {
	return func(raw json.RawMessage) Text {
		var d D
		_ = json.Unmarshal(raw, &d)
		return Text(words(d))
	}
}

func describeAgent(d agentNews) string {
	s := "agent is " + string(d.Posture)
	if d.AutoPick {
		s += ", the scheduler may pick"
	}
	if d.Evidence.Policy != "" {
		s += ", evidence: " + string(d.Evidence.Policy)
	}
	return s
}

func describeWritten(d Written) string {
	switch d.Action {
	case "completed":
		s := "completed"
		if d.WithUnfinishedTodos {
			s += " with " + Counted(d.UnfinishedTodos, "unfinished todo")
		}
		if d.Forced {
			s += ", forced"
		}
		return s
	case "blocked", "waiting":
		return d.Action + ": " + string(d.BlockedBy)
	case "undone", "redone":
		return d.Action + ": " + string(d.Undone)
	case "updated":
		return describeUpdate(d)
	}
	return Spaced(d.Action)
}

// describeUpdate tells an item's progress if its list changed, and the names of the other changed fields.
func describeUpdate(d Written) string {
	var said []string
	fields := d.Changed
	if d.Todo != nil {
		fields = slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return f == "todo_list" })
	}
	if len(fields) > 0 {
		said = append(said, "updated "+Spaced(strings.Join(fields, ", ")))
	}
	if d.Todo != nil {
		said = append(said, describeTodo(*d.Todo))
	}
	return strings.Join(said, ", ")
}

func describeTodo(g TodoGist) string {
	switch {
	case g.Total == 0:
		return "no todos"
	case g.Current == "":
		return fmt.Sprintf("%d/%d todos", g.Done, g.Total)
	}
	return fmt.Sprintf("%d/%d ▸ %s", g.Done, g.Total, g.Current)
}

func describePicked(d Picked) string {
	s := "picked"
	if d.FocusMode == FocusInspection {
		s += " for review"
	}
	if d.SwitchKind == SwitchAutoPick {
		s += " by the scheduler"
	}
	switch {
	case d.Reason != "":
		s += ": " + string(d.Reason)
	case d.ReasonMissing:
		s += ", reason missing"
	}
	return s
}

func describePlan(d refreshed) string {
	s := "plan.md changed"
	switch {
	case d.Condition != PlanOK:
		s = "plan.md is " + Spaced(d.Condition)
	case d.Added+d.Removed > 0:
		s = fmt.Sprintf("plan.md +%d −%d", d.Added, d.Removed)
	}
	if d.Aside != "" {
		s += "; an edit on another machine is kept beside it in " + d.Aside.Raw()
	}
	return s
}

// describeRows names the row if one changed, and counts them if there are more.
func describeRows(d todosRefreshed) string {
	if len(d.Rows) == 1 {
		return fmt.Sprintf("todo %s: %s", Spaced(d.Rows[0].State), d.Rows[0].Text.Raw())
	}
	return Counted(len(d.Rows), "todo") + " updated from their files"
}

// describeLinked names what was linked or unlinked if it is one thing, and counts it if there are more.
func describeLinked(d linked) string {
	var said []string
	for _, part := range []struct {
		verb  string
		links Links
	}{{"linked ", d.Added}, {"unlinked ", d.Removed}} {
		names := part.links.names()
		switch len(names) {
		case 0:
		case 1:
			said = append(said, part.verb+names[0])
		default:
			said = append(said, part.verb+Counted(len(names), "thing"))
		}
	}
	return strings.Join(said, ", ")
}

// names are the names of the links.
func (l Links) names() []string {
	var out []string
	for _, t := range l.Threads {
		out = append(out, "thread "+string(t.TaskID))
	}
	for _, t := range l.TodoRefs {
		out = append(out, "todo "+string(t.QualifiedID))
	}
	for _, r := range l.Refs {
		if dir, commit, ok := r.began(); ok {
			out = append(out, "the commit where work began in "+dir+": "+commit[:min(len(commit), beganCommit)])
			continue
		}
		out = append(out, string(r.Kind)+" "+string(r.Ref))
	}
	return out
}

func describeWait(d registered) string {
	if d.Question != "" {
		return "asks: " + string(d.Question)
	}
	s := "waits for " + waitWords(Wait{Kind: d.Kind, Source: d.Source, Resource: d.Resource, Condition: d.Condition})
	if !d.WakeAt.IsZero() {
		s += " at " + d.WakeAt.Format(time.RFC3339)
	}
	return s
}

func describeTrigger(d TriggerNews) string {
	s := "news from " + string(By(d.Actor, d.Person))
	if d.Source != "" {
		s += ", " + string(d.Source)
	}
	if d.Payload != "" {
		s += ": " + string(cut(d.Payload, rowText))
	}
	return s
}

// WaitsFor says what a wait waits for, in words for agents.
func (w Wait) WaitsFor() Text {
	if w.Kind == WaitOperator {
		return "the operator"
	}
	return Text(waitWords(w))
}

// Counted is a number of things: "1 file", "3 files", "2 replies".
func Counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	if stem, ok := strings.CutSuffix(thing, "y"); ok && thing != "day" {
		thing = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// The words for turns, ticks, messages and capabilities.

func describeTurn(d TurnNews) string {
	if d.Outcome == "" {
		return fmt.Sprintf("turn %d began, by %s", d.Turn, d.Holder)
	}
	s := fmt.Sprintf("turn %d %s after %s", d.Turn, Spaced(d.Outcome), Counted(d.Rounds, "reply"))
	if d.Code != "" {
		s += " (" + string(d.Code) + ")"
	}
	if d.Reason != "" {
		s += ": " + Spaced(d.Reason)
	}
	return s
}

func describeRound(d roundNews) string {
	s := fmt.Sprintf("reply %d", d.Round)
	if len(d.Calls) > 0 {
		s += " called " + strings.Join(d.Calls, ", ")
	}
	if d.Refused != "" {
		s += " was refused: " + string(d.Refused)
	}
	if d.Text != "" {
		s += ": " + string(d.Text)
	}
	return s
}

func describeTick(d tickNews) string {
	if d.Subsystem == reasonRecheck {
		return "check again: " + Counted(d.Count, "blocked work item")
	}
	s := "offered: " + Spaced(d.Reason)
	if d.Attempt > 1 {
		s += fmt.Sprintf(", attempt %d", d.Attempt)
	}
	return s
}

func describeMessage(d messageNews) string {
	s := "message"
	if d.Source != "" {
		s += " through " + string(d.Source)
	}
	return s + " (" + string(d.Priority) + "): " + string(d.Text)
}

func describeHanded(what string) func(handedNews) string {
	return func(d handedNews) string { return Counted(len(d.Messages), "message") + what }
}

func describeDelegated(format string) func(delegated) string {
	return func(d delegated) string { return fmt.Sprintf(format, d.ChildAgentID) }
}

func describeTask(d TaskNews) string {
	if d.Status == TaskRunning {
		return "task started: " + string(d.Summary)
	}
	s := "task " + string(d.Status) + ": " + string(d.Summary)
	if d.Result != "" {
		first, _, _ := strings.Cut(string(d.Result), "\n")
		s += " (" + first + ")"
	}
	return s
}

func describeIngress(what string) func(ingressNews) string {
	return func(d ingressNews) string {
		if d.Resource != "" {
			return "capability for " + string(d.Resource) + " " + what
		}
		return "capability " + what
	}
}

// Join joins the raw words of a list into one text.
func Join[T ~string](list []T, between string) T {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = string(w)
	}
	return T(strings.Join(words, between))
}

func describeLimit(d limitNews) string {
	if d.Until.IsZero() {
		return "its program's usage limit is over"
	}
	return "its program's usage limit is reached, until " + d.Until.Format(time.RFC3339)
}
