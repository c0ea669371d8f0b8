package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// step takes over the records, all or none. Times, revisions and reports stay unchanged; handles and plan files are made here.
// The focus comes only with its item.
func (c Import) step(s *step) error {
	a, err := s.agent(c.AgentID)
	if err != nil {
		return err
	}
	_, known := s.Item(c.Focus)
	for _, in := range c.Items {
		if err := s.importItem(a, in); err != nil {
			return err
		}
	}
	for _, t := range c.Tasks {
		if err := s.importTask(a, t); err != nil {
			return err
		}
	}
	for _, x := range c.Waits {
		if err := s.importWait(a, x); err != nil {
			return err
		}
	}
	for _, m := range c.Messages {
		if err := s.importMessage(a.ID, m); err != nil {
			return err
		}
	}
	a, _ = s.Agent(a.ID) // messages and waits changed it
	if w, ok := s.Item(c.Focus); ok && !known && a.CurrentWorkItemID == "" && w.State == Open && w.AgentID == a.ID {
		s.focus(a, w, s.transition(a, w, "imported"))
		s.receipt.Transition = nil
	}
	s.receipt.AgentID, s.receipt.WorkItemID = a.ID, ""
	return nil
}

// Parts are imports of at most n items each, and of some bytes of JSON, that together bring what c brings. Records about an item come with
// the item. Records that were brought before are skipped, so an import that was cut short can be repeated.
func (c Import) Parts(n, bytes int) []Import {
	var parts []*Import
	at := map[ItemID]*Import{}
	free, room := 0, 0 // left in the last part
	next := func(about ItemID, record any) *Import {
		if p := at[about]; p != nil {
			return p
		}
		raw, _ := json.Marshal(record) // a record can always be encoded
		if free == 0 || room < len(raw) {
			parts, free, room = append(parts, &Import{AgentID: c.AgentID, Focus: c.Focus}), n, bytes
		}
		free, room = free-1, room-len(raw)
		return parts[len(parts)-1]
	}
	for _, in := range c.Items {
		p := next(in.Item.ID, in)
		p.Items, at[in.Item.ID] = append(p.Items, in), p
	}
	for _, t := range c.Tasks {
		p := next(t.WorkItemID, t)
		p.Tasks = append(p.Tasks, t)
	}
	for _, x := range c.Waits {
		p := next(x.WorkItemID, x)
		p.Waits = append(p.Waits, x)
	}
	for _, m := range c.Messages {
		p := next(m.WorkItemID, m)
		p.Messages = append(p.Messages, m)
	}
	out := make([]Import, len(parts))
	for i, p := range parts {
		out[i] = *p
	}
	return out
}

func (s *step) importItem(a Agent, in Imported) error {
	w := in.Item
	if !ValidID(string(w.ID)) {
		return Invalid("work item id %q is not usable", Text(w.ID)).At("id", "use 1 to 64 of a-z, 0-9, - and _")
	}
	if _, ok := s.Item(w.ID); ok {
		s.receipt.Skipped++
		return nil
	}
	var err error
	if w.Objective, err = required("objective", w.Objective, MaxObjective); err != nil {
		return within(err, "work item "+string(w.ID))
	}
	if err := cmp.Or(oneOf("state", w.State, Open, Completed), validPlanStatus(w.PlanStatus)); err != nil {
		return within(err, "work item "+string(w.ID))
	}
	if w.TodoList, _, err = validTodos(w.TodoList); err != nil {
		return within(err, "work item "+string(w.ID))
	}
	w.AgentID = a.ID
	if w.Revision > maxImportedRevision {
		return Invalid("work item %s: %d is not a revision", w.ID, w.Revision).At("revision")
	}
	w.Revision = max(w.Revision, 1)
	w.Mutated = w.Revision
	w.Handle = newHandle(w.ID, s.handleTaken)
	w.PlanArtifact = NewPlanArtifact(a.ID, w.ID, []byte(in.Plan), s.at.At)
	w.CreatedAt, w.UpdatedAt = orNow(w.CreatedAt, s.at.At), orNow(w.UpdatedAt, s.at.At)
	s.plans = append(s.plans, NewPlan{AgentID: a.ID, ItemID: w.ID, Seed: in.Plan})
	if w.State == Completed {
		w = s.importCompleted(w)
	}
	s.put(w)
	s.event(EventWorkItemWritten, w.ID, Written{Action: "imported", Revision: w.Revision, PlanStatus: noDraft(w.PlanStatus),
		BlockedBy: w.BlockedBy})
	s.receipt.Imported++
	return nil
}

// maxImportedRevision leaves room for later revisions of an imported item.
const maxImportedRevision = 1 << 53

