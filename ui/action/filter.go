package action

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"vise/model"
)

// RowFilter is a parsed filter. All its terms must hold: words, "exact words", class:a,b, has:report, has:todos, age:>1d, age:<2h,
// agent:name, text:words of the report, and each of them with "-" before it.
type RowFilter struct {
	terms []filterTerm
	now   time.Time
	// Trouble describes the terms that could not be parsed. Such a term hides nothing.
	Trouble string
}

type filterTerm struct {
	not  bool
	kind string // empty for words
	arg  string
}

// ParseFilter parses a filter. Ages count from now.
func ParseFilter(s string, now time.Time) RowFilter {
	return parseFilter(s, now, "exact", termsOfRows)
}

// parseFilter parses terms of some kinds. A quoted term is of the kind quoted.
func parseFilter(s string, now time.Time, quoted string, kinds map[string]string) RowFilter {
	f := RowFilter{now: now}
	for _, w := range FilterWords(s) {
		t := filterTerm{}
		if rest, ok := strings.CutPrefix(w, "-"); ok && rest != "" {
			t.not, w = true, rest
		}
		kind, arg, ok := strings.Cut(w, ":")
		switch {
		case strings.HasPrefix(w, `"`):
			t.kind, t.arg = quoted, strings.ToLower(strings.Trim(w, `"`))
		case !ok:
			t.arg = strings.ToLower(w)
		default:
			t.kind, t.arg = kind, strings.ToLower(strings.Trim(arg, `"`))
			if why := t.trouble(kinds); why != "" {
				f.Trouble = why
				continue
			}
		}
		if t.arg != "" {
			f.terms = append(f.terms, t)
		}
	}
	return f
}

// FilterWords splits at spaces outside quotes.
func FilterWords(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
}

// termsOfRows and termsOfEvents are the kinds of terms, each with its possible values; without any it takes any text.
var (
	termsOfRows = map[string]string{"class": "works, news, asks, queued, blocked, done", "has": "report, todos, wait",
		"age": "", "agent": "", "text": ""}
	termsOfEvents = map[string]string{"agent": "", "by": "", "item": "", "age": "",
		"kind": "item, pick, plan, wait, news, report, warning, message, turn, tick, permission, task, agent, delegation, seen"}
)

// trouble says why a term cannot be understood; it returns "" for one that is still being typed.
func (t filterTerm) trouble(kinds map[string]string) string {
	values, known := kinds[t.kind]
	_, _, isAge := ageOf(t.arg)
	switch {
	case !known:
		return fmt.Sprintf("no term %s: %s:", model.Text(t.kind), strings.Join(slices.Sorted(maps.Keys(kinds)), ":, "))
	case t.kind == "age" && !isAge && strings.Trim(strings.TrimLeft(t.arg, "<>"), "0123456789") != "":
		return "age: is like >1d or <30m"
	case values == "" || t.arg == "":
		return ""
	}
	for v := range strings.SplitSeq(t.arg, ",") {
		if _, class := classNames[v]; v != "" && !slices.Contains(strings.Split(values, ", "), v) && !(class && t.kind == "class") &&
			len(eventKinds[v]) == 0 {
			return fmt.Sprintf("%s: knows %s, not %s", t.kind, values, model.Text(v))
		}
	}
	return ""
}

// classNames are the names of classes. Those of vise list and of JSON, and earlier ones, are understood too.
var classNames = map[string]model.Class{
	"works": model.CurrentRunnable, "news": model.TriggeredBlocked, "asks": model.WaitingForOperator,
	"queued": model.QueuedRunnable, "blocked": model.BlockedClass, "done": model.CompletedRecent,
	"current": model.CurrentRunnable, "triggered": model.TriggeredBlocked, "needs": model.WaitingForOperator,
	string(model.FilterOperator): model.WaitingForOperator, string(model.FilterDone): model.CompletedRecent,
}

// ageOf parses ">1d": older than a day.
func ageOf(s string) (older bool, d time.Duration, ok bool) {
	if len(s) < 3 || s[0] != '>' && s[0] != '<' {
		return false, 0, false
	}
	d, err := model.ParseSpan(s[1:])
	return s[0] == '>', d, err == nil
}

// Empty reports whether the filter keeps everything.
func (f RowFilter) Empty() bool { return len(f.terms) == 0 }

// Keeps reports whether every term holds for a row, as far as a row can tell.
func (f RowFilter) Keeps(r model.Row) bool {
	return !slices.ContainsFunc(f.terms, func(t filterTerm) bool { return f.holds(t, r) == t.not })
}

// OfFinished returns f restricted to finished work.
func (f RowFilter) OfFinished() RowFilter {
	f.terms = append(slices.Clone(f.terms), filterTerm{kind: "class", arg: "done"})
	return f
}

// classes returns the classes that may have rows that f keeps.
func (f RowFilter) classes() []model.Class {
	return slices.DeleteFunc(slices.Clone(model.Classes), func(c model.Class) bool {
		return slices.ContainsFunc(f.terms, func(t filterTerm) bool {
			return t.kind == "class" && !t.not && !f.holds(t, model.Row{Class: c, IsCurrent: true})
		})
	})
}

// mayBeOf reports whether f may keep an agent's rows.
func (f RowFilter) mayBeOf(a model.AgentID) bool {
	return !slices.ContainsFunc(f.terms, func(t filterTerm) bool { return t.kind == "agent" && f.holds(t, model.Row{AgentID: a}) == t.not })
}

// mayKeep reports whether f may keep an item, judged by its stored row.
func (f RowFilter) mayKeep(row model.Row) bool {
	return !slices.ContainsFunc(f.terms, func(t filterTerm) bool {
		switch {
		case t.kind == "agent", t.kind == "age", t.kind == "class" && row.Class == model.CompletedRecent:
			return f.holds(t, row) == t.not
		}
		return t.kind == "class" && t.arg == "done" && !t.not
	})
}

