package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// book is a ledger in one map: slow and simple. It is the Facts of every test of the rules.
type book struct {
	Records
	records  map[RecordName]Record
	journal  []Entry
	revision uint64
	// seq counts the events of each agent.
	seq map[AgentID]uint64
	// leases says which turns live, of a storage that keeps leases. Of other agents ExpiresAt decides.
	leases map[AgentID]bool
}

func newBook() *book {
	b := &book{records: map[RecordName]Record{}, seq: map[AgentID]uint64{}, leases: map[AgentID]bool{}}
	b.Get = func(n RecordName) (Record, bool) { r, ok := b.records[n]; return b.leased(r), ok }
	return b
}

// leased is a record with what the storage says of its turn's lease.
func (b *book) leased(r Record) Record {
	a, is := r.(Agent)
	if lives, kept := b.leases[a.ID]; is && kept && a.Turn != nil {
		t := *a.Turn
		t.Lives, a.Turn = &lives, &t
		return a
	}
	return r
}

// apply decides a command and carries out the decision.
func (b *book) apply(at Stamp, c Command) (Change, error) {
	ch, err := Step(b, at, c)
	if err != nil || ch.Empty() {
		return ch, err
	}
	p, ahead := PlanAhead(at, c)
	if _, creates := c.(CreateWorkItem); ahead && !slices.Contains(ch.NewPlans, p) || creates && !ahead {
		return ch, fmt.Errorf("%s: ahead it makes %v, then %v", CommandName(c), p, ch.NewPlans)
	}
	b.revision++
	for _, r := range ch.Writes {
		b.put(r)
	}
	for i, e := range ch.Events {
		data, err := json.Marshal(e.Data)
		if err != nil {
			return ch, err
		}
		agent := ch.Receipt.AgentID
		b.seq[agent]++
		b.journal = append(b.journal, Entry{Revision: b.revision, N: i, At: at.At, AgentID: agent, Seq: b.seq[agent], Actor: at.Actor,
			Kind: e.Kind, WorkItemID: e.WorkItemID, Data: data})
	}
	return ch, nil
}

// having returns the records of a type that match, in the order of their keys.
func having[R Record](b *book, match func(R) bool) []R {
	var out []R
	byKey := func(x, y RecordName) int { return cmp.Compare(x.Key, y.Key) }
	for _, n := range slices.SortedFunc(maps.Keys(b.records), byKey) {
		if r, ok := b.records[n].(R); ok && match(r) {
			out = append(out, r)
		}
	}
	return out
}

func every[R Record](b *book) []R { return having(b, func(R) bool { return true }) }

func (b *book) put(r Record) { b.records[r.Name()] = r }

// drop removes the records of a kind.
func (b *book) drop(kind RecordKind) {
	maps.DeleteFunc(b.records, func(n RecordName, _ Record) bool { return n.Kind == kind })
}

// item and agent return existing records.
func (b *book) item(id ItemID) WorkItem { w, _ := b.Item(id); return w }
func (b *book) agent(id AgentID) Agent  { a, _ := b.Agent(id); return a }

func (b *book) Revision() uint64 { return b.revision }

func (b *book) Changed(after uint64) (map[AgentID]bool, bool) { return nil, b.revision == after }

func (b *book) ItemWaits(a AgentID, id ItemID) []Wait {
	return having(b, func(x Wait) bool { return x.Status == WaitActive && x.AgentID == a && x.WorkItemID == id })
}

func (b *book) Waits(a AgentID, id ItemID, limit int) []Wait {
	return having(b, func(x Wait) bool { return x.AgentID == a && x.WorkItemID == id })
}

func (b *book) WaitsOn(a AgentID, k WaitKind, resource Text) []Wait {
	return having(b, func(x Wait) bool {
		return x.Status == WaitActive && x.AgentID == a && x.Kind == k && x.Resource == resource
	})
}

func (b *book) BlockingTasks(a AgentID, id ItemID) []Task {
	return having(b, func(t Task) bool {
		return t.Blocking && t.Status == TaskRunning && t.AgentID == a && t.WorkItemID == id
	})
}

func (b *book) Delegations(a AgentID, id ItemID) []Delegation {
	return having(b, func(d Delegation) bool {
		return d.State == DelegationOpen && d.ParentAgentID == a && d.ParentWorkItemID == id
	})
}

func (b *book) OpenDelegations(a AgentID, limit int) []Delegation {
	return having(b, func(d Delegation) bool { return d.State == DelegationOpen && d.ParentAgentID == a })
}

func (b *book) Items(string, int, func([]byte) bool) ([]WorkItem, string, int) { return nil, "", 0 }

func (b *book) ItemsOf(AgentID, Class, string, int, func(Row) bool) ([]WorkItem, string, int) {
	return nil, "", 0
}

