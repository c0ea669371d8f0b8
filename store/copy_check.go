package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"vise/model"
)

// CopyHealth is what a check of the history's copy found.
type CopyHealth struct {
	// Changes are in the copy; Behind are in the ledger alone, and come with the next change.
	Changes, Behind uint64
	Problems        []string
}

// CheckCopy compares the history's copy with the ledger, byte for byte.
func (l *Ledger) CheckCopy(ctx context.Context) (CopyHealth, error) {
	var h CopyHealth
	if l.journal == nil {
		return h, nil
	}
	err := l.ReadCopy(ctx, func(z *Ledger) error {
		return z.view(ctx, func(f *facts) error {
			last := f.head().Revision
			problem := func(format string, args ...any) error {
				h.Problems = append(h.Problems, fmt.Sprintf(format, args...))
				return errEnough
			}
			damaged, err := l.journal.read(0, func(c copiedChange) error {
				if c.revision > last {
					return errEnough // committed since
				}
				if c.revision != h.Changes+1 {
					return problem("revisions %d to %d are missing", h.Changes+1, c.revision-1)
				}
				for _, v := range c.values {
					have, err := f.txn.Get(journalKey(model.Position{Revision: c.revision, N: int(v.n)}))
					if err != nil || !bytes.Equal(have, v.bytes) {
						return errors.Join(err, problem("revision %d differs from the ledger's", c.revision))
					}
				}
				h.Changes++
				return nil
			})
			for _, path := range damaged {
				h.Problems = append(h.Problems, path+" is damaged")
			}
			h.Behind = last - min(last, h.Changes)
			if errors.Is(err, errEnough) {
				err = nil
			}
			return err
		})
	})
	return h, explain(err)
}

// MendCopy writes the history's copy anew from the ledger. The files that were there are
// kept aside.
func (l *Ledger) MendCopy(ctx context.Context) error {
	to := l.home.asidePath("journal", "")
	err := l.backend.View(ctx, func(Txn) error { return l.journal.setAside(to) }) // with the ledger's lock
	if err != nil {
		return explain(err)
	}
	return l.CatchUp(ctx)
}

// CatchUp copies what the history's copy lacks, and puts it on the disk.
func (l *Ledger) CatchUp(ctx context.Context) error {
	for more := true; more; {
		err := l.backend.View(ctx, func(t Txn) error { // with the ledger's lock
			end, err := l.journal.end()
			if err != nil {
				return err
			}
			changes, err := changesAfter(t, end.last.revision, catchUp)
			if more = len(changes) > 0; err != nil || !more {
				return err
			}
			return l.journal.append(end, changes)
		})
		if err != nil {
			return explain(err)
		}
	}
	l.lag.note(nil)
	return explain(l.journal.sync())
}
