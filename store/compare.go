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
	"vise/store/kv"
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
const DamageHint = "all else can be used; vise doctor lists what is damaged, vise doctor --repair makes lists and counts anew, " +
	"vise restore brings back records"

// Reader makes f a reader that names damage and continues.
func (l *Ledger) Reader(f *Facts) Reader {
	f.findings = &l.findings
	return Reader{f}
}

// Harmed notes damage where a read may continue, and fails otherwise.
func (f *Facts) Harmed(err error) {
	if err == nil {
		return
	}
	var d *kv.Damage
	if f.findings == nil || !errors.As(err, &d) {
		f.Fail(err)
		return
	}
	f.damaged = true
	f.findings.note(model.Text(fmt.Sprint(d.Cause)).String())
}

// disagree notes what does not fit together. After an error nothing is known: what was not read is not missing.
func (f *Facts) disagree(format string, args ...any) {
	if f.Err != nil {
		return
	}
	f.Harmed(kv.Damaged("read", format, args...))
}

// compareHead compares the heads with the last change.
func (f *Facts) compareHead() {
	h := f.Head()
	if f.findings.proved.Load() == h.Revision || f.Err != nil {
		return
	}
	last, agree := uint64(0), true
	keys := Prefix([]byte(TableJournal))
	keys.From = journalOf(h.Revision)
	f.Scan(keys, func(key, value []byte) bool {
		revision, part := ChangeIn(key)
		last = max(last, revision)
		payload, err := kv.Unframe(key, value)
		agree = agree && err == nil && (revision != h.Revision || f.PartHead(part).Hash == HashOf(payload))
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
func (f *Facts) hasRecord(row model.Row) bool {
	if !strings.HasPrefix(string(row.ID), itemPrefix) {
		return true // an agent's row
	}
	record := f.Payload(recordKey(model.RecordName{Kind: model.KindItem, Key: string(row.ID)}, row.AgentID))
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
func (f *Facts) withRecords(after *model.Row, limit int, page func(*model.Row, int) []model.Row) (out []model.Row, read int, all bool) {
	for len(out) < limit && f.Err == nil {
		want := limit - len(out)
		rows := page(after, want)
		read += len(rows)
		if all = len(rows) < want; !all {
			last := rows[len(rows)-1]
			after = &last
		}
		out = append(out, slices.DeleteFunc(rows, func(row model.Row) bool { return !f.hasRecord(row) })...)
		if all {
			break
		}
	}
	return out, read, all
}

// Rows implements model.Facts.
func (r Reader) Rows(a model.AgentID, c model.Class, after *model.Row, limit int) []model.Row {
	out, read, all := r.withRecords(after, limit, func(after *model.Row, n int) []model.Row { return r.Facts.Rows(a, c, after, n) })
	if !all || after != nil {
		return out
	}
	if n := r.Count(a, model.ClassTally(c)); n != read {
		r.disagree("%d work items of agent %s are counted as %s, and %d are listed", n, a, c, read)
	}
	return out
}

// compareCount compares how many things of all agents were read with their counts. The heads of a ledger on a cluster are too many reads.
func (f *Facts) compareCount(read int, what string, tallies ...model.Tally) {
	if f.Err != nil || f.findings == nil || f.Txn.Counts() {
		return
	}
	if f.sums == nil {
		f.sums = counts{}
		f.EachHead(func(_ model.AgentID, h PartHead) {
			for t, n := range h.Counts {
				f.sums[t] += n
			}
		})
	}
	counted := 0
	for _, t := range tallies {
		counted += f.sums[t]
	}
	if counted != read {
		f.disagree("%d %s are counted (%s), and %d are there", counted, what, tallies[0], read)
	}
}

// compareReport notes damage if an item has a report whose brief record is missing.
func (f *Facts) compareReport(id model.ItemID) {
	if w, _ := f.Item(id); w.ResultSummary != "" {
		f.disagree("the record of the report of work item %s is missing: whose words it is, is not known", model.Text(w.Handle))
	}
}
