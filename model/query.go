package model

import (
	"cmp"
	"slices"
	"time"
)

// Filter selects items of a list (docs/lifecycle.md 10).
type Filter string

// The eight filters. FilterQueued is open, not current and runnable. FilterBlocked excludes the current item; FilterOperator
// and filterRunnable include it.
const (
	FilterAll      Filter = "all"
	FilterOpen     Filter = "open"
	FilterDone     Filter = "completed"
	filterCurrent  Filter = "current"
	FilterQueued   Filter = "queued"
	FilterBlocked  Filter = "blocked"
	FilterOperator Filter = "waiting_for_operator"
	filterRunnable Filter = "runnable"
)

// Filters are the eight filters, in the order shown to a user.
var Filters = []Filter{FilterAll, FilterOpen, FilterDone, filterCurrent, FilterQueued, FilterBlocked, FilterOperator, filterRunnable}

// Limits of a list page.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// itemPage is one page of an agent's items in candidate order.
type itemPage struct {
	Filter Filter `json:"filter"`
	Rows   []Row  `json:"-"`
	// Returned is len(Rows), Total the number of all matches, Limit the limit of the page.
	Returned int `json:"returned"`
	Total    int `json:"total_matching"`
	Limit    int `json:"limit"`
	// Next is the row after which the next page begins; nil at the end.
	Next *Row `json:"-"`
}

// ListItems reads a page. An empty filter is all. A limit outside 1…100 is clamped; zero is 20. An unknown filter is an error.
func ListItems(f Facts, agent AgentID, filter Filter, after *Row, limit int) (itemPage, error) {
	filter = cmp.Or(filter, FilterAll)
	scan, ok := scans[filter]
	if !ok {
		return itemPage{}, Invalid("unknown filter %q", Text(filter)).At("filter",
			"the filters are %s", Join(Filters, ", "))
	}
	l := itemPage{Filter: filter, Limit: min(max(cmp.Or(limit, DefaultLimit), 1), MaxLimit), Total: total(f, agent, filter)}
	for _, class := range scan.classes {
		if after != nil && class.Rank() < after.Class.Rank() {
			continue
		}
		if l.scan(f, agent, class, after, scan.keep); len(l.Rows) > l.Limit {
			break
		}
	}
	if len(l.Rows) > l.Limit {
		l.Rows = l.Rows[:l.Limit]
		l.Next = &l.Rows[l.Limit-1]
	}
	l.Returned = len(l.Rows)
	return l, nil
}

// scan appends the matching rows of class, up to one more than the page holds.
func (l *itemPage) scan(f Facts, agent AgentID, class Class, after *Row, keep func(Row) bool) {
	if after != nil && after.Class != class {
		after = nil
	}
	for len(l.Rows) <= l.Limit {
		want := l.Limit + 1 - len(l.Rows)
		rows := f.Rows(agent, class, after, want)
		for _, r := range rows {
			if keep == nil || keep(r) {
				l.Rows = append(l.Rows, r)
			}
		}
		if len(rows) < want {
			return
		}
		after = &rows[len(rows)-1]
	}
}

type filterScan struct {
	classes []Class
	// keep selects the rows of these classes that match; nil keeps all.
	keep func(Row) bool
}

var (
	openClasses = Classes[:5]
	scans       = map[Filter]filterScan{
		FilterAll:     {classes: Classes},
		FilterOpen:    {classes: openClasses},
		FilterDone:    {classes: Classes[5:]},
		filterCurrent: {openClasses, func(r Row) bool { return r.IsCurrent }},
		FilterQueued:  {classes: []Class{QueuedRunnable}},
		FilterBlocked: {[]Class{TriggeredBlocked, BlockedClass}, func(r Row) bool {
			return !r.IsCurrent && r.Scheduling.Readiness() == readyBlocked
		}},
		FilterOperator: {[]Class{TriggeredBlocked, WaitingForOperator}, func(r Row) bool {
			return r.Scheduling.Readiness() == readyOperator
		}},
		filterRunnable: {classes: []Class{CurrentRunnable, QueuedRunnable}},
	}
)

