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
	var d *damage
	if f.findings == nil || !errors.As(err, &d) {
		f.fail(err)
		return
	}
	f.damaged = true
	f.findings.note(model.Text(fmt.Sprint(d.cause)).String())
}

func (f *facts) disagree(format string, args ...any) {
	f.harmed(&damage{step: "read", cause: fmt.Sprintf(format, args...)})
}

// compareHead compares the head with the last commit.
func (f *facts) compareHead() {
	h := f.head()
	if f.findings.proved.Load() == h.Revision || f.err != nil {
		return
	}
	last := f.get(journalKey(model.Position{Revision: h.Revision}))
	switch {
	case h.Revision > 0 && (last == nil || hashOf(last) != h.Hash):
		f.disagree("the last change of the history is not revision %d, which the ledger is at", h.Revision)
	case f.get(journalKey(model.Position{Revision: h.Revision + 1})) != nil:
		f.disagree("the history goes on past revision %d, which the ledger is at", h.Revision)
	default:
		f.findings.proved.Store(h.Revision)
	}
}

// hasRecord compares a row with its item's record, without decoding it.
func (f *facts) hasRecord(row model.Row) bool {
	if !strings.HasPrefix(string(row.ID), itemPrefix) {
		return true // an agent's row
	}
	record := f.get(recordKey(model.KindItem, string(row.ID)))
	if record == nil {
		f.disagree("the work item %s is listed, and its record is missing", model.Text(row.Handle))
		return false
	}
	if !bytes.Contains(record, fmt.Appendf(nil, `"revision":%d,`, row.Revision)) {
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
		for _, row := range rows {
			if f.hasRecord(row) {
				out = append(out, row)
			}
		}
		if len(rows) < want {
			return out, read, true
		}
		after = &rows[len(rows)-1]
	}
	return out, read, false
}

// Rows implements model.Facts.
func (r reader) Rows(a model.AgentID, c model.Class, after *model.Row, limit int) []model.Row {
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

// compareJournal looks for gaps between the places that a scan of the journal passed in order.
// begin is the place before them; upToEnd says that they reach the journal's end.
func (f *facts) compareJournal(begin *model.Position, passed []place, upToEnd bool) {
	known, last := begin != nil, place{events: -1}
	if known {
		last.Position = *begin
	}
	for _, p := range passed {
		within := p.Revision == last.Revision && p.N == last.N+1
		if known && !within && (p.Revision != last.Revision+1 || p.N != 0 || !last.whole()) {
			f.disagree("events are missing between %s and %s", last, p)
		}
		if within {
			p.events = last.events
		}
		last, known = p, true
	}
	if head := f.head().Revision; upToEnd && known && (last.Revision < head || !last.whole()) {
		f.disagree("events are missing after %s", last)
	}
}

// place is a place in the journal. events is the number of events that its commit states, or -1
// if that is not known.
type place struct {
	model.Position
	events int
}

func (p place) String() string { return fmt.Sprintf("%d.%d", p.Revision, p.N) }

// whole reports that no event of the same commit follows.
func (p place) whole() bool { return p.events < 0 || p.N == p.events }

// placeAt reads the place from a journal's key, and for a commit its number of events from the
// value.
func placeAt(key, value []byte) place {
	p := place{positionAt(key), -1}
	if p.N > 0 {
		return p
	}
	if _, rest, ok := bytes.Cut(value, []byte(`"events":`)); ok {
		digits := rest[:max(0, bytes.IndexByte(rest, ','))]
		if n, err := strconv.Atoi(string(digits)); err == nil {
			p.events = n
		}
	}
	return p
}

// compareLog looks for gaps in an agent's events, which come in order.
func (f *facts) compareLog(agent model.AgentID, list []model.Entry, fromBegin, upToEnd bool) {
	var last uint64
	for i, e := range list {
		if (i > 0 || fromBegin) && e.Seq != last+1 {
			f.disagree("events %d to %d of agent %s are missing", last+1, e.Seq-1, agent)
		}
		last = e.Seq
	}
	if end := f.agentHead(agent).Seq; upToEnd && (fromBegin || len(list) > 0) && last < end {
		f.disagree("events %d to %d of agent %s are missing", last+1, end, agent)
	}
}

// History implements model.Reader.
func (r reader) History(agent model.AgentID, after model.Position, limit int) []model.Entry {
	table := historyOf(agent)
	keys := Prefix(table)
	keys.From = cat(string(table), position(after), "\x00")
	list, passed, all := r.entries(keys, limit)
	if agent != "" {
		r.compareLog(agent, list, after == model.Position{}, all)
	} else if after.Revision < r.Revision() {
		r.compareJournal(&after, passed, all)
	}
	return list
}

// HistoryBefore implements model.Reader.
func (r reader) HistoryBefore(agent model.AgentID, before model.Position, limit int) []model.Entry {
	list, passed, all := r.entries(belowPlace(historyOf(agent), before), limit)
	newest := before == model.Position{} && limit > 0
	if agent != "" {
		inOrder := slices.Clone(list)
		slices.Reverse(inOrder)
		r.compareLog(agent, inOrder, all, newest)
		return list
	}
	slices.Reverse(passed)
	var begin *model.Position
	if all {
		begin = &model.Position{}
	}
	r.compareJournal(begin, passed, newest)
	return list
}
