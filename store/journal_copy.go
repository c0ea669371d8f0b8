package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"vise/store/journal"
	"vise/store/kv"
)

// History returns the copy of the journal in a home.
func (h Home) History() *journal.Copy {
	return &journal.Copy{Dir: h.Path(JournalDir), Home: h.ID, Machine: h.Machine}
}

// lag holds the reason why the copy is behind. No command fails for it, because the ledger has
// everything.
type lag struct {
	mu  sync.Mutex // protects err
	err error
}

func (l *lag) note(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

// Lag returns why the copy of the history or the snapshots are behind, or nil if they are not.
// They catch up at the next change, or within a minute.
func (l *Ledger) Lag() error {
	l.lag.mu.Lock()
	defer l.lag.mu.Unlock()
	return l.lag.err
}

// catchUp limits what one commit copies, in bytes. A copy that lacks more catches up over
// several commits.
const catchUp = 4 << 20

// prepareCopy collects the changes that the copy lacks, including this transaction's, and
// returns the function that appends them after the commit. It never waits for the disk.
func (l *Ledger) prepareCopy(t Txn) (committed func(), err error) {
	end, err := l.journal.End()
	if err != nil {
		l.lag.note(err)
		return func() {}, nil
	}
	head := NewFacts(t).Head()
	if err := l.continues(t, end.Last, head); err != nil {
		return nil, err
	}
	if err := l.noteBounds(end.Last.Revision, head.Revision); err != nil {
		l.lag.note(err)
	}
	changes, _, err := changesAfter(t, end.Last.Revision, math.MaxUint64, catchUp)
	return func() { l.lag.note(l.journal.Append(end, changes)) }, err
}

// continues refuses a ledger that does not match its copy, because it has lost changes that the
// copy has.
func (l *Ledger) continues(t Txn, last journal.Change, h Head) error {
	if last.Revision > h.Revision {
		if at := l.firstApart(t); at > 0 {
			return l.apart(at)
		}
		return l.lost(h.Revision, last.Revision)
	}
	if len(last.Values) == 0 {
		return nil
	}
	err := l.sameChange(t, last)
	if errors.As(err, new(*kv.Refusal)) {
		return l.apart(cmp.Or(l.firstApart(t), last.Revision))
	}
	return err
}

// changesAfter returns the changes after one revision, up to another revision or a size, and
// the last revision it reached. It does not copy a damaged change.
func changesAfter(t Txn, after, to uint64, limit int) (out []byte, reached uint64, err error) {
	c := journal.Change{Revision: after}
	var broken error
	flush := func() {
		if len(c.Values) > 0 && broken == nil {
			out, reached = journal.AppendChange(out, c), c.Revision
		}
		c.Values = c.Values[:0]
	}
	reached = after
	since := NewFacts(t).Status().Since
	keys := Prefix([]byte(TableJournal))
	keys.From = journalOf(after + 1)
	err = t.Scan(keys, func(key, value []byte) bool {
		revision, part := ChangeIn(key)
		if revision != c.Revision {
			if flush(); len(out) >= limit || revision > to {
				return false
			}
			if revision != c.Revision+1 && revision > since {
				broken = kv.Damaged("copy", "revision %d follows revision %d", revision, c.Revision)
				return false
			}
		}
		if _, broken = kv.Unframe(key, value); broken != nil {
			return false
		}
		c.Revision = revision
		c.Values = append(c.Values, journal.Value{Part: part, Bytes: value})
		return true
	})
	flush()
	return out, reached, cmp.Or(err, broken)
}

// revisionAfter is the revision of the first change after another one.
func (f *Facts) revisionAfter(revision uint64) (next uint64) {
	if next = revision + 1; next > f.Status().Since {
		return next
	}
	keys := Prefix([]byte(TableJournal))
	keys.From = journalOf(next)
	f.Scan(keys, func(key, _ []byte) bool {
		next, _ = ChangeIn(key)
		return false
	})
	return next
}

// behind refuses a ledger that ends before a revision that this home has reached.
func (l *Ledger) behind(revision, copied uint64) error {
	known := max(l.home.Revision, copied)
	if revision >= known {
		return nil
	}
	return l.lost(revision, known)
}

// lost says how the newest changes were lost: by a damaged page, or because an older file
// replaced the ledger.
func (l *Ledger) lost(revision, known uint64) error {
	path := l.home.Path(LedgerFile)
	if kv.MetaAlone(path) {
		return kv.Damaged("open", "the page that ends %s does not read: %s", path, LostChanges(revision, known))
	}
	return kv.Refuse(kv.RestoreHint, "%s is an older ledger: %s", path, LostChanges(revision, known))
}

// copyHealth is the result of a check of the history's copy.
type copyHealth struct {
	// Changes counts those in the copy, Behind those only in the ledger. The next change copies
	// them.
	Changes, Behind uint64
	Problems        []string
}

// CheckCopy compares the history's copy with the ledger, byte for byte.
func (l *Ledger) CheckCopy(ctx context.Context) (copyHealth, error) {
	var h copyHealth
	if l.journal == nil {
		return h, nil
	}
	err := l.ReadCopy(ctx, func(z *Ledger) error {
		return z.ViewFacts(ctx, func(f *Facts) error {
			last, reached := f.Head().Revision, uint64(0)
			problem := func(format string, args ...any) error {
				h.Problems = append(h.Problems, fmt.Sprintf(format, args...))
				return journal.ErrEnough
			}
			damaged, err := l.journal.Read(0, func(c journal.Change) error {
				if c.Revision > last {
					return journal.ErrEnough // committed after last was read
				}
				if next := f.revisionAfter(reached); c.Revision != next {
					return problem("it lacks %s", journal.Span(next, c.Revision-1))
				}
				for _, v := range c.Values {
					have, err := f.Txn.Get(JournalKey(c.Revision, v.Part))
					if err != nil || !bytes.Equal(have, v.Bytes) {
						return errors.Join(err, problem("revision %d differs from the ledger's", c.Revision))
					}
				}
				reached = c.Revision
				h.Changes++
				return nil
			})
			for _, path := range damaged {
				h.Problems = append(h.Problems, path+" is damaged")
			}
			h.Behind = last - min(last, reached)
			if errors.Is(err, journal.ErrEnough) {
				err = nil
			}
			return err
		})
	})
	return h, Explain(err)
}
