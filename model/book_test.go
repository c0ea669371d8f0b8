package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// book is a ledger in maps: slow, obvious, and the Facts of every test of the rules.
type book struct {
	agents      map[AgentID]Agent
	items       map[ItemID]WorkItem
	waits       map[WaitID]Wait
	tasks       map[TaskID]Task
	briefs      map[ItemID]Brief
	deliveries  map[ItemID]Delivery
	delegations map[DelegationID]Delegation
	messages    map[MessageID]Message
	attempts    map[ItemID]Attempt
	traces      map[string]Trace
	ingresses   map[IngressID]Ingress
	offers      map[ItemID]ReportOffers
	seen        map[ItemID]Seen
	journal     []Entry
	revision    uint64
}

func newBook() *book {
	return &book{
		agents: map[AgentID]Agent{}, items: map[ItemID]WorkItem{}, waits: map[WaitID]Wait{}, tasks: map[TaskID]Task{},
		briefs: map[ItemID]Brief{}, deliveries: map[ItemID]Delivery{}, delegations: map[DelegationID]Delegation{},
		messages: map[MessageID]Message{}, attempts: map[ItemID]Attempt{}, traces: map[string]Trace{}, ingresses: map[IngressID]Ingress{},
		offers: map[ItemID]ReportOffers{}, seen: map[ItemID]Seen{},
	}
}

// apply judges a command and carries out what it decides.
func (b *book) apply(at Stamp, c Command) (Change, error) {
	ch, err := Step(b, at, c)
	if err != nil || ch.Empty() {
		return ch, err
	}
	b.revision++
	for _, r := range ch.Writes {
		b.write(r)
	}
	for i, e := range ch.Events {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return ch, err
		}
		b.journal = append(b.journal, Entry{Revision: b.revision, N: i, At: at.At, AgentID: ch.Receipt.AgentID, Actor: at.Actor,
			Kind: e.Kind, WorkItemID: e.WorkItemID, Data: data})
	}
	return ch, nil
}

func (b *book) write(r Record) {
	switch r := r.(type) {
	case Agent:
		b.agents[r.ID] = r
	case WorkItem:
		b.items[r.ID] = r
	case Wait:
		b.waits[r.ID] = r
	case Task:
		b.tasks[r.ID] = r
	case Brief:
		b.briefs[r.WorkItemID] = r
	case Delivery:
		b.deliveries[r.WorkItemID] = r
	case Delegation:
		b.delegations[r.ID] = r
	case Message:
		b.messages[r.ID] = r
	case Attempt:
		b.attempts[r.WorkItemID] = r
	case Trace:
		b.traces[r.Key()] = r
	case Ingress:
		b.ingresses[r.ID] = r
	case ReportOffers:
		b.offers[r.WorkItemID] = r
	case Seen:
		b.seen[r.WorkItemID] = r
	}
}

func get[K comparable, V any](m map[K]V, k K) (V, bool) {
	v, ok := m[k]
	return v, ok
}

// having are the values that match, in the order of their keys.
func having[K cmp.Ordered, V any](m map[K]V, match func(V) bool) []V {
	var out []V
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if match(m[k]) {
			out = append(out, m[k])
		}
	}
	return out
}

func (b *book) Agent(id AgentID) (Agent, bool)                   { return get(b.agents, id) }
func (b *book) Item(id ItemID) (WorkItem, bool)                  { return get(b.items, id) }
func (b *book) Wait(id WaitID) (Wait, bool)                      { return get(b.waits, id) }
func (b *book) Task(id TaskID) (Task, bool)                      { return get(b.tasks, id) }
func (b *book) Delegation(id DelegationID) (Delegation, bool)    { return get(b.delegations, id) }
func (b *book) Brief(_ AgentID, id ItemID) (Brief, bool)         { return get(b.briefs, id) }
func (b *book) Message(id MessageID) (Message, bool)             { return get(b.messages, id) }
func (b *book) Attempt(_ AgentID, id ItemID) (Attempt, bool)     { return get(b.attempts, id) }
func (b *book) Trace(a AgentID, id ItemID) (Trace, bool)         { return get(b.traces, TraceKey(a, id)) }
func (b *book) Ingress(id IngressID) (Ingress, bool)             { return get(b.ingresses, id) }
func (b *book) Offers(_ AgentID, id ItemID) (ReportOffers, bool) { return get(b.offers, id) }
func (b *book) Seen(_ AgentID, id ItemID) (Seen, bool)           { return get(b.seen, id) }
func (b *book) Revision() uint64                                 { return b.revision }

func (b *book) ItemWaits(a AgentID, id ItemID) []Wait {
	return having(b.waits, func(x Wait) bool { return x.Status == WaitActive && x.AgentID == a && x.WorkItemID == id })
}

func (b *book) Waits(a AgentID, id ItemID, limit int) []Wait {
	return having(b.waits, func(x Wait) bool { return x.AgentID == a && x.WorkItemID == id })
}

func (b *book) WaitsOn(a AgentID, k WaitKind, resource Text) []Wait {
	return having(b.waits, func(x Wait) bool {
		return x.Status == WaitActive && x.AgentID == a && x.Kind == k && x.Resource == resource
	})
}

func (b *book) BlockingTasks(a AgentID, id ItemID) []Task {
	return having(b.tasks, func(t Task) bool {
		return t.Blocking && t.Status == TaskRunning && t.AgentID == a && t.WorkItemID == id
	})
}

