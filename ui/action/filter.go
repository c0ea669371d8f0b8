package action

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/sahilm/fuzzy"

	"vise/model"
)

// RowFilter is what the operator wrote, read once. Its terms must all hold:
// words, "exact words", class:a,b, has:report, has:todos, age:>1d, age:<2h, agent:name, and each of
// them with "-" before it.
type RowFilter struct {
	terms []filterTerm
	now   time.Time
	// Trouble is what could not be read; such a term hides nothing.
	Trouble string
}

type filterTerm struct {
	not  bool
	kind string // empty: words
	arg  string
	// loose is set for words that no row holds as they are: then their letters in order do.
	loose bool
}

// ParseFilter reads a filter. Ages are as of now.
func ParseFilter(s string, now time.Time) RowFilter {
	return parseFilter(s, now, "exact", filterTerm.check)
}

// parse reads terms. What stands in quotes is of the kind quoted; check says what is wrong
// with a term that names its kind.
func parseFilter(s string, now time.Time, quoted string, check func(filterTerm) string) RowFilter {
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
			if why := check(t); why != "" {
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

// FilterWords splits at spaces outside of quotes.
func FilterWords(s string) []string {
	quoted := false
	return strings.FieldsFunc(s, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return r == ' ' && !quoted
	})
}

func (t filterTerm) check() string {
	switch t.kind {
	case "agent":
		return ""
	case "class":
		for c := range strings.SplitSeq(t.arg, ",") {
			if _, ok := classNames[c]; c != "" && !ok {
				return "no class " + model.Text(c).String() + ": current, triggered, needs, queued, blocked, done"
			}
		}
		return ""
	case "has":
		if t.arg == "" || t.arg == "report" || t.arg == "todos" || t.arg == "wait" {
			return ""
		}
		return "has: knows report, todos and wait"
	case "age":
		if _, _, ok := ageOf(t.arg); ok || len(t.arg) < 3 {
			return ""
		}
		return "age: is like >1d or <30m"
	}
	return "no term " + model.Text(t.kind).String() + ": class:, has:, age: and agent:"
}

var classNames = map[string]model.Class{
	"current": model.CurrentRunnable, "triggered": model.TriggeredBlocked, "needs": model.WaitingForOperator,
	"queued": model.QueuedRunnable, "blocked": model.BlockedClass, "done": model.CompletedRecent,
}

// ageOf reads ">1d": older than a day.
func ageOf(s string) (older bool, d time.Duration, ok bool) {
	if len(s) < 3 || s[0] != '>' && s[0] != '<' {
		return false, 0, false
	}
	d, err := model.ParseSpan(s[1:])
	return s[0] == '>', d, err == nil
}

// Empty: it keeps everything.
func (f RowFilter) Empty() bool { return len(f.terms) == 0 }

// Keeps says which rows of all hold every term. A word is looked for as it is; only if no
// row has it, its letters in order will do.
func (f RowFilter) Keeps(all iter.Seq[model.Row]) func(model.Row) bool {
	terms := make([]filterTerm, len(f.terms))
	for i, t := range f.terms {
		t.loose = t.kind == "" && !t.not && !anyRow(all, func(r model.Row) bool { return f.holds(t, r) })
		terms[i] = t
	}
	return func(r model.Row) bool {
		for _, t := range terms {
			if f.holds(t, r) == t.not {
				return false
			}
		}
		return true
	}
}

func anyRow(all iter.Seq[model.Row], match func(model.Row) bool) bool {
	for r := range all {
		if match(r) {
			return true
		}
	}
	return false
}

func (f RowFilter) holds(t filterTerm, r model.Row) bool {
	switch t.kind {
	case "agent":
		return strings.HasPrefix(string(r.AgentID), t.arg)
	case "class":
		for c := range strings.SplitSeq(t.arg, ",") {
			if classNames[c] == r.Class || c == "current" && r.IsCurrent {
				return true
			}
		}
		return false
	case "has":
		return t.arg == "report" && r.Reported || t.arg == "todos" && r.Todo.Total > 0 || t.arg == "wait" && r.Wait.Kind != ""
	case "age":
		older, d, ok := ageOf(t.arg)
		return !ok || (f.now.Sub(r.UpdatedAt) > d) == older
	}
	s := searchable(r)
	if t.loose {
		return len(fuzzy.Find(t.arg, []string{s})) > 0
	}
	return strings.Contains(s, t.arg)
}

// searchable are the words of a row that a filter looks at.
func searchable(r model.Row) string {
	return strings.ToLower(string(r.Handle) + " " + r.Objective.String() + " " + r.BlockedBy.String())
}

// eventKinds are the words of kind: and the events that each gathers.
var eventKinds = map[string][]model.EventKind{
	"item": {model.EventWorkItemWritten}, "pick": {model.EventWorkItemPicked, model.EventFocusReleased},
	"plan": {model.EventPlanRefreshed}, "wait": {model.EventWaitRegistered, model.EventWaitsCancelled},
	"trigger": {model.EventWaitTriggered, model.EventIngressDelivered},
	"report":  {model.EventReportPromoted, model.EventReportOffered, model.EventReportDeclined, model.EventBriefSuppressed},
	"warning": {model.EventCompletionWarning, model.EventStalled},
	"message": {model.EventMessageQueued, model.EventMessagesSent, model.EventMessagesSeen, model.EventOperatorAnswered,
		model.EventOperatorNotified},
	"turn":       {model.EventTurnStarted, model.EventTurnEnded, model.EventRound},
	"tick":       {model.EventTickEmitted, model.EventRecheckConsumed},
	"permission": {model.EventPermissionAsked, model.EventPermissionAnswered, model.EventPermissionEnded},
	"task":       {model.EventTaskStarted, model.EventTaskEnded}, "agent": {model.EventAgentAdded, model.EventAgentUpdated},
	"delegation": {model.EventDelegationOpened, model.EventDelegationCompleted, model.EventDelegationCancelled},
	"seen":       {model.EventAcknowledged},
}

// ParseEventFilter reads a filter of events: words, "exact words", agent:, by:, item:,
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
				return "no kind " + model.Text(k).
					String() + ": item, pick, plan, wait, trigger, report, warning, message, turn, tick, task, agent, delegation, seen"
			}
		}
		return ""
	}
	return "no term " + model.Text(t.kind).String() + ": agent:, by:, item:, kind: and age:"
}

