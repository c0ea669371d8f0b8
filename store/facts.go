package store

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"vise/model"
	"vise/store/kv"
)

// Facts answers model.Facts from one transaction. It keeps the first error; later answers are empty, and the caller must check Err before
// it uses any of them.
type Facts struct {
	model.Records
	Txn Txn
	Err error
	// fresh is in the ids that the command makes. Nothing has one yet.
	fresh string
	// records are the records decoded so far; nil for a record that does not exist.
	records map[model.RecordName]model.Record
	// known and heads are the heads of the ledger and of its parts, as read or written so far.
	known *Head
	heads map[model.AgentID]PartHead
	// sums are the counts of all parts; nil until they are needed.
	sums counts
	// findings notes the damage after which a read may continue. If it is nil, damage is an error.
	findings *findings
	// damaged reports that this transaction has met such damage.
	damaged bool
}

type counts map[model.Tally]int

// NewFacts reads and writes the values of a transaction.
func NewFacts(t Txn) *Facts {
	f := &Facts{Txn: t, records: map[model.RecordName]model.Record{}, heads: map[model.AgentID]PartHead{}}
	f.Get = f.load
	return f
}

// withFacts calls fn with the facts of a transaction. A read error takes precedence over the error of fn.
func withFacts(fn func(*Facts) error) func(Txn) error {
	return func(t Txn) error {
		f := NewFacts(t)
		err := fn(f)
		return cmp.Or(f.Err, err)
	}
}

// ReadFacts and WriteFacts call fn with the facts of a transaction on a backend.
func ReadFacts(ctx context.Context, b Backend, fn func(*Facts) error) error {
	return b.View(ctx, withFacts(fn))
}

func WriteFacts(ctx context.Context, b Backend, fn func(*Facts) error) error {
	return b.Update(ctx, withFacts(fn))
}

// Empty returns a reader for the case that there is no ledger.
func Empty() model.Reader { return NothingElsewhere().Reader() }

// Fail notes an error, unless there was one before.
func (f *Facts) Fail(err error) {
	if f.Err == nil {
		f.Err = err
	}
}

// Payload returns the payload at key, or nil if the key does not exist.
func (f *Facts) Payload(key []byte) []byte {
	if f.Err != nil {
		return nil
	}
	value, err := f.Txn.Get(key)
	if err != nil || value == nil {
		f.Fail(err)
		return nil
	}
	payload, err := kv.Unframe(key, value)
	f.Harmed(err)
	return payload
}

// JSON decodes the payload at key into v and reports whether there is one.
func (f *Facts) JSON(key []byte, v any) bool {
	payload := f.Payload(key)
	if payload == nil {
		return false
	}
	err := Decode(key, payload, v)
	f.Harmed(err)
	return err == nil
}

// Scan visits the range in order until visit returns false, or a read fails.
func (f *Facts) Scan(r Range, visit func(key, value []byte) bool) {
	if f.Err == nil {
		f.Harmed(f.Txn.Scan(r, func(key, value []byte) bool { return visit(key, value) && f.Err == nil }))
	}
}

// stored returns the key and the payload of a record, whichever part has it. There is no payload if there is no record.
func (f *Facts) stored(n model.RecordName) (key, payload []byte) {
	if n.Kind == model.KindAgent {
		key = recordKey(n, "")
		return key, f.Payload(key)
	}
	f.Scan(Prefix(recordsFrom(n.Kind, n.Key+"/")), func(k, value []byte) bool {
		var err error
		key = bytes.Clone(k)
		payload, err = kv.Unframe(k, value)
		f.Harmed(err)
		return false
	})
	return key, payload
}

// load loads a record by its name.
func (f *Facts) load(n model.RecordName) (model.Record, bool) {
	r, ok := f.records[n]
	if ok || n.Key == "" || f.fresh != "" && strings.Contains(n.Key, f.fresh) {
		return r, r != nil
	}
	key, payload := f.stored(n)
	return f.loadFrom(n, key, payload)
}

