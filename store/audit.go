package store

import (
	"bytes"
	"cmp"
	"crypto/sha256"
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
	// written is the hash of each record as the journal wrote it last, by key; held that of each as it is.
	written, held map[string][sha256.Size]byte
	// facts are what was read so far, for a while.
	facts *facts
	// present is how many of the rows that this round expects are there.
	present int
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
			{"queue/", model.KindMessage, 2, ageSize}, {tableIngress, model.KindIngress, 1, ageSize},
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
	return &audit{txn: t, counts: map[model.AgentID]counts{}, written: map[string][sha256.Size]byte{}, held: map[string][sha256.Size]byte{}}
}

// factsKept bounds how many records are kept in memory: an item's agent is read for many items.
const factsKept = 1000

// read is what a record is derived by. After an error, of whatever was read, it begins anew.
func (a *audit) read() *facts {
	if a.facts == nil || a.facts.err != nil || len(a.facts.records) > factsKept {
		a.facts = newFacts(a.txn)
	}
	return a.facts
}

// round audits the records of some kinds and the tables that derive from them. Where all that the
// records tell is there and as it should be, and nothing more by number, no row is of no record.
func (a *audit) round(kinds []model.RecordKind, tables []owned) error {
	a.facts, a.present = nil, 0
	was, rows := a.health.Found, 0
	var err error
	for _, kind := range kinds {
		prefix := recordKey(kind, "")
		err = cmp.Or(err, a.txn.Scan(Prefix(prefix), func(key, _ []byte) bool {
			a.record(model.RecordName{Kind: kind, Key: string(key[len(prefix):])})
			return true
		}))
	}
	for _, table := range tables {
		err = cmp.Or(err, a.txn.Scan(Prefix([]byte(table.table)), func([]byte, []byte) bool { rows++; return true }))
	}
	a.health.Rows += rows
	if err != nil || rows == a.present && a.health.Found == was {
		return err
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
func (a *audit) record(n model.RecordName) {
	a.health.Records++
	f := a.read()
	d := f.derive(n)
	key := recordKey(n.Kind, n.Key)
	payload := f.get(key)
	if r, ok := f.load(n); ok && r.Name().Key != n.Key {
		f.fail(fmt.Errorf("holds the record of %s", model.Text(r.Name().Key)))
	}
	if f.err != nil {
		a.problem(key, "%v", f.err)
		return
	}
	a.held[string(key)] = sha256.Sum256(payload)
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
	default:
		a.present++
	}
}

// row checks that a derived row follows from the record that its key names.
func (a *audit) row(owner model.RecordName, key []byte) {
	f := a.read()
	d := f.derive(owner)
	if _, ok := d.rows[string(key)]; !ok && f.err == nil {
		a.fix(fix{key: bytes.Clone(key), delete: true}, "follows from no record")
	}
}

// owner is the record that a row follows from, as far as its key tells.
func (o owned) owner(key, value []byte) model.RecordName {
	rest := string(key[len(o.table):])
	switch o.table {
	case tableHandle:
		return model.RecordName{Kind: model.KindItem, Key: string(value[:max(0, len(value)-checksumSize)])}
	case tableInbox:
		x, err := decodeInboxed("", value[:max(0, len(value)-checksumSize)])
		if err == nil && x.OfAgent() {
			return model.RecordName{Kind: model.KindAgent, Key: string(x.AgentID)}
		}
	case tableDue:
		agent, rest, _ := strings.Cut(rest, "/")
		item, _, _ := strings.Cut(rest[min(ageSize, len(rest)):], "/")
		if item == "" {
			return model.RecordName{Kind: model.KindAgent, Key: agent}
		}
		return model.RecordName{Kind: model.KindItem, Key: item}
	}
	for range o.segments {
		_, rest, _ = strings.Cut(rest, "/")
	}
	return model.RecordName{Kind: o.kind, Key: rest[min(o.bytes, len(rest)):]}
}

// compare holds the records to what the journal wrote last.
func (a *audit) compare() {
	for _, key := range sortedKeys(a.held) {
		if was, ok := a.written[key]; !ok || was != a.held[key] {
			a.problem([]byte(key), "is not what the journal wrote last")
		}
	}
	for _, key := range sortedKeys(a.written) {
		if _, ok := a.held[key]; !ok {
			a.problem([]byte(key), "is in the journal and nowhere else")
		}
	}
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

// history walks the journal from its first entry to its last, and checks that nothing is
// missing, moved or changed in it, and that the rows that follow from it are there.
type history struct {
	*audit
	head  head // of the commits so far
	heads map[model.AgentID]agentHead
	// left is how many events of the last commit are still to come.
	left int
	rows int
}

func (a *audit) journal() error {
	h := &history{audit: a, heads: map[model.AgentID]agentHead{}}
	err := a.txn.Scan(Prefix([]byte(tableJournal)), func(key, value []byte) bool {
		payload, err := unframe(key, value)
		if direct, err := a.txn.Get(key); err != nil || !bytes.Equal(direct, value) {
			a.problem(key, "is passed in a scan and not found by its key")
		}
		switch p := positionAt(key); {
		case err != nil:
			a.problem(key, "%v", err)
		case p.N == 0:
			h.commit(key, payload, p)
		default:
			h.entry(key, payload, p)
		}
		return true
	})
	if err != nil {
		return err
	}
	h.complete()
	return h.trails()
}

func (h *history) commit(key, payload []byte, p model.Position) {
	var c commit
	if err := decode(key, payload, &c); err != nil {
		h.problem(key, "%v", err)
		return
	}
	h.health.Commits++
	if h.left != 0 || p.Revision != h.head.Revision+1 || c.Revision != p.Revision || c.Prev != h.head.Hash {
		h.problem(key, "does not follow revision %d", h.head.Revision)
	}
	h.head = head{Revision: p.Revision, Hash: hashOf(payload)}
	h.left = c.Events
	for _, w := range c.Writes {
		r, err := decodeRecord(w.Kind, key, w.Record)
		if err != nil {
			h.problem(key, "%v", err)
			continue
		}
		h.written[string(recordKey(w.Kind, r.Name().Key))] = sha256.Sum256(w.Record)
	}
}

func (h *history) entry(key, payload []byte, p model.Position) {
	var e entryRow
	if err := decode(key, payload, &e); err != nil {
		h.problem(key, "%v", err)
		return
	}
	h.health.Entries++
	was := h.heads[e.AgentID]
	h.left--
	if p.Revision != h.head.Revision || h.left < 0 || e.Revision != p.Revision || e.N != p.N {
		h.problem(key, "does not belong to revision %d", h.head.Revision)
	}
	if e.Seq != was.Seq+1 || e.Prev != was.Hash {
		h.problem(key, "does not follow event %d of agent %s", was.Seq, e.AgentID)
	}
	h.heads[e.AgentID] = agentHead{Seq: e.Seq, Hash: hashOf(payload)}
	h.rows++
	h.expect(append(logPrefix(e.AgentID), position(p)...), nil)
	if e.WorkItemID != "" {
		h.rows++
		h.expect(append(trailPrefix(e.WorkItemID), position(p)...), nil)
	}
}

// complete checks that the journal ends where the ledger and the agents say.
func (h *history) complete() {
	f := newFacts(h.txn)
	if said := f.head(); f.err != nil || said.Revision != h.head.Revision || said.Hash != h.head.Hash || h.left != 0 {
		h.problem(keyHead, "says revision %d, and the journal ends at %d", said.Revision, h.head.Revision)
	}
	for _, id := range sortedKeys(h.heads) {
		payload, err := encode(h.heads[id])
		if err != nil {
			h.problem(agentHeadKey(id), "%v", err)
			continue
		}
		h.expect(agentHeadKey(id), payload)
	}
}

// trails looks for rows of events that are not in the journal.
func (h *history) trails() error {
	found := 0
	count := func([]byte, []byte) bool { found++; return true }
	err := cmp.Or(h.txn.Scan(Prefix([]byte(tableTrail)), count), h.txn.Scan(Prefix([]byte(tableLog)), count))
	if err != nil || found <= h.rows {
		return err
	}
	return cmp.Or(h.strays(tableTrail), h.strays(tableLog))
}

// strays finds the rows of a table that no event of the journal has.
func (h *history) strays(table string) error {
	return h.txn.Scan(Prefix([]byte(table)), func(key, _ []byte) bool {
		var e entryRow
		p := positionAt(key)
		newFacts(h.txn).getJSON(journalKey(p), &e)
		want := append(logPrefix(e.AgentID), position(p)...)
		if table == tableTrail {
			want = append(trailPrefix(e.WorkItemID), position(p)...)
		}
		if !bytes.Equal(key, want) {
			h.fix(fix{key: bytes.Clone(key), delete: true}, "belongs to no event")
		}
		return true
	})
}