// Has reports whether a term of a kind is in the filter: kind:, say.
func (f RowFilter) Has(kind string) bool {
	return slices.ContainsFunc(f.terms, func(t filterTerm) bool { return t.kind == kind })
}

// OfWork reports whether an event tells of work; the others tell how the scheduler and the agents'
// programs went about it.
func OfWork(e model.Entry) bool {
	switch e.Kind {
	case model.EventTickEmitted, model.EventRecheckConsumed, model.EventTurnStarted, model.EventRound, model.EventMessagesSent,
		model.EventMessagesSeen, model.EventBriefSuppressed:
		return false
	case model.EventTurnEnded:
		return model.DataOf[model.TurnNews](e).Outcome != model.TurnCompleted
	}
	return true
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
	words := string(handle) + " " + string(e.AgentID) + " " + e.Describe().String() + " " + string(e.Actor)
	return strings.Contains(strings.ToLower(words), t.arg)
}

// ParseReportFilter reads a filter of finished work: words of the objective, text:words of
// the report, agent:, has:report, age:>1d, and each with "-" before it.
func ParseReportFilter(s string, now time.Time) RowFilter {
	return parseFilter(s, now, "", filterTerm.checkReport)
}

func (t filterTerm) checkReport() string {
	switch {
	case t.kind == "agent", t.kind == "text", t.kind == "has" && (t.arg == "report" || t.arg == ""), t.kind == "age" && t.check() == "":
		return ""
	}
	return "no term " + model.Text(t.kind+":"+t.arg).String() + ": text:, agent:, has:report and age:"
}

// ReadsText reports whether a filter looks into reports, which are read one by one.
func (f RowFilter) ReadsText() bool {
	return slices.ContainsFunc(f.terms, func(t filterTerm) bool { return t.kind == "text" })
}

// KeepsReport reports whether every term holds of finished work.
func (f RowFilter) KeepsReport(r model.Reader, row model.Row) bool {
	for _, t := range f.terms {
		holds := false
		switch t.kind {
		case "agent":
			holds = strings.HasPrefix(string(row.AgentID), t.arg)
		case "text":
			w, _ := r.Item(row.ID)
			holds = strings.Contains(strings.ToLower(w.ResultSummary.String()), t.arg)
		case "":
			holds = strings.Contains(searchable(row)+" "+string(row.AgentID), t.arg)
		default:
			holds = f.holds(t, row)
		}
		if holds == t.not {
			return false
		}
	}
	return true
}