// loadFrom is load of a record whose payload was read.
func (f *Facts) loadFrom(n model.RecordName, key, payload []byte) (r model.Record, ok bool) {
	if payload != nil {
		var err error
		r, err = decodeRecord(n.Kind, key, payload)
		f.Harmed(err)
		r = f.withLease(r)
	}
	if f.Err != nil {
		return nil, false
	}
	if r == nil && n.Kind == model.KindBrief && f.findings != nil {
		f.compareReport(model.ItemID(n.Key))
	}
	f.records[n] = r
	return r, r != nil
}

// listed loads the records of a range of keys, up to a limit. A record's id is the part of its key from byte at on. A negative limit means
// no limit.
func listed[R model.Record](f *Facts, kind model.RecordKind, keys Range, at, limit int) []R {
	var ids []string
	if limit != 0 {
		f.Scan(keys, func(key, _ []byte) bool {
			ids = append(ids, string(key[min(at, len(key)):]))
			return len(ids) != limit
		})
	}
	return loaded[R](f, kind, ids)
}

// loaded loads the records with these ids. A missing one is damage.
func loaded[R model.Record](f *Facts, kind model.RecordKind, ids []string) (out []R) {
	for _, id := range ids {
		x, _ := f.load(model.RecordName{Kind: kind, Key: id})
		if r, ok := x.(R); f.found(ok, recordsFrom(kind, id)) {
			out = append(out, r)
		}
	}
	return out
}

// below is listed for all aged keys below a prefix.
func below[R model.Record](f *Facts, kind model.RecordKind, prefix []byte) []R {
	return listed[R](f, kind, Prefix(prefix), len(prefix)+AgeSize, -1)
}

// rowsIn reads the rows of a range, up to a limit.
func rowsIn[R any](f *Facts, keys Range, limit int, read func(key, value []byte) (R, error)) (out []R) {
	if limit <= 0 {
		return nil
	}
	f.Scan(keys, func(key, value []byte) bool {
		r, err := read(key, value)
		if f.Harmed(err); err == nil {
			out = append(out, r)
		}
		return len(out) < limit
	})
	return out
}

// found reports ok, and notes damage if a listed record is missing, because a damaged page can hide it.
func (f *Facts) found(ok bool, key []byte) bool {
	if !ok {
		f.disagree("%q is listed and not there", key)
	}
	return ok
}

func (f *Facts) ItemWaits(a model.AgentID, item model.ItemID) []model.Wait {
	return below[model.Wait](f, model.KindWait, waitsPrefix(a, item, true))
}

func (f *Facts) WaitsOn(a model.AgentID, kind model.WaitKind, resource model.Text) []model.Wait {
	waits := below[model.Wait](f, model.KindWait, resourcePrefix(a, kind, resource))
	return slices.DeleteFunc(waits, func(w model.Wait) bool { return w.Resource != resource })
}

func (f *Facts) BlockingTasks(a model.AgentID, item model.ItemID) []model.Task {
	return below[model.Task](f, model.KindTask, runningPrefix(a, item))
}

func (f *Facts) Delegations(parent model.AgentID, item model.ItemID) []model.Delegation {
	return below[model.Delegation](f, model.KindDelegation, delegatedPrefix(parent, item))
}

func (f *Facts) ParentsOf(child model.ItemID) []model.Delegation {
	w, _ := f.Item(child)
	return below[model.Delegation](f, model.KindDelegation, servesPrefix(w.AgentID, child))
}

func (f *Facts) QueuedMessages(a model.AgentID, limit int) []model.Message {
	prefix := queuePrefix(a)
	// In a key, the priority and a slash follow the agent.
	return listed[model.Message](f, model.KindMessage, Prefix(prefix), len(prefix)+2+AgeSize, max(limit, 0))
}