func total(f Facts, agent AgentID, filter Filter) int {
	switch filter {
	case FilterAll:
		return f.Count(agent, TallyOpen) + f.Count(agent, TallyCompleted)
	case filterCurrent:
		if _, ok := Focus(f, agent); ok {
			return 1
		}
		return 0
	case FilterQueued:
		return f.Count(agent, ClassTally(QueuedRunnable))
	}
	return f.Count(agent, Tally(filter))
}

// Focus is the agent's current item. A focus on a missing or completed item does not count.
func Focus(f Facts, agent AgentID) (WorkItem, bool) {
	a, ok := f.Agent(agent)
	if !ok || a.CurrentWorkItemID == "" {
		return WorkItem{}, false
	}
	w, ok := f.Item(a.CurrentWorkItemID)
	return w, ok && w.State == Open && w.AgentID == agent
}

// Shown are the items that the agent sees first: its focus and the first of each class.
func Shown(f Facts, agent AgentID) (ids []ItemID) {
	for _, class := range openClasses {
		for _, r := range f.Rows(agent, class, nil, class.Limit()) {
			ids = append(ids, r.ID)
		}
	}
	if w, ok := Focus(f, agent); ok && !slices.Contains(ids, w.ID) {
		ids = append(ids, w.ID)
	}
	return ids
}

// Desk is the console's first screen of one agent. Its cost follows its rows.
type Desk struct {
	Revision uint64
	Agent    Agent
	// Current is the focus, whatever its class; the sections do not repeat it.
	Current *Row
	// Sections are the classes in their order, each with its first rows and its full count. ReportOffered is the last.
	Sections []Section
	// NeedsYou is how many items of the agent need the operator.
	NeedsYou int
	Decision Decision
}

// Section holds the first rows of a class.
type Section struct {
	Class Class
	Rows  []Row
	// Total counts the class without the current item.
	Total int
}

// Section is the desk's section of a class.
func (d Desk) Section(c Class) Section {
	for _, s := range d.Sections {
		if s.Class == c {
			return s
		}
	}
	return Section{Class: c}
}

// DeskOf reads an agent's desk; limit is how many rows of a class it reads.
func DeskOf(r Reader, agent AgentID, at Stamp, limit func(Class) int) Desk {
	d := Desk{Revision: r.Revision(), NeedsYou: r.Count(agent, TallyNeedsOperator)}
	d.Agent, _ = r.Agent(agent)
	if w, ok := Focus(r, agent); ok {
		row := rowIn(r, w)
		row.Stalled = stalled(r, row)
		d.Current = &row
	}
	for _, class := range Classes[1:] {
		d.Sections = append(d.Sections, section(r, agent, class, d.Current, limit(class)))
	}
	for _, x := range slices.Backward(AgentNeeds(r, agent)) {
		asked := &d.Sections[WaitingForOperator.Rank()-1]
		asked.Rows, asked.Total = append([]Row{x.Row}, asked.Rows...), asked.Total+1
	}
	d.Sections = append(d.Sections, section(r, agent, ReportOffered, nil, limit(ReportOffered)))
	d.Decision = Decide(r, agent, at.At)
	return d
}

func section(r Reader, agent AgentID, class Class, current *Row, limit int) Section {
	s := Section{Class: class, Total: r.Count(agent, ClassTally(class))}
	extra := 0
	if class == CompletedRecent {
		offered := r.Count(agent, ClassTally(ReportOffered)) // they have a section of their own
		s.Total -= offered
		extra = min(offered, MaxLimit)
	}
	if current != nil && current.Class == class {
		s.Total--
		extra = 1
	}
	for _, row := range r.Rows(agent, class, nil, limit+extra) {
		row.Stalled = stalled(r, row)
		if !row.IsCurrent && len(s.Rows) < limit && (class == ReportOffered || !row.Offered()) {
			s.Rows = append(s.Rows, row)
		}
	}
	return s
}

func notFound(id ItemID) *Error {
	return NotFound("unknown work item %s", Text(id)).At("work_item_id",
		"list the agent's items: ListWorkItems, or vise list")
}

