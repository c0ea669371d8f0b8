package store

import (
	"cmp"
	"maps"
	"slices"

	"vise/model"
)

// judge answers a command inside a transaction: from memory if its key is known, else by
// judging it and saving what it makes.
func (l *Ledger) judge(t Txn, at model.Stamp, e model.Envelope, fp string) (model.Receipt, error) {
	f := newFacts(t)
	if known, ok := f.answer(e.Key); ok || f.err != nil {
		return replay(known, fp), cmp.Or(f.err, mismatch(known, fp))
	}
	change, err := model.Step(f, at, e.Command)
	if f.err != nil {
		return model.Receipt{}, f.err
	}
	if err != nil {
		return model.Receipt{}, err
	}
	was := f.head()
	change.Receipt = stampReceipt(change.Receipt, was.Revision)
	if change.Empty() {
		return change.Receipt, f.err
	}
	if err := l.createPlans(change.NewPlans); err != nil {
		return model.Receipt{}, err
	}
	c := commit{At: at.At, Actor: at.Actor, Key: e.Key, Print: fp, Receipt: change.Receipt, Plans: plansOf(change.NewPlans)}
	saved := f.save(c, change.Writes, entriesOf(f, at, change))
	return saved.Receipt, f.err
}

func stampReceipt(r model.Receipt, revision uint64) model.Receipt {
	r.Revision = revision
	r.Calls = slices.Clone(r.Calls)
	for i := range r.Calls {
		r.Calls[i] = stampReceipt(r.Calls[i], revision)
	}
	return r
}

// entriesOf gives each event its agent: the item's owner, else whom the command is for.
func entriesOf(f *facts, at model.Stamp, c model.Change) []model.Entry {
	owners := map[model.ItemID]model.AgentID{}
	for _, r := range c.Writes {
		if w, ok := r.(model.WorkItem); ok {
			owners[w.ID] = w.AgentID
		}
	}
	acting, _ := at.Actor.Agent()
	entries := make([]model.Entry, len(c.Events))
	for i, e := range c.Events {
		agent, ok := owners[e.WorkItemID]
		if !ok && e.WorkItemID != "" {
			w, _ := f.Item(e.WorkItemID)
			agent = w.AgentID
		}
		data, err := encode(e.Data)
		f.fail(err)
		entries[i] = model.Entry{AgentID: cmp.Or(agent, c.Receipt.AgentID, at.Agent, acting), Kind: e.Kind, WorkItemID: e.WorkItemID, Data: data}
	}
	return entries
}

// save is the one place that writes to a ledger: records, what derives from them, journal,
// answer and revision, so that they cannot disagree. It returns the commit as it was made.
func (f *facts) save(c commit, records []model.Record, events []model.Entry) commit {
	was := f.head()
	c.Revision, c.Prev, c.Events = was.Revision+1, was.Hash, len(events)
	c.Receipt = stampReceipt(c.Receipt, c.Revision)

	own, composed := f.touched(records)
	ownBefore, before := f.deriveAll(own), f.deriveAll(composed)
	c.Writes = make([]write, len(records))
	for i, r := range records {
		c.Writes[i] = write{Kind: r.Name().Kind, Record: f.putRecord(r)}
	}
	f.replace(ownBefore, f.deriveAll(own))
	after := f.deriveAll(composed)
	f.replace(before, after)
	f.recount(before, after)

	h := f.appendJournal(c, events)
	f.putHead(f.keepAnswer(c, was, h))
	return c
}

// putRecord writes a record and returns its bytes.
func (f *facts) putRecord(r model.Record) []byte {
	key := recordKey(r.Name().Kind, r.Name().Key)
	f.records[string(key)] = r
	return f.putJSON(key, r)
}

func (f *facts) putJSON(key []byte, v any) []byte {
	payload, err := encode(v)
	f.fail(err)
	f.put(key, payload)
	return payload
}

// put writes a payload with its checksum; a nil payload writes the key alone.
func (f *facts) put(key, payload []byte) {
	if f.err != nil {
		return
	}
	if payload != nil {
		payload = frame(key, payload)
	}
	f.fail(f.txn.Put(key, payload))
}

func (f *facts) delete(key []byte) {
	if f.err == nil {
		f.fail(f.txn.Delete(key))
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	keys := slices.AppendSeq(make([]K, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}