func (f *Facts) ItemOf(h model.Handle) (id model.ItemID) {
	f.named(handleKey(h, ""), func(found model.ItemID) bool { id = found; return false })
	return id
}

// named visits the ids of the items whose handles' keys begin with a prefix.
func (f *Facts) named(prefix []byte, visit func(model.ItemID) bool) {
	f.Scan(Prefix(prefix), func(key, value []byte) bool {
		id, err := kv.Unframe(key, value)
		f.Harmed(err)
		return visit(model.ItemID(id))
	})
}

func (f *Facts) Rows(a model.AgentID, c model.Class, after *model.Row, limit int) []model.Row {
	keys := Prefix(indexPrefix(a, c))
	if after != nil {
		keys.From = append(append(indexPrefix(a, c), after.SortKey()...), 0)
	}
	return rowsIn(f, keys, limit, decodeRow[model.Row])
}

func (f *Facts) Count(a model.AgentID, t model.Tally) int { return f.PartHead(a).Counts[t] }

func (f *Facts) Due(a model.AgentID, now time.Time, limit int) []model.Due {
	keys := Range{From: duePrefix(a), To: cat(string(duePrefix(a)), instant(now), "0")} // "0" follows "/"
	return rowsIn(f, keys, limit, func(key, value []byte) (d model.Due, err error) {
		err = DecodeValue(key, value, &d)
		return d, err
	})
}

func (f *Facts) Entries(item model.ItemID, limit int) (out []model.Entry) {
	w, _ := f.Item(item)
	f.changesOf(w.AgentID, Prefix(trailPrefix(w.AgentID, item)).Backwards(), func(o Outline) bool {
		for _, e := range slices.Backward(o.entries()) {
			if e.WorkItemID == item && len(out) < limit {
				out = append(out, e)
			}
		}
		return len(out) < limit
	})
	return out
}

// Reader is facts with the pages that frontends ask for. It implements model.Reader.
type Reader struct{ *Facts }

func (r Reader) Revision() uint64 { return r.Head().Revision }

// changedMost bounds the changes that are read to find their agents.
const changedMost = 256

// Changed implements model.Reader.
func (r Reader) Changed(after uint64) (agents map[model.AgentID]bool, all bool) {
	agents, all = map[model.AgentID]bool{}, true
	switch now := r.Revision(); {
	case now == after:
		return agents, true
	case now < after: // of another ledger
		return agents, false
	}
	if r.Txn.Counts() {
		parts, err := r.Txn.Changed(r.Revision() - after)
		for _, part := range parts {
			agents[part] = true
		}
		r.Fail(err)
		return agents, err == nil
	}
	read := 0
	r.history("", after+1, false, func(o Outline) bool {
		if read++; read > changedMost {
			all = false
		} else if len(o.Events) > 0 {
			agents[o.Agent] = true
		}
		return all
	})
	return agents, all
}

func (r Reader) Waits(agent model.AgentID, item model.ItemID, limit int) []model.Wait {
	limit = max(limit, 0)
	active, cancelled := waitsPrefix(agent, item, true), waitsPrefix(agent, item, false)
	all := listed[model.Wait](r.Facts, model.KindWait, Prefix(active).Backwards(), len(active)+AgeSize, limit)
	all = append(all, listed[model.Wait](r.Facts, model.KindWait, Prefix(cancelled), len(cancelled)+AgeSize, limit)...)
	slices.SortFunc(all, func(a, b model.Wait) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(len(all), limit)]
}

func (r Reader) ExternalWaits(a model.AgentID, after *model.Wait, limit int) []model.Wait {
	keys := Prefix(waitedPrefix(a, model.WaitExternal))
	if after != nil {
		keys.From = append(aged(resourcePrefix(a, after.Kind, after.Resource), after.CreatedAt, string(after.ID)), 0)
	}
	return listed[model.Wait](r.Facts, model.KindWait, keys, len(resourcePrefix(a, model.WaitExternal, ""))+AgeSize, max(limit, 0))
}