// NotOffered says why a command makes no sense for the item in r; "" if it does. A frontend shows it for a disabled action.
// Step judges; this only predicts.
func NotOffered(r Row, command string) string {
	name := string(r.Handle)
	done := r.Class == CompletedRecent
	switch {
	case r.AgentFails():
		return name + " is no work item: the agent's program fails"
	case r.ReasonCode == reasonAgentPermission && r.Wait.TriggeredBy != "":
		return name + " has its answer; " + r.Wait.Source.String() + " takes it"
	case r.ReasonCode == reasonAgentPermission && r.Wait.WakeAt.IsZero():
		return name + " asks in " + r.Wait.Source.String() + "; answer it there"
	case r.ReasonCode == reasonAgentPermission && command != "Answer":
		return name + " is no work item: its program waits for a permission"
	case r.OfAgent() && command != "Answer" && command != "CancelWait":
		return name + " is no work item: the agent itself asks, and waits for your answer"
	case command == "ReportWorkItem" && !done:
		return name + " is open; a report follows its completion"
	case command == "ReportWorkItem" && r.Reported:
		return name + " has its report already"
	case command == "ReportWorkItem":
		return ""
	case command == "DeclineReport" && !r.Offered():
		return name + " has no report to choose"
	case command == "DeclineReport":
		return ""
	case done:
		return name + " is completed, for good"
	case command == "PickWorkItem" && r.IsCurrent:
		return name + " is already current"
	case command == "Answer" && r.NeedsOperator:
		return ""
	case command == "Answer" && r.Wait.Kind == WaitOperator:
		return name + " has its answer; the agent decides what to do with it"
	case command == "Answer":
		return name + " asks nothing"
	case command == "Trigger" && r.Wait.Kind == "":
		return name + " waits for nothing"
	}
	return ""
}

// Question is an item's question to the operator: the wait without an answer, or only a plan that needs input.
type Question struct {
	// WaitID is the operator wait; empty if only the plan needs input.
	WaitID WaitID
	Ask    Ask
	// Reason is the wait's reason, in the asker's words.
	Reason Text
	// Since is when the question was asked; zero if no wait tells it.
	Since time.Time
	// PlanNeedsInput: the answer can also set the plan to ready.
	PlanNeedsInput bool
}

// Question is the item's question; ok is false without one.
func (v View) Question() (q Question, ok bool) {
	q.PlanNeedsInput = v.State == Open && v.PlanStatus == NeedsInput
	for _, x := range v.ActiveWaits {
		if x.asks() {
			q.WaitID, q.Ask, q.Reason, q.Since = x.ID, x.Ask, x.Reason, x.CreatedAt
			return q, true
		}
	}
	return q, q.PlanNeedsInput
}

// Outlook predicts a pick.
type Outlook struct {
	// From is the focus that the pick leaves; nil without one.
	From *Row
	// AsksReason: the pick leaves runnable work, so it needs a reason.
	AsksReason bool
	// ReviewOnly: the item stays non-runnable; its blocker and waits are kept.
	ReviewOnly bool
}

// PickOutlook predicts a pick of target.
func (d Desk) PickOutlook(target Row) Outlook {
	return Outlook{
		From:       d.Current,
		AsksReason: d.Current != nil && d.Current.ID != target.ID && d.Current.Scheduling == Runnable,
		ReviewOnly: target.Scheduling != Runnable,
	}
}

// NextWithout is the desk's next candidate without an item: the current one, else the first triggered, else the first queued.
func (d Desk) NextWithout(id ItemID) (Row, bool) {
	if d.Current != nil && d.Current.ID != id && d.Current.Class == CurrentRunnable {
		return *d.Current, true
	}
	for _, class := range []Class{TriggeredBlocked, QueuedRunnable} {
		for _, r := range d.Section(class).Rows {
			if r.ID != id {
				return r, true
			}
		}
	}
	return Row{}, false
}

// CanUnblock reports whether clearing the blocker would change anything.
func (r Row) CanUnblock() bool {
	return r.Class != CompletedRecent && (r.BlockedBy != "" || r.Wait.Kind != "")
}

// Unfinished warns of unfinished todos if the item were completed; nil without any.
func (v View) Unfinished() *Warning {
	w := unfinished(WorkItem{TodoList: v.TodoList})
	if len(w) == 0 {
		return nil
	}
	return &w[0]
}

// Next is the todo's next state; after the last state it is the first.
func (s TodoState) Next() TodoState {
	return cmp.Or(map[TodoState]TodoState{TodoPending: TodoInProgress, TodoInProgress: TodoCompleted}[s], TodoPending)
}
