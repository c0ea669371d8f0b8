package home

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"vise/model"
)

// snapshot is the known state of a host at one revision, as a Reader: open work, items that need the operator, the newest finished work and
// events. It does not change after settle. Its ids end with @ and the host's name.
type snapshot struct {
	model.Records
	records  map[model.RecordName]model.Record
	counts   map[model.AgentID]map[model.Tally]int
	journal  []model.Entry // oldest first
	revision uint64
	// mark is the upper part of the positions of its events.
	mark uint64

	// settle derives the fields below from the records.
	agents      []model.Agent
	waits       map[model.AgentID][]model.Wait // oldest first, as are the next two
	tasks       map[model.AgentID][]model.Task
	messages    map[model.AgentID][]model.Message
	delegations []model.Delegation
	rows        map[model.AgentID][]model.Row // in the order of each class
	items       map[model.ItemID]model.Row
	finished    []model.Row
	inbox       map[model.Need][]model.Inboxed
	derived     map[model.AgentID]map[model.Tally]int
}

func newSnapshot() *snapshot {
	return &snapshot{records: map[model.RecordName]model.Record{}, counts: map[model.AgentID]map[model.Tally]int{}}
}

// with returns s changed by the lines of a host.
func (s *snapshot) with(told []fromHost, host string, mark uint64) (*snapshot, error) {
	next := &snapshot{records: maps.Clone(s.records), counts: maps.Clone(s.counts), journal: slices.Clone(s.journal), mark: mark}
	to := taken(host)
	for _, x := range told {
		if err := next.take(x, to, mark); err != nil {
			return nil, err
		}
	}
	if len(next.records) > maxHostRecords {
		return nil, model.Invalid("it has more than %d records", maxHostRecords)
	}
	next.journal = next.journal[max(0, len(next.journal)-keptEvents):]
	next.settle()
	return next, nil
}

// keptEvents is how many events of a host are kept.
const keptEvents = 1000

func (s *snapshot) take(x fromHost, to func(string) (string, error), mark uint64) error {
	for _, r := range x.Records {
		record, err := model.ReadRecord(r.Kind, r.Record)
		if err != nil {
			return err
		}
		if err := rename(&record, to); err != nil {
			return err
		}
		if w, ok := record.(model.WorkItem); ok {
			w.Links, w.PlanArtifact.Path = model.Links{}, "" // paths on another machine mean nothing here
			record = w
		}
		s.records[record.Name()] = record
	}
	for _, name := range x.Gone {
		key, err := to(name.Key)
		if err != nil {
			return err
		}
		delete(s.records, model.RecordName{Kind: name.Kind, Key: key})
	}
	if err := rename(&x.Counts, to); err != nil {
		return err
	}
	maps.Copy(s.counts, x.Counts)
	for _, e := range x.Entries {
		if err := rename(&e, to); err != nil {
			return err
		}
		e.Revision = mark | e.Revision&(1<<markShift-1)
		if n := len(s.journal); n == 0 || s.journal[n-1].Position().Before(e.Position()) {
			s.journal = append(s.journal, e)
		}
	}
	s.revision = x.Revision
	return nil
}

// markShift is where the mark of a host begins in the positions of its events. It keeps them apart from those of other homes.
const markShift = 48

// settle derives the fields that methods read from the records.
func (s *snapshot) settle() {
	s.Get = func(n model.RecordName) (model.Record, bool) { r, ok := s.records[n]; return r, ok }
	s.waits, s.tasks, s.messages = map[model.AgentID][]model.Wait{}, map[model.AgentID][]model.Task{}, map[model.AgentID][]model.Message{}
	var items []model.WorkItem
	for _, r := range s.records {
		switch r := r.(type) {
		case model.Agent:
			s.agents = append(s.agents, r)
		case model.WorkItem:
			items = append(items, r)
		case model.Wait:
			s.waits[r.AgentID] = append(s.waits[r.AgentID], r)
		case model.Task:
			s.tasks[r.AgentID] = append(s.tasks[r.AgentID], r)
		case model.Message:
			s.messages[r.AgentID] = append(s.messages[r.AgentID], r)
		case model.Delegation:
			s.delegations = append(s.delegations, r)
		}
	}
	slices.SortFunc(s.agents, func(a, b model.Agent) int { return cmp.Compare(a.ID, b.ID) })
	sortAll(s.waits, func(x model.Wait) (time.Time, string) { return x.CreatedAt, string(x.ID) })
	sortAll(s.tasks, func(x model.Task) (time.Time, string) { return x.CreatedAt, string(x.ID) })
	sortAll(s.messages, func(x model.Message) (time.Time, string) { return x.CreatedAt, string(x.ID) })
	slices.SortFunc(s.delegations, func(a, b model.Delegation) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	s.derive(items)
}

func sortAll[R any](in map[model.AgentID][]R, key func(R) (time.Time, string)) {
	for _, list := range in {
		slices.SortFunc(list, func(a, b R) int {
			at, id := key(a)
			bt, other := key(b)
			return cmp.Or(at.Compare(bt), cmp.Compare(id, other))
		})
	}
}

// derive makes rows, tallies and the inbox as a ledger's indexes have them.
func (s *snapshot) derive(items []model.WorkItem) {
	s.rows, s.items = map[model.AgentID][]model.Row{}, map[model.ItemID]model.Row{}
	s.inbox, s.derived = map[model.Need][]model.Inboxed{}, map[model.AgentID]map[model.Tally]int{}
	for _, a := range s.agents {
		s.derived[a.ID] = map[model.Tally]int{}
		for _, x := range model.AgentNeeds(s, a.ID) {
			s.needs(x)
			s.derived[a.ID][model.TallyNeedsOperator]++
		}
	}
	for _, w := range items {
		a, ok := s.Agent(w.AgentID)
		if !ok {
			continue
		}
		waits := s.ItemWaits(w.AgentID, w.ID)
		row := model.RowOf(w, waits, a.CurrentWorkItemID == w.ID)
		s.rows[a.ID], s.items[w.ID] = append(s.rows[a.ID], row), row
		for _, t := range row.Tallies() {
			s.derived[a.ID][t]++
		}
		if w.State == model.Completed {
			s.finished = append(s.finished, row)
		}
		if x, ok := model.InboxOf(s, w, waits, row.IsCurrent); ok {
			s.needs(x)
		}
	}
	for _, rows := range s.rows {
		slices.SortFunc(rows, func(a, b model.Row) int { return bytes.Compare(a.SortKey(), b.SortKey()) })
	}
	slices.SortFunc(s.finished, newestRow)
	for need, list := range s.inbox {
		slices.SortFunc(list, func(a, b model.Inboxed) int { return bySince(need, a, b) })
	}
}

func newestRow(a, b model.Row) int {
	return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), cmp.Compare(a.ID, b.ID))
}