func (r Reader) RunningTasks(a model.AgentID, limit int) []model.Task {
	prefix := tasksPrefix(a, true)
	return listed[model.Task](r.Facts, model.KindTask, Prefix(prefix), len(prefix)+AgeSize, max(limit, 0))
}

func (r Reader) Tasks(a model.AgentID, limit int) []model.Task {
	running, ended := tasksPrefix(a, true), tasksPrefix(a, false)
	all := listed[model.Task](r.Facts, model.KindTask, Prefix(running).Backwards(), len(running)+AgeSize, max(limit, 0))
	return append(all, listed[model.Task](r.Facts, model.KindTask, Prefix(ended), len(ended)+AgeSize, max(limit-len(all), 0))...)
}

func (r Reader) Ingresses(a model.AgentID, limit int) []model.Ingress {
	prefix := ingressPrefix(a)
	return listed[model.Ingress](r.Facts, model.KindIngress, Prefix(prefix).Backwards(), len(prefix)+AgeSize, max(limit, 0))
}

func (r Reader) OpenDelegations(a model.AgentID, limit int) []model.Delegation {
	if limit <= 0 {
		return nil
	}
	var ids []string
	r.Scan(Prefix(cat("delegated/", string(a), "/")), func(key, _ []byte) bool {
		ids = append(ids, string(key[bytes.LastIndexByte(key, '/')+1:]))
		return len(ids) < limit
	})
	return loaded[model.Delegation](r.Facts, model.KindDelegation, ids)
}

// Seed returns the text with which an item's plan file was created. A file that was lost can be created again from it.
func (l *Ledger) Seed(ctx context.Context, item model.ItemID) (model.Text, error) {
	var seed model.Text
	err := l.ViewFacts(ctx, func(f *Facts) error {
		w, ok := f.Item(item)
		if !ok {
			return model.NotFound("no work item %s", model.Text(item)).At("work_item_id")
		}
		seed = f.seed(w)
		return nil
	})
	return seed, Explain(err)
}

func (f *Facts) seed(w model.WorkItem) (seed model.Text) {
	f.changesOf(w.AgentID, Prefix(trailPrefix(w.AgentID, w.ID)), func(o Outline) bool {
		p, _ := f.portionAt(o.Revision, o.Agent)
		seed = seedIn(p.Plans, w.ID)
		return false // an item's first event is its creation
	})
	return seed
}

func seedIn(plans []plan, item model.ItemID) model.Text {
	for _, p := range plans {
		if p.ItemID == item {
			return model.Text(p.Seed)
		}
	}
	return ""
}

// ItemIDs are all items, and the agents that own them.
func (f *Facts) ItemIDs() iter.Seq2[model.ItemID, model.AgentID] {
	return func(yield func(model.ItemID, model.AgentID) bool) {
		f.Scan(Prefix(recordsFrom(model.KindItem, "")), func(key, _ []byte) bool {
			n, agent := recordIn(key)
			return yield(model.ItemID(n.Key), agent)
		})
	}
}

// ItemAt returns an item as the change of a revision wrote it, and the text of its plan file if that change created it. What the change did
// not write is empty.
func (l *Ledger) ItemAt(ctx context.Context, item model.ItemID, revision uint64) (w model.WorkItem, seed model.Text, err error) {
	err = l.ViewFacts(ctx, func(f *Facts) error {
		now, _ := f.Item(item)
		p, _ := f.portionAt(revision, now.AgentID)
		for _, x := range p.Writes {
			if x.Kind != model.KindItem {
				continue
			}
			r, err := decodeRecord(x.Kind, JournalKey(revision, p.Agent), x.Record)
			if err != nil {
				return err
			}
			if was, _ := r.(model.WorkItem); was.ID == item {
				w = was
			}
		}
		seed = seedIn(p.Plans, item)
		return nil
	})
	return w, seed, Explain(err)
}
