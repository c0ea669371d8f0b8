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
	var parts []Import
	at := map[ItemID]int{}
	free, room := 0, 0 // left in the last part
	next := func(about ItemID, record any) *Import {
		if i, known := at[about]; known {
			return &parts[i]
		}
		raw, _ := json.Marshal(record) // a record can always be encoded
		if free == 0 || room < len(raw) {
			parts, free, room = append(parts, Import{AgentID: c.AgentID, Focus: c.Focus}), n, bytes
		}
		free, room = free-1, room-len(raw)
		return &parts[len(parts)-1]
	}
	for _, in := range c.Items {
		p := next(in.Item.ID, in)
		p.Items = append(p.Items, in)
		if _, known := at[in.Item.ID]; !known {
			at[in.Item.ID] = len(parts) - 1
		}
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
	return parts
}

// takes reports whether an import brings a record that the ledger does not know. It skips others.
func (s *step) takes(a Agent, what, id string, known bool, about ItemID) (bool, error) {
	if !ValidID(id) {
		return false, Invalid("%s id %q is not usable", what, Text(id)).At("id", "use 1 to 64 of a-z, 0-9, - and _")
	}
	if w, ok := s.Item(about); known || about != "" && (!ok || w.AgentID != a.ID) {
		s.receipt.Skipped++
		return false, nil
	}
	return true, nil
}

func (s *step) importItem(a Agent, in Imported) error {
	w := in.Item
	_, known := s.Item(w.ID)
	if ok, err := s.takes(a, "work item", string(w.ID), known, ""); !ok {
		return err
	}
	objective, err := required("objective", w.Objective, MaxObjective)
	todos, _, bad := validTodos(w.TodoList)
	if err = cmp.Or(err, oneOf("state", w.State, Open, Completed), validPlanStatus(w.PlanStatus), bad); err != nil {
		return within(err, "work item "+string(w.ID))
	}
	w.Objective, w.TodoList = objective, todos
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
	_, known := s.Task(t.ID)
	if ok, err := s.takes(a, "task", string(t.ID), known, t.WorkItemID); !ok {
		return err
	}
	summary, err := required("summary", t.Summary, MaxReason)
	err = cmp.Or(oneOf("status", t.Status, TaskRunning, TaskCompleted, TaskFailed, TaskCancelled, TaskInterrupted), err)
	if err != nil {
		return within(err, "task "+string(t.ID))
	}
	t.Summary = summary
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
	w, _ := s.Item(x.WorkItemID)
	_, known := s.Wait(x.ID)
	_, before := s.before.Item(x.WorkItemID)
	if ok, err := s.takes(a, "wait", string(x.ID), known || before || w.State == Completed, x.WorkItemID); !ok {
		return err
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
	a, _ := s.Agent(id)
	_, known := s.Message(m.ID)
	if ok, err := s.takes(a, "message", string(m.ID), known, m.WorkItemID); !ok {
		return err
	}
	body, err := messageBody(m.Body)
	if err = cmp.Or(oneOf("priority", m.Priority, Priorities...), err); err != nil {
		return within(err, "message "+string(m.ID))
	}
	m.Body = body
	m.CreatedAt = orNow(m.CreatedAt, s.at.At)
	s.enqueue(a, m)
	s.receipt.Imported++
	return nil
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
	add, wrong := validLinks("add", c.Add)
	remove, bad := validLinks("remove", c.Remove)
	if err = cmp.Or(err, wrong, bad); err != nil {
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
	have, had := now.counts(), before.counts()
	for _, kind := range []string{"threads", "todo_refs", "refs"} {
		if n := have[kind]; n > maxLinks && n > had[kind] {
			return Invalid("%d %s would be linked, at most %d are kept", n, kind, maxLinks).At("add."+kind,
				"unlink what is no longer needed")
		}
	}
	return nil
}

// counts are the numbers of links of each kind.
func (l Links) counts() map[string]int {
	return map[string]int{"threads": len(l.Threads), "todo_refs": len(l.TodoRefs), "refs": len(l.Refs)}
}

// validLinks checks the names in l and returns them trimmed. The error is that of the first wrong one.
func validLinks(field string, l Links) (_ Links, err error) {
	l = Links{slices.Clone(l.Threads), slices.Clone(l.TodoRefs), slices.Clone(l.Refs)}
	check := func(name string, t *Text, valid func(string, Text, int) (Text, error)) {
		if err == nil {
			*t, err = valid(field+"."+name, *t, maxLinkName)
		}
	}
	for i := range l.Threads {
		check("threads.repo", &l.Threads[i].Repo, required)
		check("threads.task_id", &l.Threads[i].TaskID, required)
	}
	for i := range l.TodoRefs {
		check("todo_refs.todos_base", &l.TodoRefs[i].TodosBase, required)
		check("todo_refs.qualified_id", &l.TodoRefs[i].QualifiedID, required)
	}
	for i := range l.Refs {
		check("refs.kind", &l.Refs[i].Kind, required)
		check("refs.ref", &l.Refs[i].Ref, required)
		check("refs.title", &l.Refs[i].Title, optional)
	}
	return l, err
}
