package store

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vise/model"
)

// audit compares what a ledger holds with what follows from its records and its journal.
// It notes problems, and for derived rows the fixes that would make them right.
type audit struct {
	txn    Txn
	health Health
	fixes  []fix
	counts map[model.AgentID]counts
	// last is the hash of each record as the journal wrote it last, by key.
	last map[string]string
}

// fix puts a payload at a key, or deletes it.
type fix struct {
	key, payload []byte
	delete       bool
}

// owned is a table of rows whose keys end with the id of the record that they follow from,
// behind some segments that end with a slash and some bytes.
type owned struct {
	table           string
	kind            model.RecordKind
	segments, bytes int
}

// The rounds of an audit: an item's rows are derived from its waits' rows, so those first.
var rounds = []struct {
	kinds  []model.RecordKind
	tables []owned
}{
	{
		[]model.RecordKind{model.KindWait, model.KindTask, model.KindDelegation, model.KindBrief, model.KindDelivery,
			model.KindMessage, model.KindAttempt, model.KindTrace, model.KindIngress, model.KindOffers, model.KindSeen},
		[]owned{
			{"waits/", model.KindWait, 3, ageSize}, {"resource/", model.KindWait, 3, ageSize},
			{"running/", model.KindTask, 2, ageSize}, {"tasks/", model.KindTask, 2, ageSize},
			{"delegated/", model.KindDelegation, 2, ageSize}, {"serves/", model.KindDelegation, 1, ageSize},
			{"queue/", model.KindMessage, 2, ageSize}, {"doors/", model.KindIngress, 1, ageSize},
		},
	},
	{
		[]model.RecordKind{model.KindItem, model.KindAgent},
		[]owned{
			{"index/", model.KindItem, 2, 16}, {tableDue, "", 0, 0}, {tableHandle, "", 0, 0},
			{tableInbox, model.KindItem, 1, ageSize}, {tableDone, model.KindItem, 0, ageSize},
		},
	},
}

func newAudit(t Txn) *audit {
	return &audit{txn: t, counts: map[model.AgentID]counts{}, last: map[string]string{}}
}

// round audits the records of some kinds and the tables that derive from them.
func (a *audit) round(kinds []model.RecordKind, tables []owned) error {
	var err error
	for _, kind := range kinds {
		prefix := recordKey(kind, "")
		err = cmp.Or(err, a.txn.Scan(Prefix(prefix), func(key, _ []byte) bool {
			a.record(name{kind, string(key[len(prefix):])})
			return true
		}))
	}
	for _, table := range tables {
		err = cmp.Or(err, a.txn.Scan(Prefix([]byte(table.table)), func(key, value []byte) bool {
			a.row(table.owner(key, value), key)
			return true
		}))
	}
	return err
}

// record checks one record, and that every row that follows from it is there.
func (a *audit) record(n name) {
	a.health.Records++
	f := newFacts(a.txn)
	d := f.derive(n)
	key := recordKey(n.kind, n.id)
	payload := f.get(key)
	if f.err == nil {
		r, err := decodeRecord(n.kind, key, payload)
		if err == nil && r.Name().Key != n.id {
			err = fmt.Errorf("holds the record of %s", model.Text(r.Name().Key))
		}
		f.fail(err)
	}
	if f.err != nil {
		a.problem(key, "%v", f.err)
		return
	}
	if was, ok := a.last[string(key)]; a.last != nil && (!ok || was != hashOf(payload)) {
		a.problem(key, "is not what the journal wrote last")
	}
	delete(a.last, string(key))
	for _, k := range sortedKeys(d.rows) {
		a.expect([]byte(k), d.rows[k])
	}
	for _, t := range d.tallies {
		if a.counts[d.agent] == nil {
			a.counts[d.agent] = counts{}
		}
		a.counts[d.agent][t]++
	}
}

// expect checks that payload lies at key.
func (a *audit) expect(key, payload []byte) {
	want := slices.Clone(payload)
	if payload != nil {
		want = frame(key, want)
	}
	have, err := a.txn.Get(key)
	switch {
	case err != nil:
		a.problem(key, "%v", err)
	case have == nil:
		a.fix(fix{key: key, payload: payload}, "is missing")
	case !bytes.Equal(have, want):
		a.fix(fix{key: key, payload: payload}, "is not what follows from the records")
	}
}

// row checks that a derived row follows from the record that its key names.
func (a *audit) row(owner name, key []byte) {
	a.health.Rows++
	f := newFacts(a.txn)
	d := f.derive(owner)
	if _, ok := d.rows[string(key)]; !ok && f.err == nil {
		a.fix(fix{key: bytes.Clone(key), delete: true}, "follows from no record")
	}
}

// owner is the record that a row follows from, as far as its key tells.
func (o owned) owner(key, value []byte) name {
	rest := string(key[len(o.table):])
	switch o.table {
	case tableHandle:
		return name{model.KindItem, string(value[:max(0, len(value)-checksumSize)])}
	case tableDue:
		agent, rest, _ := strings.Cut(rest, "/")
		item, _, _ := strings.Cut(rest[min(ageSize, len(rest)):], "/")
		if item == "" {
			return name{model.KindAgent, agent}
		}
		return name{model.KindItem, item}
	}
	for range o.segments {
		_, rest, _ = strings.Cut(rest, "/")
	}
	return name{o.kind, rest[min(o.bytes, len(rest)):]}
}

// tally checks the counts.
func (a *audit) tally() error {
	have := map[model.AgentID]counts{}
	err := a.txn.Scan(Prefix([]byte(tableCount)), func(key, _ []byte) bool {
		agent := model.AgentID(key[len(tableCount):])
		f := newFacts(a.txn)
		have[agent] = f.countsOf(agent)
		if f.err != nil {
			have[agent] = counts{"unreadable": 1}
		}
		return true
	})
	for _, agent := range slices.Sorted(maps.Keys(a.counts)) {
		if !maps.Equal(a.counts[agent], have[agent]) {
			payload, err := encode(a.counts[agent])
			if err != nil {
				return err
			}
			a.fix(fix{key: countKey(agent), payload: payload}, fmt.Sprintf("is %v and should be %v", have[agent], a.counts[agent]))
		}
		delete(have, agent)
	}
	for _, agent := range sortedKeys(have) {
		if len(have[agent]) > 0 {
			a.fix(fix{key: countKey(agent), payload: []byte("{}")}, "counts items of an agent without any")
		}
	}
	return err
}

func (a *audit) fix(x fix, what string) {
	a.fixes = append(a.fixes, x)
	a.health.Derived++
	a.problem(x.key, "%s", what)
}

func (a *audit) problem(key []byte, format string, args ...any) {
	if a.health.Found++; len(a.health.Problems) < shownProblems {
		a.health.Problems = append(a.health.Problems, fmt.Sprintf("%q %s", key, fmt.Sprintf(format, args...)))
	}
}

// repair applies the fixes found so far, deletions first: a row that says the wrong thing
// may be found once as wrong and once as belonging to nothing.
func (a *audit) repair() error {
	f := newFacts(a.txn)
	for _, deleting := range []bool{true, false} {
		for _, x := range a.fixes {
			switch {
			case x.delete && deleting:
				f.delete(x.key)
			case !x.delete && !deleting:
				f.put(x.key, x.payload)
			}
		}
	}
	a.fixes = nil
	return f.err
}
