package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vise/model"
)

// A read for a frontend compares what it reads: rows with their records, counts with the rows,
// events with their numbers, the head with the last commit. The answer leaves out and names
// what disagrees, and contains the rest. A command reads strictly: it is refused if it meets
// damage. The cost depends only on what is read.

// findings are the damage that reads have found.
type findings struct {
	mu    sync.Mutex // protects found
	found map[string]time.Time
	// proved is the newest revision whose commit agrees with the head.
	proved atomic.Uint64
}

// A finding is dropped when no read has met it for findingHolds: it may have been repaired
// meanwhile.
const (
	findingHolds = time.Minute
	maxFindings  = 20
)

// clear forgets all findings after a repair.
func (d *findings) clear() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.found)
	d.proved.Store(0)
}

func (d *findings) note(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.found == nil {
		d.found = map[string]time.Time{}
	}
	if _, known := d.found[what]; known || len(d.found) < maxFindings {
		d.found[what] = time.Now()
	}
}

// Damage returns the damage that reads of this process found within findingHolds, each as a
// phrase.
func (l *Ledger) Damage() []string {
	l.findings.mu.Lock()
	defer l.findings.mu.Unlock()
	maps.DeleteFunc(l.findings.found, func(_ string, at time.Time) bool { return time.Since(at) > findingHolds })
	return sortedKeys(l.findings.found)
}

// DamageHint is the hint for damage that a read found.
const DamageHint = "all else can be used; vise doctor lists what is damaged, vise doctor --rebuild makes lists and counts anew, " +
	"vise restore brings back records"

// reader makes f a reader that names damage and continues.
func (l *Ledger) reader(f *facts) reader {
	f.findings = &l.findings
	return reader{f}
}

// harmed notes damage where a read may continue, and fails otherwise.
func (f *facts) harmed(err error) {
	if err == nil {
		return
	}
	var d *damage
	if f.findings == nil || !errors.As(err, &d) {
		f.fail(err)
		return
	}
	f.damaged = true
	f.findings.note(model.Text(fmt.Sprint(d.cause)).String())
}

// disagree notes what does not fit together. After an error nothing is known: what was not read is not missing.
func (f *facts) disagree(format string, args ...any) {
	if f.err != nil {
		return
	}
	f.harmed(&damage{step: "read", cause: fmt.Sprintf(format, args...)})
}

// compareHead compares the heads with the last change.
func (f *facts) compareHead() {
	h := f.head()
	if f.findings.proved.Load() == h.Revision || f.err != nil {
		return
	}
	last, agree := uint64(0), true
	keys := Prefix([]byte(tableJournal))
	keys.From = journalOf(h.Revision)
	f.scan(keys, func(key, value []byte) bool {
		revision, part := changeIn(key)
		last = max(last, revision)
		payload, err := unframe(key, value)
		agree = agree && err == nil && (revision != h.Revision || f.agentHead(part).Hash == hashOf(payload))
		return revision == h.Revision
	})
	switch {
	case last > h.Revision:
		f.disagree("the history goes on past revision %d, which the ledger is at", h.Revision)
	case last < h.Revision || !agree:
		f.disagree("the last change of the history is not revision %d, which the ledger is at", h.Revision)
	default:
		f.findings.proved.Store(h.Revision)
	}
}

// hasRecord compares a row with its item's record, without decoding it.
func (f *facts) hasRecord(row model.Row) bool {
	if !strings.HasPrefix(string(row.ID), itemPrefix) {
		return true // an agent's row
	}
	record := f.get(recordKey(model.RecordName{Kind: model.KindItem, Key: string(row.ID)}, row.AgentID))
	if record == nil {
		f.disagree("the work item %s is listed, and its record is missing", model.Text(row.Handle))
		return false
	}
	var said [40]byte
	if !bytes.Contains(record, append(strconv.AppendUint(append(said[:0], `"revision":`...), row.Revision, 10), ',')) {
		f.disagree("the work item %s is listed as of another revision than its record", model.Text(row.Handle))
	}
	return true
}

