package store

import (
	"bytes"
	"os"
	"sync"

	"vise/model"
)

// journal is the journal's copy in a home.
func (h Home) journal() *journalCopy {
	return &journalCopy{dir: h.path(journalDir), home: h.ID, machine: h.machine}
}

// lag remembers why the copy could not be kept up. The ledger has everything, so that no
// command fails for it.
type lag struct {
	mu  sync.Mutex // protects err
	err error
}

func (l *lag) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// Lag is why what recovery needs is behind, the copy of the history or the snapshots; nil
// if nothing is. The next change, or minute, lets it catch up.
func (l *Ledger) Lag() error {
	l.lag.mu.Lock()
	defer l.lag.mu.Unlock()
	return l.lag.err
}

// catchUp bounds, in bytes, what one commit copies: a copy that lacks much gets it in turns.
const catchUp = 4 << 20

// prepareCopy prepares what the copy lacks, with what this transaction adds, and returns what
// appends it after the commit. It never waits for the disk.
func (l *Ledger) prepareCopy(t Txn) (committed func(), err error) {
	end, err := l.journal.end()
	if err != nil {
		l.lag.note(err)
		return func() {}, nil
	}
	head := newFacts(t).head()
	if err := l.continues(t, end.last, head); err != nil {
		return nil, err
	}
	changes, err := changesAfter(t, end.last.revision, catchUp)
	return func() { l.lag.note(l.journal.append(end, changes)) }, err
}

// continues refuses a ledger that its copy does not belong to: it has lost what the copy has.
func (l *Ledger) continues(t Txn, last copiedChange, h head) error {
	if last.revision > h.Revision {
		return l.lost(h.Revision, last.revision)
	}
	if len(last.values) == 0 {
		return nil
	}
	have, err := t.Get(journalKey(model.Position{Revision: last.revision}))
	if err == nil && !bytes.Equal(have, last.values[0].bytes) {
		err = refuse(restoreHint,
			"%s is another ledger than the one whose history this home has: they differ at revision %d", l.home.path(ledgerFile), last.revision)
	}
	return err
}

// changesAfter are the changes after a revision, up to a size.
func changesAfter(t Txn, revision uint64, limit int) ([]byte, error) {
	var out []byte
	var c copiedChange
	keys := Prefix([]byte(tableJournal))
	keys.From = journalKey(model.Position{Revision: revision + 1})
	err := t.Scan(keys, func(key, value []byte) bool {
		p := positionAt(key)
		if p.Revision != c.revision && c.revision > 0 {
			if out = appendChange(out, c); len(out) >= limit {
				c = copiedChange{}
				return false
			}
			c.values = c.values[:0]
		}
		c.revision = p.Revision
		c.values = append(c.values, copiedValue{n: uint32(p.N), bytes: value})
		return true
	})
	if err == nil && c.revision > 0 {
		out = appendChange(out, c)
	}
	return out, err
}

// behind refuses a ledger that ends before what this home knows it to have reached.
func (l *Ledger) behind(revision uint64) error {
	known := l.home.Revision
	if l.journal != nil {
		if end, err := l.journal.end(); err == nil {
			known = max(known, end.last.revision)
		}
	}
	if revision >= known {
		return nil
	}
	return l.lost(revision, known)
}

// lost says how the newest changes went missing: by a damaged page, or with the whole file.
func (l *Ledger) lost(revision, known uint64) error {
	path := l.home.path(ledgerFile)
	if f, err := os.Open(path); err == nil {
		m, err := readMeta(f)
		f.Close()
		if err == nil && m.alone {
			return &damage{"open", "the page that ends " + path + " does not read: " + lostChanges(revision, known)}
		}
	}
	return refuse(restoreHint, "%s is an older ledger: %s", path, lostChanges(revision, known))
}