// importCompleted makes the brief and the delivery for a completed item's report.
func (s *step) importCompleted(w WorkItem) WorkItem {
	w = unblocked(w)
	if w.ResultSummary = s.keptReport(w, trimmed(w.ResultSummary)); w.ResultSummary != "" {
		s.put(brief{ID: briefID(s.newID("br-")), AgentID: w.AgentID, WorkItemID: w.ID, BriefKind: "result", Text: w.ResultSummary,
			Provenance: reportImported, CreatedAt: w.UpdatedAt})
		s.put(delivery{ID: deliveryID(s.newID("dl-")), AgentID: w.AgentID, WorkItemID: w.ID, Text: w.ResultSummary,
			Provenance: reportImported, CreatedAt: w.UpdatedAt})
	}
	return w
}

// importTask takes over a task. vise does not run it: somebody reports its end or stops it.
func (s *step) importTask(a Agent, t Task) error {
	if !ValidID(string(t.ID)) {
		return Invalid("task id %q is not usable", Text(t.ID)).At("id")
	}
	if _, known := s.Task(t.ID); known || !s.brings(a, t.WorkItemID) {
		s.receipt.Skipped++
		return nil
	}
	err := oneOf("status", t.Status, TaskRunning, TaskCompleted, TaskFailed, TaskCancelled, TaskInterrupted)
	if err != nil {
		return within(err, "task "+string(t.ID))
	}
	if t.Summary, err = required("summary", t.Summary, MaxReason); err != nil {
		return within(err, "task "+string(t.ID))
	}
	t.AgentID = a.ID
	t.CreatedAt, t.UpdatedAt = orNow(t.CreatedAt, s.at.At), orNow(t.UpdatedAt, s.at.At)
	s.put(t)
	s.receipt.Imported++
	if t.Status != TaskRunning { // its waits can have come before it
		s.wake(s.WaitsOn(a.ID, WaitTask, Text(t.ID)), s.from("task", cut(t.Result, previewReport)))
	}
	return nil
}

// importWait takes over a wait, only together with its item. The wait blocks the item if nothing else does. A wait for an ended
// task is triggered at once, and a timer without a time is due.
func (s *step) importWait(a Agent, x Wait) error {
	if !ValidID(string(x.ID)) {
		return Invalid("wait id %q is not usable", Text(x.ID)).At("id")
	}
	w, _ := s.Item(x.WorkItemID)
	_, known := s.Wait(x.ID)
	if _, before := s.before.Item(x.WorkItemID); known || before || !s.brings(a, x.WorkItemID) || w.State == Completed {
		s.receipt.Skipped++
		return nil
	}
	if _, ok := waitRank[x.Kind]; !ok {
		return Invalid("wait %s: unknown kind %q", x.ID, Text(x.Kind)).At("kind")
	}
	x.AgentID = a.ID
	x.CreatedAt, x.UpdatedAt = orNow(x.CreatedAt, s.at.At), orNow(x.UpdatedAt, s.at.At)
	if x.Kind == WaitTimer {
		x.WakeAt = orNow(x.WakeAt, s.at.At)
	}
	s.put(x)
	s.receipt.Imported++
	if x.Status != WaitActive {
		return nil
	}
	s.tellWait(x, nil)
	if w.ID != "" && w.BlockedBy == "" {
		w.BlockedBy = x.Reason
		s.put(w)
	}
	if !x.Triggered() {
		s.wakeByEnded(x)
	}
	return nil
}

// importMessage takes over a message that waits for the agent's next turn.
func (s *step) importMessage(id AgentID, m Message) error {
	if !ValidID(string(m.ID)) {
		return Invalid("message id %q is not usable", Text(m.ID)).At("id")
	}
	a, _ := s.Agent(id)
	if _, known := s.Message(m.ID); known || !s.brings(a, m.WorkItemID) {
		s.receipt.Skipped++
		return nil
	}
	err := oneOf("priority", m.Priority, Priorities...)
	if err != nil {
		return within(err, "message "+string(m.ID))
	}
	if m.Body, err = messageBody(m.Body); err != nil {
		return within(err, "message "+string(m.ID))
	}
	m.CreatedAt = orNow(m.CreatedAt, s.at.At)
	s.enqueue(a, m)
	s.receipt.Imported++
	return nil
}

// brings reports whether a record about an item belongs to the agent: the agent owns the item, or the record names none.
func (s *step) brings(a Agent, id ItemID) bool {
	w, ok := s.Item(id)
	return id == "" || ok && w.AgentID == a.ID
}

func orNow(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t.UTC()
}

// LinkWorkItem adds links to an item and removes links from it. Adding an existing link or removing a missing one changes
// nothing.
//
// It is bookkeeping, because a link does not change the work. UpdatedAt stays, nobody's view of the item gets stale, and a
// completed item still takes links. Two threads are the same if repository and task id are equal, two file todos if directory
// and qualified id are, two references if kind and text are. Adding one again under another title renames it.
type LinkWorkItem struct {
	WorkItemID ItemID `json:"work_item_id"`
	Add        Links  `json:"add,omitzero"`
	Remove     Links  `json:"remove,omitzero"`
}