// holdsOf reports whether a term holds for an item with its row.
func (f RowFilter) holdsOf(t filterTerm, w model.WorkItem, waits []model.Wait, row model.Row) bool {
	switch t.kind {
	case "", "exact":
		return slices.ContainsFunc(w.Texts(waits), model.PhraseOf(t.arg).InText)
	case "text":
		return model.PhraseOf(t.arg).InText(w.ResultSummary)
	}
	return f.holds(t, row)
}

func (f RowFilter) holds(t filterTerm, r model.Row) bool {
	switch t.kind {
	case "agent":
		return strings.HasPrefix(string(r.AgentID), t.arg)
	case "class":
		for c := range strings.SplitSeq(t.arg, ",") {
			if classNames[c] == r.Class || (c == "works" || c == "current") && r.IsCurrent {
				return true
			}
		}
		return false
	case "has":
		return t.arg == "report" && r.Reported || t.arg == "todos" && r.Todo.Total > 0 || t.arg == "wait" && r.Wait.Kind != ""
	case "age":
		older, d, ok := ageOf(t.arg)
		return !ok || (f.now.Sub(r.UpdatedAt) > d) == older
	case "text":
		return !t.not // rows hold no reports
	}
	return strings.Contains(searchable(r), t.arg)
}

// searchable returns the text of a row that a filter searches.
func searchable(r model.Row) string {
	return strings.ToLower(string(r.Handle) + " " + r.Objective.String() + " " + r.BlockedBy.String())
}

// eventKinds are the words of kind: with the events that each stands for.
var eventKinds = map[string][]model.EventKind{
	"item": {model.EventWorkItemWritten}, "pick": {model.EventWorkItemPicked, model.EventFocusReleased},
	"plan": {model.EventPlanRefreshed, model.EventPlanTaken},
	"wait": {model.EventWaitRegistered, model.EventWaitsCancelled, model.EventAwaited},
	"news": {model.EventWaitTriggered, model.EventIngressDelivered}, "trigger": {model.EventWaitTriggered, model.EventIngressDelivered},
	"report":  {model.EventReportPromoted, model.EventReportOffered, model.EventReportDeclined, model.EventBriefSuppressed},
	"warning": {model.EventCompletionWarning, model.EventStalled},
	"message": {model.EventMessageQueued, model.EventMessagesSent, model.EventMessagesSeen, model.EventMessagesRequeued,
		model.EventOperatorAnswered, model.EventOperatorNotified},
	"turn":       {model.EventTurnStarted, model.EventTurnEnded, model.EventRound},
	"tick":       {model.EventTickEmitted, model.EventRecheckConsumed},
	"permission": {model.EventPermissionAsked, model.EventPermissionAnswered, model.EventPermissionEnded},
	"task":       {model.EventTaskStarted, model.EventTaskEnded},
	"agent":      {model.EventAgentAdded, model.EventAgentRemoved, model.EventAgentUpdated},
	"delegation": {model.EventDelegationOpened, model.EventDelegationCompleted, model.EventDelegationReported,
		model.EventDelegationCancelled},
	"seen": {model.EventAcknowledged},
}

// ParseEventFilter parses a filter of events: words, "exact words", agent:, by:, item:, kind:a,b, age:<1h, and each of them with "-" before
// it. A term that cannot be parsed hides nothing.
func ParseEventFilter(s string, now time.Time) RowFilter {
	return parseFilter(s, now, "", termsOfEvents)
}

// has reports whether the filter has a term of a kind, such as kind:.
func (f RowFilter) has(kind string) bool {
	return slices.ContainsFunc(f.terms, func(t filterTerm) bool { return t.kind == kind })
}

// OfWork reports whether an event tells of work. The other events tell what the scheduler and the agents' programs did for it.
func OfWork(e model.Entry) bool {
	switch e.Kind {
	case model.EventTickEmitted, model.EventRecheckConsumed, model.EventTurnStarted, model.EventRound, model.EventMessagesSent,
		model.EventMessagesSeen, model.EventMessagesRequeued, model.EventBriefSuppressed:
		return false
	case model.EventTurnEnded:
		return model.DataOf[model.TurnNews](e).Outcome != model.TurnCompleted
	case model.EventFocusReleased:
		return model.DataOf[model.Released](e).Reason != model.ReleasedByPick // the pick's own event names the item
	}
	return true
}

// KeepsEvent reports whether every term holds for an event, which may be about an item.
func (f RowFilter) KeepsEvent(e model.Entry, w model.WorkItem) bool {
	for _, t := range f.terms {
		if f.holdsEvent(t, e, w) == t.not {
			return false
		}
	}
	return true
}

func (f RowFilter) holdsEvent(t filterTerm, e model.Entry, w model.WorkItem) bool {
	switch t.kind {
	case "agent":
		return strings.HasPrefix(string(e.AgentID), t.arg)
	case "by":
		return strings.Contains(string(e.Actor), t.arg) || strings.Contains(e.Person.String(), t.arg)
	case "item":
		return strings.HasPrefix(string(w.Handle), t.arg)
	case "age":
		older, d, ok := ageOf(t.arg)
		return !ok || (f.now.Sub(e.At) > d) == older
	case "kind":
		for k := range strings.SplitSeq(t.arg, ",") {
			if slices.Contains(eventKinds[k], e.Kind) {
				return true
			}
		}
		return false
	}
	words := strings.Join([]string{string(w.Handle), w.Objective.String(), string(e.AgentID), e.Describe().String(), string(e.Actor),
		e.Person.String()}, " ")
	return strings.Contains(strings.ToLower(words), t.arg)
}
