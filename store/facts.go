package store

import (
	"fmt"
	"slices"
	"time"

	"vise/model"
)

// facts answers model.Facts from one transaction. The first error sticks: later answers
// are empty, and whoever asked must look at err before it believes any of them.
type facts struct {
	model.Records
	txn Txn
	err error
	// records are those decoded so far, by key; nil for one that is not there.
	records map[string]model.Record
	// what else was read or written so far
	known  *head
	heads  map[model.AgentID]agentHead
	counts map[model.AgentID]counts
}

type counts map[model.Tally]int

func newFacts(t Txn) *facts {
	f := &facts{txn: t, records: map[string]model.Record{}, heads: map[model.AgentID]agentHead{}, counts: map[model.AgentID]counts{}}
	f.Get = f.record
	return f
}

// Empty is what can be read where no ledger is.
func Empty() model.Reader { return reader{newFacts(&memTxn{tree: NewMemory().now.Load().tree})} }

func (f *facts) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// get returns the payload at key, nil when nothing is there.
func (f *facts) get(key []byte) []byte {
	if f.err != nil {
		return nil
	}
	value, err := f.txn.Get(key)
	if err != nil || value == nil {
		f.fail(err)
		return nil
	}
	payload, err := unframe(key, value)
	f.fail(err)
	return payload
}

// getJSON decodes the payload at key into v and reports whether there is one.
func (f *facts) getJSON(key []byte, v any) bool {
	payload := f.get(key)
	if payload == nil {
		return false
	}
	f.fail(decode(key, payload, v))
	return f.err == nil
}

func (f *facts) scan(r Range, visit func(key, value []byte) bool) {
	if f.err == nil {
		f.fail(f.txn.Scan(r, func(key, value []byte) bool { return visit(key, value) && f.err == nil }))
	}
}

// record loads a record by its name.
func (f *facts) record(n model.RecordName) (model.Record, bool) {
	key := recordKey(n.Kind, n.Key)
	if known, ok := f.records[string(key)]; ok {
		return known, known != nil
	}
	var r model.Record
	if payload := f.get(key); payload != nil && n.Key != "" {
		var err error
		r, err = decodeRecord(n.Kind, key, payload)
		f.fail(err)
	}
	if f.err != nil {
		return nil, false
	}
	f.records[string(key)] = r
	return r, r != nil
}

// all loads the records of some ids. One that is listed and not there is an error where
// strict: a damaged page can hide it.
func all[R model.Record](f *facts, kind model.RecordKind, ids []string, strict bool) []R {
	var out []R
	for _, id := range ids {
		x, ok := f.record(model.RecordName{Kind: kind, Key: id})
		if r, is := x.(R); ok && is {
			out = append(out, r)
		} else if strict {
			f.found(false, recordKey(kind, id))
		}
	}
	return out
}

// listed loads the records whose ids the keys below a prefix end with.
func listed[R model.Record](f *facts, kind model.RecordKind, prefix []byte) []R {
	var ids []string
	f.scan(Prefix(prefix), func(key, _ []byte) bool {
		ids = append(ids, idOf(prefix, key))
		return true
	})
	return all[R](f, kind, ids, true)
}

// found makes it an error that something listed is not there: a damaged page can hide it.
func (f *facts) found(ok bool, key []byte) bool {
	if !ok {
		f.fail(&damage{"read", fmt.Sprintf("%q is listed and not there", key)})
	}
	return ok
}

func (f *facts) ItemWaits(a model.AgentID, item model.ItemID) []model.Wait {
	return listed[model.Wait](f, model.KindWait, waitsPrefix(a, item, true))
}

func (f *facts) WaitsOn(a model.AgentID, kind model.WaitKind, resource model.Text) []model.Wait {
	waits := listed[model.Wait](f, model.KindWait, resourcePrefix(a, kind, resource))
	return slices.DeleteFunc(waits, func(w model.Wait) bool { return w.Resource != resource })
}

func (f *facts) BlockingTasks(a model.AgentID, item model.ItemID) []model.Task {
	return listed[model.Task](f, model.KindTask, runningPrefix(a, item))
}

func (f *facts) Delegations(parent model.AgentID, item model.ItemID) []model.Delegation {
	return listed[model.Delegation](f, model.KindDelegation, delegatedPrefix(parent, item))
}

func (f *facts) ParentsOf(child model.ItemID) []model.Delegation {
	return listed[model.Delegation](f, model.KindDelegation, servesPrefix(child))
}

func (f *facts) HandleTaken(h model.Handle) bool { return f.get(handleKey(h)) != nil }

func (f *facts) Rows(a model.AgentID, c model.Class, after *model.Row, limit int) []model.Row {
	r := Prefix(indexPrefix(a, c))
	if after != nil {
		r.From = append(append(indexPrefix(a, c), after.SortKey()...), 0)
	}
	if limit <= 0 {
		return nil
	}
	var rows []model.Row
	f.scan(r, func(key, value []byte) bool {
		if rows == nil {
			rows = make([]model.Row, 0, min(limit, model.MaxLimit))
		}
		payload, err := unframe(key, value)
		if err == nil {
			var row model.Row
			row, err = decodeRow(payload)
			rows = append(rows, row)
		}
		f.fail(err)
		return len(rows) < limit
	})
	return rows
}

func (f *facts) Count(a model.AgentID, t model.Tally) int { return f.countsOf(a)[t] }

func (f *facts) countsOf(a model.AgentID) counts {
	c, ok := f.counts[a]
	if !ok {
		c = counts{}
		f.getJSON(countKey(a), &c)
		f.counts[a] = c
	}
	return c
}

func (f *facts) Due(a model.AgentID, now time.Time, limit int) []model.Due {
	r := Range{From: duePrefix(a), To: cat(string(duePrefix(a)), instant(now), "0")} // "0" follows "/"
	var due []model.Due
	if limit <= 0 {
		return due
	}
	f.scan(r, func(key, value []byte) bool {
		payload, err := unframe(key, value)
		if err == nil {
			var d model.Due
			err = decode(key, payload, &d)
			due = append(due, d)
		}
		f.fail(err)
		return len(due) < limit
	})
	return due
}

func (f *facts) Entries(item model.ItemID, limit int) []model.Entry {
	return f.entriesBelow(trailPrefix(item), model.Position{}, limit)
}