// withRecords returns up to limit rows of page after a row, without those whose record is
// missing. read is how many rows page returned, and all reports that no others follow.
func (f *facts) withRecords(after *model.Row, limit int, page func(*model.Row, int) []model.Row) (out []model.Row, read int, all bool) {
	for len(out) < limit && f.err == nil {
		want := limit - len(out)
		rows := page(after, want)
		read += len(rows)
		hint(f.txn, func() Reads { return Reads{Rows: rows} })
		if all = len(rows) < want; !all {
			last := rows[len(rows)-1]
			after = &last
		}
		rows = slices.DeleteFunc(rows, func(row model.Row) bool { return !f.hasRecord(row) })
		if out == nil {
			out = rows
		} else {
			out = append(out, rows...)
		}
		if all {
			break
		}
	}
	return out, read, all
}

// Rows implements model.Facts.
func (r reader) Rows(a model.AgentID, c model.Class, after *model.Row, limit int) []model.Row {
	if r.lists != a {
		hint(r.txn, func() Reads { return Reads{Ranges: listsOf(a)} })
		r.lists = a
	}
	out, read, all := r.withRecords(after, limit, func(after *model.Row, n int) []model.Row { return r.facts.Rows(a, c, after, n) })
	if !all || after != nil {
		return out
	}
	if n := r.Count(a, model.ClassTally(c)); n != read {
		r.disagree("%d work items of agent %s are counted as %s, and %d are listed", n, a, c, read)
	}
	return out
}

// compareReport notes damage if an item has a report whose brief record is missing.
func (f *facts) compareReport(id model.ItemID) {
	if w, _ := f.Item(id); w.ResultSummary != "" {
		f.disagree("the record of the report of work item %s is missing: whose words it is, is not known", model.Text(w.Handle))
	}
}

// gaps looks for gaps in a history that is read in order: in the numbers of each part's changes and, if the history of all is read, in the
// revisions.
type gaps struct {
	*facts
	part model.AgentID // empty for all
	down bool          // newest first
	// whole: the reading begins at the history's beginning or end.
	whole bool
	// last are the numbers passed last.
	last map[model.AgentID]uint64
	// revision is the one passed last; zero before the first.
	revision uint64
}

// before is the number passed last of a part. It is not known before the first one of a reading that begins in the middle.
func (g *gaps) before(part model.AgentID) (n uint64, known bool) {
	n, known = g.last[part]
	if !known && g.whole {
		if n = g.agentHead(part).ArchivedSeq; g.down {
			n = g.agentHead(part).Seq + 1
		}
	}
	return n, known || g.whole
}

// pass notes a change that was read.
func (g *gaps) pass(o outline) {
	if n, known := g.before(o.Agent); known {
		g.compare(o.Agent, n, o.Seq)
	}
	if g.last == nil {
		g.last = map[model.AgentID]uint64{}
	}
	g.last[o.Agent] = o.Seq
	if g.part != "" {
		return
	}
	g.passRevision(o.Revision)
	for other, seq := range o.With {
		if seq > g.agentHead(other).ArchivedSeq && g.get(journalKey(o.Revision, other)) == nil {
			g.disagree("events of agent %s are missing at revision %d", other, o.Revision)
		}
	}
}

// passRevision notes the revisions that are missing before the next one. A part whose only change is missing is found by them alone.
func (g *gaps) passRevision(next uint64) {
	from, to, begins := g.revision, next, g.revision == 0
	if begins && g.down {
		from = g.head().Revision + 1
	}
	if g.down {
		from, to = to, from
	}
	if to > from+1 && (!begins || g.whole) && g.eachRevision(from) {
		g.disagree("events are missing between revisions %d and %d", from, to)
	}
	g.revision = next
}

// eachRevision reports whether the history has each revision after one: not on a backend that counts the revision, nor before
// the ledger came from another place.
func (g *gaps) eachRevision(after uint64) bool {
	_, shared := g.txn.(ordered)
	return !shared && after >= g.status().Since
}