// bySince is the order of the inbox: open work that waits longest first, finished work newest first.
func bySince(need model.Need, a, b model.Inboxed) int {
	if need == model.Snoozed { // earliest end first, then those that wait for a change
		last := map[bool]int{true: 1}
		return cmp.Or(last[a.SnoozedUntil.IsZero()]-last[b.SnoozedUntil.IsZero()], a.SnoozedUntil.Compare(b.SnoozedUntil),
			cmp.Compare(a.ID, b.ID))
	}
	if !need.OfOpenItem() {
		a, b = b, a
	}
	return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
}

func (s *snapshot) needs(x model.Inboxed) {
	if x.Snoozed {
		s.inbox[model.Snoozed] = append(s.inbox[model.Snoozed], x)
		return
	}
	s.inbox[x.Need] = append(s.inbox[x.Need], x)
	if !x.Seen {
		s.derived[x.AgentID][model.NeedTally(x.Need)]++
	}
}

// first returns the first elements of a list that match, up to limit.
func first[R any](list []R, limit int, match func(R) bool) (out []R) {
	for _, x := range list {
		if len(out) < limit && match(x) {
			out = append(out, x)
		}
	}
	return out
}

// reversed turns a list that is oldest first into one that is newest first.
func reversed[R any](list []R) []R {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// far is a limit that is never reached.
const far = 1 << 30

// Revision implements model.Reader, as do the methods below.
func (s *snapshot) Revision() uint64 { return s.revision }

// Changed implements model.Reader. Of a host only the newest events are known.
func (s *snapshot) Changed(after uint64) (map[model.AgentID]bool, bool) {
	return nil, s.revision == after
}

func (s *snapshot) ItemWaits(a model.AgentID, id model.ItemID) []model.Wait {
	return first(s.waits[a], far, func(x model.Wait) bool { return x.Status == model.WaitActive && x.WorkItemID == id })
}

func (s *snapshot) WaitsOn(a model.AgentID, k model.WaitKind, resource model.Text) []model.Wait {
	return first(s.waits[a], far, func(x model.Wait) bool {
		return x.Status == model.WaitActive && x.Kind == k && x.Resource == resource
	})
}

func (s *snapshot) Waits(a model.AgentID, id model.ItemID, limit int) []model.Wait {
	return first(reversed(s.waits[a]), limit, func(x model.Wait) bool { return x.WorkItemID == id })
}

func (s *snapshot) BlockingTasks(a model.AgentID, id model.ItemID) []model.Task {
	return first(s.tasks[a], far, func(x model.Task) bool { return x.Blocking && x.Status == model.TaskRunning && x.WorkItemID == id })
}

func (s *snapshot) ExternalWaits(a model.AgentID, after *model.Wait, limit int) []model.Wait {
	list := s.waits[a]
	if after != nil {
		list = list[1+slices.IndexFunc(list, func(x model.Wait) bool { return x.ID == after.ID }):]
	}
	return first(list, limit, func(x model.Wait) bool { return x.Status == model.WaitActive && x.Kind == model.WaitExternal })
}

func (s *snapshot) RunningTasks(a model.AgentID, limit int) []model.Task {
	return first(s.tasks[a], limit, func(x model.Task) bool { return x.Status == model.TaskRunning })
}

func (s *snapshot) Tasks(a model.AgentID, limit int) []model.Task { return s.RunningTasks(a, limit) }

func (s *snapshot) Delegations(a model.AgentID, id model.ItemID) []model.Delegation {
	return first(s.delegations, far, func(x model.Delegation) bool {
		return x.State == model.DelegationOpen && x.ParentAgentID == a && x.ParentWorkItemID == id
	})
}

func (s *snapshot) OpenDelegations(a model.AgentID, limit int) []model.Delegation {
	return first(s.delegations, limit, func(x model.Delegation) bool { return x.State == model.DelegationOpen && x.ParentAgentID == a })
}

func (s *snapshot) ParentsOf(child model.ItemID) []model.Delegation {
	return first(s.delegations, far, func(x model.Delegation) bool { return x.State == model.DelegationOpen && x.ChildWorkItemID == child })
}

func (s *snapshot) HandleTaken(model.Handle) bool { return false }

func (s *snapshot) Ingresses(model.AgentID, int) []model.Ingress { return nil }

func (s *snapshot) QueuedMessages(a model.AgentID, limit int) []model.Message {
	all := first(s.messages[a], far, func(m model.Message) bool { return m.Status == model.MessageQueued })
	slices.SortStableFunc(all, func(x, y model.Message) int {
		return cmp.Compare(slices.Index(model.Priorities, x.Priority), slices.Index(model.Priorities, y.Priority))
	})
	return all[:min(limit, len(all))]
}

func (s *snapshot) Rows(a model.AgentID, c model.Class, after *model.Row, limit int) []model.Row {
	return first(s.rows[a], limit, func(r model.Row) bool {
		past := after == nil || bytes.Compare(r.SortKey(), after.SortKey()) > 0
		return past && (r.Class == c || c == model.ReportOffered && r.Offered())
	})
}

// Count returns the host's own count, or else the count in the known records.
func (s *snapshot) Count(a model.AgentID, t model.Tally) int {
	if n, ok := s.counts[a][t]; ok {
		return n
	}
	return s.derived[a][t]
}

func (s *snapshot) Due(a model.AgentID, now time.Time, limit int) []model.Due {
	all := model.DuesOf(model.WorkItem{}, s.ItemWaits(a, ""))
	for _, row := range s.rows[a] {
		w, _ := s.Item(row.ID)
		all = append(all, model.DuesOf(w, s.ItemWaits(a, w.ID))...)
	}
	all = slices.DeleteFunc(all, func(d model.Due) bool { return d.At.After(now) })
	slices.SortFunc(all, func(x, y model.Due) int { return x.At.Compare(y.At) })
	return all[:min(limit, len(all))]
}

func (s *snapshot) Entries(id model.ItemID, limit int) []model.Entry {
	return first(reversed(s.journal), limit, func(e model.Entry) bool { return e.WorkItemID == id })
}

func (s *snapshot) Agents(after model.AgentID, limit int) []model.Agent {
	return first(s.agents, limit, func(a model.Agent) bool { return a.ID > after })
}

func (s *snapshot) History(a model.AgentID, after model.Position, limit int) []model.Entry {
	return first(s.journal, limit, func(e model.Entry) bool { return (a == "" || e.AgentID == a) && after.Before(e.Position()) })
}

func (s *snapshot) News(a model.AgentID, after model.Position, limit int) []model.Entry {
	return s.History(a, after, limit)
}

func (s *snapshot) HistoryBefore(a model.AgentID, before model.Position, limit int) []model.Entry {
	return first(reversed(s.journal), limit, func(e model.Entry) bool {
		return (a == "" || e.AgentID == a) && (before == model.Position{} || e.Position().Before(before))
	})
}

func (s *snapshot) Inbox(need model.Need, visit func(model.Inboxed) bool) {
	for _, x := range s.inbox[need] {
		if !visit(x) {
			return
		}
	}
}

func (s *snapshot) Finished(after *model.Row, limit int) []model.Row {
	return first(s.finished, limit, func(r model.Row) bool { return after == nil || newestRow(*after, r) < 0 })
}

// Items returns the known items, the greatest id first. A cursor is the id of the last item looked at.
func (s *snapshot) Items(from string, limit int, may func([]byte) bool) (found []model.WorkItem, next string, looked int) {
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(s.items))) {
		if from != "" && string(id) >= from {
			continue
		}
		if len(found) == limit {
			return found, next, looked
		}
		next = string(id)
		looked++
		if w, ok := s.Item(id); ok {
			if stored, err := json.Marshal(w); err == nil && may(stored) {
				found = append(found, w)
			}
		}
	}
	return found, "", looked
}

// ItemsOf implements model.Reader. A cursor is the number of rows looked at.
func (s *snapshot) ItemsOf(a model.AgentID, c model.Class, from string, limit int, may func(model.Row) bool) (
	found []model.WorkItem, next string, looked int) {
	begin, _ := strconv.Atoi(from)
	rows := s.Rows(a, c, nil, far)
	for at := begin; at < len(rows); at++ {
		if len(found) == limit {
			return found, strconv.Itoa(at), looked
		}
		looked++
		if w, ok := s.Item(rows[at].ID); ok && may(rows[at]) {
			found = append(found, w)
		}
	}
	return found, "", looked
}
