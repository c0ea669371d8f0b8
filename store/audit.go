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
	"vise/store/kv"
)

// audit compares the rows of a ledger with its records and its journal. It notes problems, and the fixes that correct derived rows.
type audit struct {
	txn    Txn
	health Health
	fixes  []fix
	counts map[model.AgentID]counts
	// ends are the ends of the parts' histories; nil if the journal was not read.
	ends map[model.AgentID]PartHead
	// written is the hash of each record as the journal last wrote it, by key. held is the hash of each record as it is stored.
	written, held map[string][sha256.Size]byte
	// facts caches the records that were read; read replaces it after factsKept records.
	facts *Facts
	// present counts the expected rows that were found, rows all rows.
	present, rows int
	// share is the number of the share of the records that this audit reads, of shares in all.
	share, shares int
}

// fix puts a payload at a key, or deletes the key.
type fix struct {
	key, payload []byte
	delete       bool
}

// owned is a table of rows that derive from records. A row's key ends with the record's id, after so many segments that end with a slash
// and so many bytes.
type owned struct {
	table           string
	kind            model.RecordKind
	segments, bytes int
}

// round is some kinds of records and the tables that derive from them.
type round struct {
	kinds  []model.RecordKind
	tables []owned
}

// rounds are the rounds of an audit. An item's rows are derived from the rows of its waits, so the waits come first.
var rounds = []round{
	{
		[]model.RecordKind{model.KindWait, model.KindTask, model.KindDelegation, model.KindBrief, model.KindDelivery,
			model.KindMessage, model.KindAttempt, model.KindTrace, model.KindIngress, model.KindOffers, model.KindSeen},
		[]owned{
			{"waits/", model.KindWait, 3, AgeSize}, {"resource/", model.KindWait, 3, AgeSize},
			{"running/", model.KindTask, 2, AgeSize}, {"tasks/", model.KindTask, 2, AgeSize},
			{"delegated/", model.KindDelegation, 2, AgeSize}, {"serves/", model.KindDelegation, 2, AgeSize},
			{"queue/", model.KindMessage, 2, AgeSize}, {tableIngress, model.KindIngress, 1, AgeSize},
		},
	},
	{
		[]model.RecordKind{model.KindItem, model.KindAgent},
		[]owned{
			{"index/", model.KindItem, 2, 16}, {tableDue, "", 0, 0}, {tableHandle, "", 0, 0},
			{tableInbox, model.KindItem, 1, AgeSize}, {TableDone, model.KindItem, 0, AgeSize},
			{tableAwaited, model.KindItem, 1, 0},
		},
	},
}

func newAudit(t Txn) *audit {
	return &audit{txn: t, counts: map[model.AgentID]counts{}, written: map[string][sha256.Size]byte{},
		held: map[string][sha256.Size]byte{}, shares: 1}
}

// factsKept is how many records stay in memory. An item's agent is read for many items.
const factsKept = 1000

// read returns the facts to derive a record with. After any read error it starts with new facts.
func (a *audit) read() *Facts {
	if a.facts == nil || a.facts.Err != nil || len(a.facts.records) > factsKept {
		a.facts = NewFacts(a.txn)
	}
	return a.facts
}

// pass audits this audit's share of the records of some kinds, and counts the rows that derive from them.
func (a *audit) pass(r round) error {
	n := 0
	mine := func() bool { n++; return n%a.shares == a.share }
	a.facts = nil
	var err error
	for _, kind := range r.kinds {
		err = cmp.Or(err, a.txn.Scan(Prefix(recordsFrom(kind, "")), func(key, _ []byte) bool {
			if mine() {
				a.record(bytes.Clone(key))
			}
			return true
		}))
	}
	for _, table := range r.tables {
		if mine() {
			err = cmp.Or(err, a.txn.Scan(Prefix([]byte(table.table)), func([]byte, []byte) bool { a.rows++; return true }))
		}
	}
	return err
}