// compare notes what is missing between two numbers that were read one after the other.
func (g *gaps) compare(part model.AgentID, from, to uint64) {
	if g.down {
		from, to = to, from
	}
	if to != from+1 {
		g.disagree("changes %d to %d of agent %s are missing", from+1, to-1, part)
	}
}

// end notes that nothing follows in the history.
func (g *gaps) end() {
	parts := sortedKeys(g.last)
	if len(parts) == 0 && g.part != "" {
		parts = append(parts, g.part)
	}
	for _, part := range parts {
		if n, known := g.before(part); known && g.down {
			g.compare(part, n, g.agentHead(part).ArchivedSeq)
		} else if known {
			g.compare(part, n, g.agentHead(part).Seq+1)
		}
	}
}

// changesOf visits the portions of a part. The keys end with their revisions.
func (f *facts) changesOf(part model.AgentID, keys Range, visit func(outline) bool) {
	f.scan(keys, func(key, value []byte) bool {
		if len(value) > 0 { // what is left of an archived change
			p, err := readPortion(key, value)
			p.archived, p.key = true, p.Key
			f.harmed(err)
			return err != nil || visit(p.outline)
		}
		revision := numberAt(key)
		o, ok := loadedAt(f, revision, part, readOutline)
		return !f.found(ok, journalKey(revision, part)) || visit(o)
	})
}

// history visits the portions of a part, or of all if part is empty, from a revision on or, with down, from a revision back. A zero
// revision is the history's beginning or end.
func (f *facts) history(part model.AgentID, from uint64, down bool, visit func(outline) bool) {
	prefix := []byte(tableJournal)
	if part != "" {
		prefix = logPrefix(part)
	}
	keys := Prefix(prefix)
	switch {
	case !down:
		keys.From = cat(string(prefix), number(from))
	case from > 0:
		keys.To = cat(string(prefix), number(from+1))
	}
	keys.Reverse = down
	if part != "" {
		f.changesOf(part, keys, visit)
		return
	}
	f.scan(keys, func(key, value []byte) bool {
		o, err := readOutline(key, value)
		f.harmed(err)
		return err != nil || visit(o)
	})
}

// page returns up to limit events, from a revision on, whose positions are wanted. It notes the gaps that it meets.
func (g *gaps) page(from uint64, wanted func(model.Position) bool, limit int) (out []model.Entry) {
	if limit <= 0 {
		return nil
	}
	all := true
	g.history(g.part, from, g.down, func(o outline) bool {
		if o.archived {
			return true
		}
		events := o.entries()
		if g.down {
			slices.Reverse(events)
		}
		for _, e := range events {
			if !wanted(e.Position()) {
				continue
			}
			if all = len(out) < limit; !all {
				return false
			}
			out = append(out, e)
		}
		g.pass(o)
		return true
	})
	if all {
		g.end()
	}
	hint(g.txn, func() (r Reads) { // a list of events names their items
		named := map[model.ItemID]bool{"": true}
		for _, e := range out {
			if !named[e.WorkItemID] {
				named[e.WorkItemID], r.Rows = true, append(r.Rows, model.Row{ID: e.WorkItemID, AgentID: e.AgentID})
			}
		}
		return r
	})
	return out
}

// History implements model.Reader.
func (r reader) History(agent model.AgentID, after model.Position, limit int) []model.Entry {
	g := gaps{facts: r.facts, part: agent, whole: after == model.Position{}}
	return g.page(after.Revision, after.Before, limit)
}

// HistoryBefore implements model.Reader.
func (r reader) HistoryBefore(agent model.AgentID, before model.Position, limit int) []model.Entry {
	g := gaps{facts: r.facts, part: agent, down: true, whole: before == model.Position{}}
	return g.page(before.Revision, func(p model.Position) bool { return g.whole || p.Before(before) }, limit)
}
