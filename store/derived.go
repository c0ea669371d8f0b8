package store

import (
	"bytes"
	"time"

	"vise/model"
)

// derived are the rows and tallies that follow from one record. For an item they also depend on its active waits and its agent's focus.
type derived struct {
	agent   model.AgentID
	rows    map[string][]byte // payloads; nil for rows with only a key
	tallies []model.Tally
}

// derive is the only source of derived rows. Saving a change, checking a ledger and rebuilding it all use it.
func (f *Facts) derive(n model.RecordName) derived {
	switch n.Kind {
	case model.KindAgent:
		d := derived{agent: model.AgentID(n.Key), rows: map[string][]byte{}}
		f.addDues(d, model.DuesOf(model.WorkItem{}, f.ItemWaits(d.agent, ""))) // of the agent's own waits
		f.addNeeds(&d)
		return d
	case model.KindItem:
		return f.deriveItem(model.ItemID(n.Key))
	}
	r, _ := f.load(n)
	agent, keys := keysOf(r)
	d := derived{agent: agent, rows: map[string][]byte{}}
	for _, k := range keys {
		d.rows[string(k)] = nil
	}
	return d
}

// keysOf returns the rows that derive from a record of any other kind. These rows have only a key.
func keysOf(r model.Record) (agent model.AgentID, keys [][]byte) {
	switch r := r.(type) {
	case model.Wait:
		active := r.Status == model.WaitActive
		if !active {
			return r.AgentID, append(keys, newestAged(waitsPrefix(r.AgentID, r.WorkItemID, false), r.CreatedAt, string(r.ID)))
		}
		return r.AgentID, append(keys, aged(waitsPrefix(r.AgentID, r.WorkItemID, true), r.CreatedAt, string(r.ID)),
			aged(resourcePrefix(r.AgentID, r.Kind, r.Resource), r.CreatedAt, string(r.ID)))
	case model.Task:
		if r.Status != model.TaskRunning {
			return r.AgentID, append(keys, newestAged(tasksPrefix(r.AgentID, false), r.CreatedAt, string(r.ID)))
		}
		keys = append(keys, aged(tasksPrefix(r.AgentID, true), r.CreatedAt, string(r.ID)))
		if r.Blocking {
			keys = append(keys, aged(runningPrefix(r.AgentID, r.WorkItemID), r.CreatedAt, string(r.ID)))
		}
		return r.AgentID, keys
	case model.Message:
		if r.Status == model.MessageQueued {
			keys = append(keys, aged(queueLane(r.AgentID, r.Priority), r.CreatedAt, string(r.ID)))
		}
		return r.AgentID, keys
	case model.Ingress:
		return r.AgentID, append(keys, aged(ingressPrefix(r.AgentID), r.CreatedAt, string(r.ID)))
	case model.Delegation:
		if r.State == model.DelegationOpen {
			keys = append(keys, aged(delegatedPrefix(r.ParentAgentID, r.ParentWorkItemID), r.CreatedAt, string(r.ID)))
			if r.ChildWorkItemID != "" { // otherwise its item does not exist yet
				keys = append(keys, aged(servesPrefix(r.ChildAgentID, r.ChildWorkItemID), r.CreatedAt, string(r.ID)))
			}
		}
		return r.ParentAgentID, keys
	}
	return "", nil
}

func (f *Facts) deriveItem(id model.ItemID) derived {
	w, ok := f.Item(id)
	if !ok {
		return derived{}
	}
	a, _ := f.Agent(w.AgentID)
	waits := f.ItemWaits(w.AgentID, id)
	row := model.RowOf(w, waits, a.CurrentWorkItemID == id)
	d := derived{agent: w.AgentID, tallies: row.Tallies(), rows: map[string][]byte{
		string(indexKey(row)):                    encodeRow(row),
		string(handleKey(row.Handle, w.AgentID)): []byte(id),
	}}
	if row.Offered() {
		d.rows[string(append(indexPrefix(row.AgentID, model.ReportOffered), row.SortKey()...))] = encodeRow(row)
	}
	if len(w.PlanAwaited) > 0 {
		d.rows[string(awaitedKey(w))] = nil
	}
	f.addDues(d, model.DuesOf(w, waits))
	f.addAttention(&d, w, waits, row)
	return d
}

func (f *Facts) addDues(d derived, dues []model.Due) {
	for _, due := range dues {
		payload, err := Encode(due)
		f.Fail(err)
		d.rows[string(dueKey(d.agent, due))] = payload
	}
}

// touched names the records whose derived rows may change with the writes. Rows of own depend only on their record. Rows of composed also
// depend on waits and focus, and therefore on the rows of own.
func (f *Facts) touched(writes []model.Record) (own, composed []model.RecordName) {
	seen := map[model.RecordName]bool{}
	add := func(list *[]model.RecordName, kind model.RecordKind, id string) {
		if n := (model.RecordName{Kind: kind, Key: id}); id != "" && !seen[n] {
			seen[n] = true
			*list = append(*list, n)
		}
	}
	for _, r := range writes {
		switch r := r.(type) {
		case model.Agent:
			add(&composed, model.KindAgent, string(r.ID))
			before, _ := f.Agent(r.ID)
			add(&composed, model.KindItem, string(before.CurrentWorkItemID))
			add(&composed, model.KindItem, string(r.CurrentWorkItemID))
		case model.Wait:
			add(&own, model.KindWait, string(r.ID))
			add(&composed, model.KindItem, string(r.WorkItemID))
			if r.WorkItemID == "" {
				add(&composed, model.KindAgent, string(r.AgentID))
			}
		case model.Task, model.Delegation, model.Message, model.Ingress:
			add(&own, r.Name().Kind, r.Name().Key)
			if m, ok := r.(model.Message); ok { // its derived rows depend on whether an answer was taken
				add(&composed, model.KindItem, string(m.WorkItemID))
			}
		case model.WorkItem, model.Attempt, model.ReportOffers, model.Seen: // each is stored under the item's id
			add(&composed, model.KindItem, r.Name().Key)
		}
	}
	return own, composed
}