// strays looks for rows that belong to no record. It skips the search if no problem was found and the number of rows is the expected one.
func (a *audit) strays(of []round) (err error) {
	a.health.Rows += a.rows
	if a.rows == a.present && a.health.Found == 0 {
		return nil
	}
	for _, r := range of {
		for _, table := range r.tables {
			err = cmp.Or(err, a.txn.Scan(Prefix([]byte(table.table)), func(key, value []byte) bool {
				a.row(table.owner(key, value), key)
				return true
			}))
		}
	}
	return err
}

// add adds the findings of the audit of another share.
func (a *audit) add(x *audit) {
	a.health.Records += x.health.Records
	a.health.Found += x.health.Found
	a.health.Derived += x.health.Derived
	a.health.Problems = append(a.health.Problems, x.health.Problems...)
	a.health.Problems = a.health.Problems[:min(len(a.health.Problems), shownProblems)]
	a.rows, a.present = a.rows+x.rows, a.present+x.present
	maps.Copy(a.held, x.held)
	for agent, counted := range x.counts {
		for t, n := range counted {
			a.count(agent, t, n)
		}
	}
}

func (a *audit) count(agent model.AgentID, t model.Tally, n int) {
	if a.counts[agent] == nil {
		a.counts[agent] = counts{}
	}
	a.counts[agent][t] += n
}

// rowless are the kinds of records without rows of their own. The check of the journal decodes them, and compares their bytes.
var rowless = []model.RecordKind{model.KindBrief, model.KindDelivery, model.KindAttempt, model.KindTrace, model.KindOffers, model.KindSeen}

// record checks one record, and that every row that derives from it exists.
func (a *audit) record(key []byte) {
	a.health.Records++
	f := a.read()
	n, part := recordIn(key)
	payload := f.Payload(key)
	var d derived
	if !slices.Contains(rowless, n.Kind) {
		d = f.derive(n)
		if r, ok := f.load(n); ok && (r.Name() != n || r.Part() != part) {
			f.Fail(fmt.Errorf("holds the record of %s of agent %s", model.Text(r.Name().Key), r.Part()))
		}
	}
	if f.Err != nil {
		a.problem(key, "%v", f.Err)
		return
	}
	a.held[string(key)] = sha256.Sum256(payload)
	for _, k := range sortedKeys(d.rows) {
		a.expect([]byte(k), d.rows[k])
	}
	for _, t := range d.tallies {
		a.count(d.agent, t, 1)
	}
}

// expect checks that the row at key holds payload.
func (a *audit) expect(key, payload []byte) {
	want := slices.Clone(payload)
	if payload != nil {
		want = kv.Frame(key, want)
	}
	have, err := a.txn.Get(key)
	switch {
	case err != nil:
		a.problem(key, "%v", err)
	case have == nil:
		a.fix(fix{key: key, payload: payload}, "is missing")
	case !bytes.Equal(have, want):
		a.fix(fix{key: key, payload: payload}, "differs from the records")
	default:
		a.present++
	}
}

// row checks that a derived row follows from the record that its key names.
func (a *audit) row(owner model.RecordName, key []byte) {
	f := a.read()
	d := f.derive(owner)
	if _, ok := d.rows[string(key)]; !ok && f.Err == nil {
		a.fix(fix{key: bytes.Clone(key), delete: true}, "belongs to no record")
	}
}

