package store

import (
	"context"

	"vise/model"
)

// Health is what a check found.
type Health struct {
	Revision uint64
	// How much was read.
	Records, Rows, Commits, Entries int
	// Problems are the first of those Found. Derived of them are in what can be rebuilt.
	Problems       []string
	Found, Derived int
}

// Healthy: nothing was found.
func (h Health) Healthy() bool { return h.Found == 0 }

const shownProblems = 100

// Check proves a ledger: every checksum holds, the journal is whole and its hashes link,
// the records are what the journal wrote last, and index and counts are what follows from
// them. It reads a copy and keeps nobody waiting. A badly damaged file can make the
// database below run for ever, so that a frontend runs this in a child process with limits.
func (l *Ledger) Check(ctx context.Context) (Health, error) {
	var h Health
	// The copy is judged by what this program derives, so the ledger is brought to its schema
	// first. What keeps it from that the check itself will meet.
	_ = l.view(ctx, func(*facts) error { return nil })
	err := l.ReadCopy(ctx, func(z *Ledger) error {
		return z.backend.View(ctx, func(t Txn) error {
			a := newAudit(t)
			if c, ok := z.backend.(ledgerCopy); ok && c.oneMeta() {
				a.problem([]byte("ledger"), "one of the two meta pages does not read: the newest commit may be missing")
			}
			err := a.all()
			h = a.health
			h.Revision = newFacts(t).head().Revision
			return err
		})
	})
	return h, explain(err)
}

// all is the whole audit.
func (a *audit) all() error {
	if err := a.journal(); err != nil {
		return err
	}
	for _, r := range rounds {
		if err := a.round(r.kinds, r.tables); err != nil {
			return err
		}
	}
	for _, key := range sortedKeys(a.last) {
		a.problem([]byte(key), "is in the journal and nowhere else")
	}
	return a.tally()
}

// Rebuild makes index and counts what follows from the records, in one transaction, and
// says what was wrong. The journal and the records it only reads.
func (l *Ledger) Rebuild(ctx context.Context) (Health, error) {
	var h Health
	err := l.update(ctx, func(t Txn) error {
		a := newAudit(t)
		if err := a.journal(); err != nil {
			return err
		}
		a.last = nil // whether the records are right is not asked here
		for _, r := range rounds {
			if err := a.round(r.kinds, r.tables); err != nil {
				return err
			}
			if err := a.repair(); err != nil {
				return err
			}
		}
		if err := a.tally(); err != nil {
			return err
		}
		h = a.health
		return a.repair()
	})
	return h, explain(err)
}

// redo makes a change again.
func redo(t Txn, c commit, events []model.Entry) error {
	records := make([]model.Record, len(c.Writes))
	for i, w := range c.Writes {
		var err error
		if records[i], err = decodeRecord(w.Kind, recordKey(w.Kind, "?"), w.Record); err != nil {
			return err
		}
	}
	f := newFacts(t)
	f.save(c, records, events)
	return f.err
}