func (b *book) Delegations(a AgentID, id ItemID) []Delegation {
	return having(b.delegations, func(d Delegation) bool {
		return d.State == DelegationOpen && d.ParentAgentID == a && d.ParentWorkItemID == id
	})
}

func (b *book) ParentsOf(child ItemID) []Delegation {
	return having(b.delegations, func(d Delegation) bool { return d.State == DelegationOpen && d.ChildWorkItemID == child })
}

func (b *book) HandleTaken(h Handle) bool {
	return len(having(b.items, func(w WorkItem) bool { return w.Handle == h })) > 0
}

func (b *book) QueuedMessages(a AgentID, limit int) []Message {
	all := having(b.messages, func(m Message) bool { return m.AgentID == a && m.Status == MessageQueued })
	slices.SortStableFunc(all, func(x, y Message) int {
		return cmp.Compare(slices.Index(Priorities, x.Priority), slices.Index(Priorities, y.Priority))
	})
	return all[:min(limit, len(all))]
}

func (b *book) RunningTasks(a AgentID, limit int) []Task {
	return having(b.tasks, func(t Task) bool { return t.AgentID == a && t.Status == TaskRunning })
}

func (b *book) Tasks(a AgentID, limit int) []Task {
	return having(b.tasks, func(t Task) bool { return t.AgentID == a })
}

func (b *book) Ingresses(a AgentID, limit int) []Ingress {
	return having(b.ingresses, func(in Ingress) bool { return in.AgentID == a })
}

// rows are all rows of an agent, sorted as the index would.
func (b *book) rows(a AgentID) []Row {
	var out []Row
	for _, w := range having(b.items, func(w WorkItem) bool { return w.AgentID == a }) {
		out = append(out, RowOf(w, b.ItemWaits(a, w.ID), b.agents[a].CurrentWorkItemID == w.ID))
	}
	slices.SortFunc(out, func(x, y Row) int {
		return cmp.Or(cmp.Compare(x.Class.Rank(), y.Class.Rank()), bytes.Compare(x.SortKey(), y.SortKey()))
	})
	return out
}

func (b *book) Rows(a AgentID, c Class, after *Row, limit int) []Row {
	var out []Row
	for _, r := range b.rows(a) {
		past := after == nil || bytes.Compare(r.SortKey(), after.SortKey()) > 0
		if (r.Class == c || c == ReportOffered && r.Offered()) && past && len(out) < limit {
			out = append(out, r)
		}
	}
	return out
}

func (b *book) Count(a AgentID, t Tally) int {
	n := 0
	for _, r := range b.rows(a) {
		if slices.Contains(r.Tallies(), t) {
			n++
		}
	}
	return n
}

func (b *book) Due(a AgentID, now time.Time, limit int) []Due {
	all := DuesOf(WorkItem{}, b.ItemWaits(a, ""))
	for _, w := range having(b.items, func(w WorkItem) bool { return w.AgentID == a }) {
		all = append(all, DuesOf(w, b.ItemWaits(a, w.ID))...)
	}
	all = slices.DeleteFunc(all, func(d Due) bool { return d.At.After(now) })
	slices.SortFunc(all, func(x, y Due) int { return x.At.Compare(y.At) })
	return all[:min(limit, len(all))]
}

func (b *book) Entries(id ItemID, limit int) []Entry {
	var out []Entry
	for _, e := range slices.Backward(b.journal) {
		if e.WorkItemID == id && len(out) < limit {
			out = append(out, e)
		}
	}
	return out
}

func (b *book) Agents(after AgentID, limit int) []Agent {
	all := having(b.agents, func(a Agent) bool { return a.ID > after })
	return all[:min(limit, len(all))]
}

func (b *book) History(AgentID, Position, int) []Entry { return b.journal }

func (b *book) Inbox(need Need, visit func(Inboxed) bool) {
	for _, w := range having(b.items, func(WorkItem) bool { return true }) {
		x, ok := InboxOf(b, w, b.ItemWaits(w.AgentID, w.ID), b.agents[w.AgentID].CurrentWorkItemID == w.ID)
		if ok && x.Need == need && !visit(x) {
			return
		}
	}
}

func (b *book) Finished(*Row, int) []Row { return nil }

func (b *book) HistoryBefore(AgentID, Position, int) []Entry { return nil }

// check holds the ledger's invariants: one focus at most and on an open item of the
// agent's, nothing active left on a completed item, one brief for one report.
func (b *book) check() string {
	for _, a := range b.agents {
		if w, ok := b.items[a.CurrentWorkItemID]; a.CurrentWorkItemID != "" && (!ok || w.State != Open || w.AgentID != a.ID) {
			return "focus of " + string(a.ID) + " is not an open item of its own"
		}
	}
	for id, w := range b.items {
		if w.State == Completed && (w.BlockedBy != "" || len(b.ItemWaits(w.AgentID, id)) > 0 || !w.RecheckAt.IsZero()) {
			return "completed " + string(id) + " still waits"
		}
		_, brief := b.briefs[id]
		_, delivery := b.deliveries[id]
		if (w.ResultSummary != "") != brief || brief != delivery {
			return "report, brief and delivery of " + string(id) + " disagree"
		}
	}
	return ""
}
