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
	f.Get = f.load
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

// load loads a record by its name.
func (f *facts) load(n model.RecordName) (model.Record, bool) {
	key := recordKey(n.Kind, n.Key)
	r, ok := f.records[string(key)]
	if ok || n.Key == "" {
		return r, r != nil
	}
	if payload := f.get(key); payload != nil {
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

// listed loads the records whose ids the keys of a range end with, from byte at on, up to a
// limit; a negative one is none.
func listed[R model.Record](f *facts, kind model.RecordKind, keys Range, at, limit int) []R {
	var ids []string
	if limit != 0 {
		f.scan(keys, func(key, _ []byte) bool {
			ids = append(ids, string(key[min(at, len(key)):]))
			return len(ids) != limit
		})
	}
	var out []R
	for _, id := range ids {
		x, _ := f.load(model.RecordName{Kind: kind, Key: id})
		if r, ok := x.(R); f.found(ok, recordKey(kind, id)) {
			out = append(out, r)
		}
	}
	return out
}

// below is listed of all aged keys below a prefix.
func below[R model.Record](f *facts, kind model.RecordKind, prefix []byte) []R {
	return listed[R](f, kind, Prefix(prefix), len(prefix)+ageSize, -1)
}

// rowsIn reads the rows in a range, up to a limit.
func rowsIn[R any](f *facts, keys Range, limit int, read func(key, payload []byte) (R, error)) []R {
	if limit <= 0 {
		return nil
	}
	var out []R
	f.scan(keys, func(key, value []byte) bool {
		payload, err := unframe(key, value)
		if err == nil {
			var r R
			r, err = read(key, payload)
			out = append(out, r)
		}
		f.fail(err)
		return len(out) < limit
	})
	return out
}

// found makes it an error that something listed is not there: a damaged page can hide it.
func (f *facts) found(ok bool, key []byte) bool {
	if !ok {
		f.fail(&damage{"read", fmt.Sprintf("%q is listed and not there", key)})
	}
	return ok
}

func (f *facts) ItemWaits(a model.AgentID, item model.ItemID) []model.Wait {
	return below[model.Wait](f, model.KindWait, waitsPrefix(a, item, true))
}

func (f *facts) WaitsOn(a model.AgentID, kind model.WaitKind, resource model.Text) []model.Wait {
	waits := below[model.Wait](f, model.KindWait, resourcePrefix(a, kind, resource))
	return slices.DeleteFunc(waits, func(w model.Wait) bool { return w.Resource != resource })
}

func (f *facts) BlockingTasks(a model.AgentID, item model.ItemID) []model.Task {
	return below[model.Task](f, model.KindTask, runningPrefix(a, item))
}

func (f *facts) Delegations(parent model.AgentID, item model.ItemID) []model.Delegation {
	return below[model.Delegation](f, model.KindDelegation, delegatedPrefix(parent, item))
}

func (f *facts) ParentsOf(child model.ItemID) []model.Delegation {
	return below[model.Delegation](f, model.KindDelegation, servesPrefix(child))
}

func (f *facts) QueuedMessages(a model.AgentID, limit int) []model.Message {
	prefix := queuePrefix(a)
	// After the agent come the priority and a slash.
	return listed[model.Message](f, model.KindMessage, Prefix(prefix), len(prefix)+2+ageSize, max(limit, 0))
}

func (f *facts) HandleTaken(h model.Handle) bool { return f.get(handleKey(h)) != nil }

func (f *facts) Rows(a model.AgentID, c model.Class, after *model.Row, limit int) []model.Row {
	keys := Prefix(indexPrefix(a, c))
	if after != nil {
		keys.From = append(append(indexPrefix(a, c), after.SortKey()...), 0)
	}
	return rowsIn(f, keys, limit, readRow)
}

func readRow(_, payload []byte) (model.Row, error) { return decodeRow(payload) }

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
	keys := Range{From: duePrefix(a), To: cat(string(duePrefix(a)), instant(now), "0")} // "0" follows "/"
	return rowsIn(f, keys, limit, func(key, payload []byte) (d model.Due, err error) {
		err = decode(key, payload, &d)
		return d, err
	})
}

func (f *facts) Entries(item model.ItemID, limit int) []model.Entry {
	return f.entriesBelow(trailPrefix(item), model.Position{}, limit)
}
