package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"vise/model"
	"vise/store/kv"
)

// judge answers a command inside a transaction. For a known key it returns the stored
// receipt; otherwise it saves the result. A key is known to the part that has its change, which is only known when the command is judged.
// Only if that finds nothing to change, all parts are asked. The plan ahead exists already.
func (l *Ledger) judge(ctx context.Context, t Txn, at model.Stamp, e model.Envelope, fp string,
	ahead model.NewPlan) (model.Receipt, error) {
	f := NewFacts(t)
	f.fresh = at.NewID
	change, err := model.Step(f, at, e.Command)
	err = cmp.Or(f.Err, err)
	part, events := model.AgentID(""), []model.Entry(nil)
	if err == nil && !change.Empty() {
		events = entriesOf(f, at, change)
		part = receiptPart(change.Receipt, change.Writes, events)
	}
	of := NewFacts(t) // f can have failed
	if known, ok := of.answer(e.Key, fp, part); ok || of.Err != nil {
		return replayed(known, fp, of.Err)
	}
	if err != nil {
		return model.Receipt{}, err
	}
	if err := f.keepLease(at, e.Command, change.Writes); err != nil {
		return model.Receipt{}, err
	}
	was := f.Head()
	change.Receipt = stampReceipt(change.Receipt, was.Revision)
	if change.Empty() {
		change.Receipt.Unchanged = true
		return change.Receipt, f.Err
	}
	if err := cmp.Or(l.fits(t, true), l.spaceFor(ctx, e.Command)); err != nil { // before plan files are created
		return model.Receipt{}, err
	}
	if err := l.createPlans(change.NewPlans, ahead); err != nil {
		return model.Receipt{}, err
	}
	c := commit{At: at.At, Actor: at.Actor, Person: at.Person, Key: e.Key, Print: fp, Part: part, Receipt: change.Receipt,
		Plans: plansOf(change.NewPlans)}
	saved := f.save(c, change.Writes, events)
	if plan, ok := e.Command.(model.SavePlan); ok {
		f.saveBody(plan)
	}
	return saved.Receipt, f.Err
}

// replayed is the answer to a key that was used before.
func replayed(known Portion, fp string, err error) (in model.Receipt, _ error) {
	if err != nil {
		return in, err
	}
	in = *known.Receipt
	in.Replayed = true
	return in, mismatch(known, fp)
}

// Answered returns the receipt of the command that used the key of e, if there is one. If it was for another request, it is an error.
func (l *Ledger) Answered(ctx context.Context, e model.Envelope) (in model.Receipt, ok bool, err error) {
	err = l.ViewFacts(ctx, func(f *Facts) (err error) {
		var known Portion
		if known, ok = f.answer(e.Key, printOf("request "+e.Request), ""); ok {
			in, err = replayed(known, printOf("request "+e.Request), f.Err)
		}
		return err
	})
	return in, ok, Explain(err)
}

func stampReceipt(r model.Receipt, revision uint64) model.Receipt {
	r.Revision = revision
	r.Calls = slices.Clone(r.Calls)
	for i := range r.Calls {
		r.Calls[i] = stampReceipt(r.Calls[i], revision)
	}
	return r
}

// entriesOf gives each event its agent: the item's owner, otherwise the agent of the command.
func entriesOf(f *Facts, at model.Stamp, c model.Change) []model.Entry {
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
		data, err := Encode(e.Data)
		f.Fail(err)
		entries[i] = model.Entry{AgentID: cmp.Or(agent, c.Receipt.AgentID, at.Agent, acting), Kind: e.Kind, WorkItemID: e.WorkItemID,
			Data: data}
	}
	return entries
}

// save is the only code that writes changes to a ledger: records, derived rows, journal,
// answer and heads, so that they always agree. It returns the commit as it was saved. A
// commit that is made again has its revision.
func (f *Facts) save(c commit, records []model.Record, events []model.Entry) commit {
	c = f.numbered(c, records, events)
	writes := make([]write, len(records))
	f.rederive(records, func() {
		for i, r := range records {
			writes[i] = write{Kind: r.Name().Kind, Record: f.putRecord(r)}
		}
	})
	f.appendChange(c, records, writes, events)
	return c
}

// rederive lets what derives from records follow when put writes or deletes them.
func (f *Facts) rederive(records []model.Record, put func()) {
	own, composed := f.touched(records)
	ownBefore, before := f.deriveAll(own), f.deriveAll(composed)
	put()
	f.replace(ownBefore, f.deriveAll(own))
	after := f.deriveAll(composed)
	f.replace(before, after)
	f.recount(before, after)
}

// numbered gives a commit its revision and its part, if it has none.
func (f *Facts) numbered(c commit, records []model.Record, events []model.Entry) commit {
	c.Revision = cmp.Or(c.Revision, f.Head().Revision+1)
	c.Receipt = stampReceipt(c.Receipt, c.Revision)
	if c.Part == "" {
		c.Part = receiptPart(c.Receipt, records, events)
	}
	return c
}

// appendChange appends a change to the history. Each record has the write with its number.
func (f *Facts) appendChange(c commit, records []model.Record, writes []write, events []model.Entry) {
	portions := newPortions(c)
	for i, r := range records {
		p := portions.of(r.Part())
		p.Writes = append(p.Writes, writes[i])
		if d, ok := r.(model.Delegation); ok {
			portions.of(d.ChildAgentID) // its list of delegations changes
		}
	}
	for _, p := range c.Plans {
		in := portions.of(p.AgentID)
		in.Plans = append(in.Plans, p)
	}
	f.appendJournal(portions, events)
	f.PutHead(Head{Revision: c.Revision})
}

// receiptPart is the part that keeps a command's key and receipt.
func receiptPart(receipt model.Receipt, records []model.Record, events []model.Entry) model.AgentID {
	part := receipt.AgentID
	for _, r := range records {
		part = cmp.Or(part, r.Part())
	}
	for _, e := range events {
		part = cmp.Or(part, e.AgentID)
	}
	return part
}

// putRecord writes a record and returns its bytes.
func (f *Facts) putRecord(r model.Record) []byte {
	f.records[r.Name()] = r
	payload, err := model.WriteRecord(r)
	f.Fail(err)
	f.Put(recordKey(r.Name(), r.Part()), payload)
	return payload
}

func (f *Facts) PutJSON(key []byte, v any) []byte {
	payload, err := Encode(v)
	f.Fail(err)
	f.Put(key, payload)
	return payload
}

// Put writes a payload with its checksum. A nil payload writes only the key.
func (f *Facts) Put(key, payload []byte) {
	if f.Err != nil {
		return
	}
	if payload != nil {
		payload = kv.Frame(key, payload)
	}
	f.Fail(f.Txn.Put(key, payload))
}

func (f *Facts) Delete(key []byte) {
	if f.Err == nil {
		f.Fail(f.Txn.Delete(key))
	}
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