func (b *book) ParentsOf(child ItemID) []Delegation {
	return having(b, func(d Delegation) bool { return d.State == DelegationOpen && d.ChildWorkItemID == child })
}

func (b *book) ItemOf(h Handle) ItemID {
	for _, w := range having(b, func(w WorkItem) bool { return w.Handle == h }) {
		return w.ID
	}
	return ""
}

func (b *book) QueuedMessages(a AgentID, limit int) []Message {
	all := having(b, func(m Message) bool { return m.AgentID == a && m.Status == MessageQueued })
	slices.SortStableFunc(all, func(x, y Message) int {
		return cmp.Compare(slices.Index(Priorities, x.Priority), slices.Index(Priorities, y.Priority))
	})
	return all[:min(limit, len(all))]
}

func (b *book) RunningTasks(a AgentID, limit int) []Task {
	return having(b, func(t Task) bool { return t.AgentID == a && t.Status == TaskRunning })
}

func (b *book) Tasks(a AgentID, limit int) []Task {
	return having(b, func(t Task) bool { return t.AgentID == a })
}

func (b *book) Ingresses(a AgentID, limit int) []Ingress {
	return having(b, func(in Ingress) bool { return in.AgentID == a })
}

// rows returns all rows of an agent, in the index's order.
func (b *book) rows(a AgentID) []Row {
	var out []Row
	for _, w := range having(b, func(w WorkItem) bool { return w.AgentID == a }) {
		out = append(out, RowOf(w, b.ItemWaits(a, w.ID), b.agent(a).CurrentWorkItemID == w.ID))
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
	for _, x := range AgentNeeds(b, a) {
		if t == TallyNeedsOperator || t == NeedTally(x.Need) {
			n++
		}
	}
	return n
}

func (b *book) Due(a AgentID, now time.Time, limit int) []Due {
	all := DuesOf(WorkItem{}, b.ItemWaits(a, ""))
	for _, w := range having(b, func(w WorkItem) bool { return w.AgentID == a }) {
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
	all := having(b, func(a Agent) bool { return a.ID > after && !a.Removed })
	return all[:min(limit, len(all))]
}

func (b *book) History(AgentID, Position, int) []Entry { return b.journal }

func (b *book) News(AgentID, Position, int) []Entry { return b.journal }

func (b *book) Inbox(need Need, visit func(Inboxed) bool) {
	for _, a := range every[Agent](b) {
		for _, x := range AgentNeeds(b, a.ID) {
			if x.Need == need && !visit(x) {
				return
			}
		}
	}
	var found, snoozed []Inboxed
	for _, w := range having(b, func(WorkItem) bool { return true }) {
		x, ok := InboxOf(b, w, b.ItemWaits(w.AgentID, w.ID), b.agent(w.AgentID).CurrentWorkItemID == w.ID)
		if ok && !x.Snoozed {
			found = append(found, x)
		} else if ok {
			snoozed = append(snoozed, x)
		}
	}
	if need == Snoozed {
		found = snoozed
		slices.SortStableFunc(found, func(x, y Inboxed) int { return firstBack(x).Compare(firstBack(y)) })
	}
	for _, x := range found {
		if (x.Need == need || need == Snoozed) && !visit(x) {
			return
		}
	}
}

func firstBack(x Inboxed) time.Time {
	if x.SnoozedUntil.IsZero() {
		return time.Unix(1<<40, 0)
	}
	return x.SnoozedUntil
}

func (b *book) Finished(*Row, int) []Row { return nil }

func (b *book) ExternalWaits(AgentID, *Wait, int) []Wait { return nil }

func (b *book) HistoryBefore(a AgentID, before Position, limit int) (out []Entry) {
	for _, e := range slices.Backward(b.journal) {
		older := before == Position{} || e.Position().Before(before)
		if older && (a == "" || e.AgentID == a) && len(out) < limit {
			out = append(out, e)
		}
	}
	return out
}

// check checks the ledger's invariants: at most one focus, on an open item of the agent; no active wait on a completed
// item; one brief for one report.
func (b *book) check() string {
	for _, a := range every[Agent](b) {
		if w, ok := b.Item(a.CurrentWorkItemID); a.CurrentWorkItemID != "" && (!ok || w.State != Open || w.AgentID != a.ID) {
			return "focus of " + string(a.ID) + " is not an open item of its own"
		}
	}
	for _, w := range every[WorkItem](b) {
		id := w.ID
		if w.State == Completed && (w.BlockedBy != "" || len(b.ItemWaits(w.AgentID, id)) > 0 || !w.RecheckAt.IsZero()) {
			return "completed " + string(id) + " still waits"
		}
		_, brief := b.Record(RecordName{KindBrief, string(id)})
		_, delivery := b.Record(RecordName{KindDelivery, string(id)})
		if (w.ResultSummary != "") != brief || brief != delivery {
			return "report, brief and delivery of " + string(id) + " disagree"
		}
	}
	return ""
}