// owner returns the record that a row derives from, as far as the row's key and value tell.
func (o owned) owner(key, value []byte) model.RecordName {
	rest := string(key[len(o.table):])
	switch o.table {
	case tableHandle:
		return model.RecordName{Kind: model.KindItem, Key: string(value[:max(0, len(value)-kv.ChecksumSize)])}
	case tableInbox:
		x, err := decodeRow[model.Inboxed](key, value)
		if err == nil && x.OfAgent() {
			return model.RecordName{Kind: model.KindAgent, Key: string(x.AgentID)}
		}
	case tableDue:
		agent, rest, _ := strings.Cut(rest, "/")
		item, _, _ := strings.Cut(rest[min(AgeSize, len(rest)):], "/")
		if item == "" {
			return model.RecordName{Kind: model.KindAgent, Key: agent}
		}
		return model.RecordName{Kind: model.KindItem, Key: item}
	}
	for range o.segments {
		_, rest, _ = strings.Cut(rest, "/")
	}
	name, _, _ := strings.Cut(rest[min(o.bytes, len(rest)):], "/")
	return model.RecordName{Kind: o.kind, Key: name}
}

// compare compares the records with what the journal last wrote.
func (a *audit) compare() {
	differs := map[string]string{}
	for key, is := range a.held {
		was, ok := a.written[key]
		archived := !ok && a.ends[PartOf([]byte(key))].ArchivedSeq > 0 // what was last written
		if !archived && (!ok || was != is) {
			differs[key] = "differs from the journal's newest value"
		}
	}
	for key := range a.written {
		if _, ok := a.held[key]; !ok {
			differs[key] = "is only in the journal"
		}
	}
	for _, key := range sortedKeys(differs) {
		a.problem([]byte(key), "%s", differs[key])
	}
}

// compareHeads compares the heads of the parts with the counted records and, if the journal was read, with the ends of the histories.
func (a *audit) compareHeads() error {
	have, want := map[model.AgentID]PartHead{}, map[model.AgentID]PartHead{}
	err := a.txn.Scan(Prefix([]byte(TableHead)), func(key, value []byte) bool {
		agent := model.AgentID(key[len(TableHead):])
		var h PartHead
		if err := DecodeValue(key, value, &h); err != nil {
			a.problem(key, "%v", err)
		}
		have[agent] = h
		h.Counts = nil
		if a.ends != nil { // what was pruned is known from the head alone
			end := a.ends[agent]
			if h.Pruned > 0 || h.ArchivedSeq > 0 {
				end.Kept = h.Kept
			}
			end.Pruned, end.PrunedSeq = h.Pruned, h.PrunedSeq
			h = end
		}
		want[agent] = h
		return true
	})
	for agent, end := range a.ends {
		if _, there := have[agent]; !there {
			want[agent] = end
		}
	}
	for agent, counted := range a.counts {
		h := want[agent]
		h.Counts = counted
		want[agent] = h
	}
	for _, agent := range sortedKeys(want) {
		is, should := have[agent], want[agent]
		payload, encodeErr := Encode(should)
		stored, storedErr := Encode(is)
		if err = cmp.Or(err, encodeErr, storedErr); bytes.Equal(stored, payload) {
			continue
		}
		a.fix(fix{key: HeadKey(agent), payload: payload}, fmt.Sprintf("is at change %d with %v and should be at %d with %v", is.Seq,
			is.Counts, should.Seq, should.Counts))
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

// repair applies the fixes found so far, deletions first, because one wrong row may be found twice: as wrong, and as belonging to no
// record. Like any change of a part, it writes the part's head.
func (a *audit) repair() error {
	f := NewFacts(a.txn)
	parts := map[model.AgentID]bool{}
	for _, deleting := range []bool{true, false} {
		for _, x := range a.fixes {
			if part := PartOf(x.key); part != "" {
				parts[part] = true
			}
			switch {
			case x.delete && deleting:
				f.Delete(x.key)
			case !x.delete && !deleting:
				f.Put(x.key, x.payload)
			}
		}
	}
	for part := range parts {
		key := HeadKey(part)
		head, err := a.txn.Get(key)
		f.Fail(err)
		if head == nil {
			f.Delete(key) // the rows of no agent
			continue
		}
		f.Fail(a.txn.Put(key, slices.Clone(head)))
	}
	a.fixes = nil
	return f.Err
}