// Limits of an item's links: the number of each kind, and the length of one name in Unicode scalars (a path of Linux has at
// most 4,096 bytes).
const (
	maxLinks    = 200
	maxLinkName = 4096
)

// linked is the data of work_item_links_changed: the added and the removed links.
type linked struct {
	Revision uint64 `json:"revision"`
	Added    Links  `json:"added,omitzero"`
	Removed  Links  `json:"removed,omitzero"`
}

// IsZero reports whether nothing is linked.
func (l Links) IsZero() bool { return len(l.Threads)+len(l.TodoRefs)+len(l.Refs) == 0 }

func (c LinkWorkItem) step(s *step) error {
	w, err := s.itemOf(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	add, err := validLinks("add", c.Add)
	if err != nil {
		return err
	}
	remove, err := validLinks("remove", c.Remove)
	if err != nil {
		return err
	}
	if add.IsZero() && remove.IsZero() {
		return Invalid("nothing to link").At("add", "name a thread, a file todo or a reference in add or remove")
	}
	before := w.Links
	var change linked
	w.Links.Threads, change.Added.Threads, change.Removed.Threads = relink(before.Threads, add.Threads, remove.Threads, equal)
	w.Links.TodoRefs, change.Added.TodoRefs, change.Removed.TodoRefs = relink(before.TodoRefs, add.TodoRefs, remove.TodoRefs, equal)
	w.Links.Refs, change.Added.Refs, change.Removed.Refs = relink(before.Refs, add.Refs, remove.Refs, Ref.same)
	if change.Added.IsZero() && change.Removed.IsZero() {
		return nil
	}
	if err := checkLinkLimit(w.Links, before); err != nil {
		return err
	}
	w = s.save(w, false)
	change.Revision = w.Revision
	s.event(eventLinksChanged, w.ID, change)
	return nil
}

func equal[L comparable](l, o L) bool { return l == o }
func (l Ref) same(o Ref) bool         { return l.Kind == o.Kind && l.Ref == o.Ref }

// relink is have without remove and with add at its end, and the differences. An entry of add that is the same as one of have,
// under another title, replaces it in place.
func relink[L comparable](have, add, remove []L, same func(L, L) bool) (now, added, removed []L) {
	for _, l := range have {
		if slices.ContainsFunc(remove, func(r L) bool { return same(l, r) }) {
			removed = append(removed, l)
			continue
		}
		now = append(now, l)
	}
	for _, l := range add {
		at := slices.IndexFunc(now, func(h L) bool { return same(h, l) })
		switch {
		case at < 0:
			now = append(now, l)
		case now[at] == l:
			continue
		default:
			now[at] = l
		}
		added = append(added, l)
	}
	return now, added, removed
}

// checkLinkLimit applies the limit only to links that grow, because an import can have brought more.
func checkLinkLimit(now, before Links) error {
	for _, kind := range []struct {
		name      string
		now, then int
	}{
		{"threads", len(now.Threads), len(before.Threads)},
		{"todo_refs", len(now.TodoRefs), len(before.TodoRefs)},
		{"refs", len(now.Refs), len(before.Refs)},
	} {
		if kind.now > maxLinks && kind.now > kind.then {
			return Invalid("%d %s would be linked, at most %d are kept", kind.now, kind.name, maxLinks).At("add."+kind.name,
				"unlink what is no longer needed")
		}
	}
	return nil
}

// validLinks checks the names in l and returns them trimmed.
func validLinks(field string, l Links) (Links, error) {
	var out Links
	v := linkNames{}
	for _, t := range l.Threads {
		out.Threads = append(out.Threads, ThreadLink{Repo: v.need(field+".threads.repo", t.Repo),
			TaskID: v.need(field+".threads.task_id", t.TaskID)})
	}
	for _, t := range l.TodoRefs {
		out.TodoRefs = append(out.TodoRefs, TodoRef{
			TodosBase: v.need(field+".todo_refs.todos_base", t.TodosBase), QualifiedID: v.need(field+".todo_refs.qualified_id",
				t.QualifiedID)})
	}
	for _, r := range l.Refs {
		out.Refs = append(out.Refs, Ref{
			Kind: v.need(field+".refs.kind", r.Kind), Ref: v.need(field+".refs.ref", r.Ref), Title: v.may(field+".refs.title", r.Title)})
	}
	return out, v.err
}

// linkNames keeps the first error among the names that it was shown.
type linkNames struct{ err error }

func (v *linkNames) need(field string, t Text) Text { return v.keep(required(field, t, maxLinkName)) }

func (v *linkNames) may(field string, t Text) Text { return v.keep(optional(field, t, maxLinkName)) }

func (v *linkNames) keep(t Text, err error) Text {
	if v.err == nil && err != nil {
		v.err = err
	}
	return t
}