func (f *Facts) deriveAll(names []model.RecordName) []derived {
	out := make([]derived, len(names))
	for i, n := range names {
		out[i] = f.derive(n)
	}
	return out
}

// replace puts the rows that changed and deletes the rows that no longer follow.
func (f *Facts) replace(before, after []derived) {
	for i := range after {
		for _, key := range sortedKeys(before[i].rows) {
			if _, stays := after[i].rows[key]; !stays {
				f.Delete([]byte(key))
			}
		}
		for _, key := range sortedKeys(after[i].rows) {
			was, there := before[i].rows[key]
			if is := after[i].rows[key]; !there || !bytes.Equal(was, is) {
				f.Put([]byte(key), is)
			}
		}
	}
}

// recount changes the agents' counts by the difference. A tally that reaches zero is dropped. The heads are not written.
func (f *Facts) recount(before, after []derived) {
	add := func(list []derived, by int) {
		for _, d := range list {
			if len(d.tallies) == 0 {
				continue
			}
			h := f.PartHead(d.agent)
			if h.Counts == nil {
				h.Counts = counts{}
			}
			for _, t := range d.tallies {
				if h.Counts[t] += by; h.Counts[t] == 0 {
					delete(h.Counts, t)
				}
			}
			f.heads[d.agent] = h
		}
	}
	add(before, -1)
	add(after, 1)
}

// The items that need the operator, and the finished items, are indexed across agents. The cost of an inbox of a thousand agents depends
// only on what it shows. Each key contains the id of the item or agent, so two agents never write the same key.

// inboxPrefix is the prefix of the inbox's keys of one need.
func inboxPrefix(n model.Need) []byte { return cat(tableInbox, needLetters[n], "/") }

// needLetters are the letters for the needs in keys. Their order has no meaning.
var needLetters = map[model.Need]string{
	model.NeedAnswer: "a", model.NeedNudge: "b", model.NeedPickup: "c", model.NeedReview: "d", model.NeedChoice: "e", model.NeedReport: "f",
	model.NeedLook: "g", model.NeedRepair: "h", model.NeedPermit: "i", model.Snoozed: "s",
}

// changes is the time in the key of a snooze that ends with a change. It sorts after all real times.
var changes = time.Unix(1<<40, 0)

func inboxKey(x model.Inboxed) []byte {
	if x.Snoozed {
		until := x.SnoozedUntil
		if until.IsZero() {
			until = changes
		}
		return append(inboxPrefix(model.Snoozed), cat(instant(until), "/", string(x.ID), "/", string(x.AgentID))...)
	}
	at := instant(x.Since)
	if !x.Need.OfOpenItem() {
		at = NewestFirst(x.Since)
	}
	return append(inboxPrefix(x.Need), cat(at, "/", string(x.ID), "/", string(x.AgentID))...)
}

func DoneKey(r model.Row) []byte {
	return cat(TableDone, NewestFirst(r.UpdatedAt), "/", string(r.ID), "/", string(r.AgentID))
}

// addAttention adds an item's rows in the inbox and in the list of finished items.
func (f *Facts) addAttention(d *derived, w model.WorkItem, waits []model.Wait, row model.Row) {
	if w.State == model.Completed {
		d.rows[string(DoneKey(row))] = encodeRow(row)
	}
	x, ok := model.InboxOf(f, w, waits, row.IsCurrent)
	if !ok {
		return
	}
	d.rows[string(inboxKey(x))] = encodeRow(x)
	if !x.Seen && !x.Snoozed {
		d.tallies = append(d.tallies, model.NeedTally(x.Need))
	}
}

// addNeeds adds the inbox rows for the needs of the agent itself.
func (f *Facts) addNeeds(d *derived) {
	for _, x := range model.AgentNeeds(f, d.agent) {
		d.rows[string(inboxKey(x))] = encodeRow(x)
		d.tallies = append(d.tallies, model.TallyNeedsOperator, model.NeedTally(x.Need))
	}
}

func (r Reader) Inbox(need model.Need, visit func(model.Inboxed) bool) {
	listed, all := 0, true
	r.Scan(Prefix(inboxPrefix(need)), func(key, value []byte) bool {
		x, err := decodeRow[model.Inboxed](key, value)
		r.Harmed(err)
		if !x.Seen {
			listed++
		}
		all = err != nil || !r.hasRecord(x.Row) || visit(x)
		return all
	})
	if all && need != model.Snoozed { // hidden entries are not counted
		r.compareCount(listed, "entries of the inbox", model.NeedTally(need))
	}
}

func (r Reader) Finished(after *model.Row, limit int) []model.Row {
	out, _, _ := r.withRecords(after, limit, func(after *model.Row, n int) []model.Row {
		keys := Prefix([]byte(TableDone))
		if after != nil {
			keys.From = append(DoneKey(*after), 0)
		}
		return rowsIn(r.Facts, keys, n, decodeRow[model.Row])
	})
	return out
}
