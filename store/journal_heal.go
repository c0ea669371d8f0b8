package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"vise/store/files"
	"vise/store/journal"
	"vise/store/kv"
)

// A power cut can leave holes in the copy. The first open after another start of the machine compares the live file with the ledger, and
// closed files if the ledger is small; the first process that runs for a minute compares the rest. The end of a process alone loses nothing
// that was written. Holes are filled from the ledger.

// meet compares the ledger with the copy of its history before use. The ledger must not end before its copy or have another history. After
// a start of the machine, meet compares and fills the copy. A problem of the copy alone does not stop the reader; Lag reports it.
func (l *Ledger) meet(t Txn, h Head) error {
	if l.journal == nil {
		return l.behind(h.Revision, 0)
	}
	end, err := l.journal.End()
	if err != nil {
		l.lag.note(err)
		return l.behind(h.Revision, 0)
	}
	if err := l.continues(t, end.Last, h); err != nil {
		return err
	}
	if err := l.behind(h.Revision, end.Last.Revision); err != nil {
		return err
	}
	if live, _ := l.journal.Checked(); live {
		return nil
	}
	from, small := l.journal.ClosedTo(), l.IsSmall()
	if small {
		from = 0
	}
	for err = error(nil); err == nil && from < h.Revision; {
		from, err = l.healStep(t, from)
	}
	if errors.As(err, new(*kv.Refusal)) {
		return err
	}
	if err == nil {
		l.journal.Mark(small)
	}
	l.lag.note(err)
	return nil
}

// IsSmall reports whether the ledger is small. Its copy is no longer than the ledger, and can then be compared in some ten milliseconds.
func (l *Ledger) IsSmall() bool {
	info, err := os.Lstat(l.home.Path(LedgerFile))
	return err == nil && info.Size() <= quickBytes
}

// HealCopy compares the whole copy with the ledger and fills its holes. It does one file at a time, so that no process waits long for the
// ledger. Damaged files are kept aside.
func (l *Ledger) HealCopy(ctx context.Context) error {
	for from, done := uint64(0), false; !done; {
		err := l.backend.View(ctx, func(t Txn) (err error) { // holds the ledger's lock
			h := NewFacts(t).Head()
			if done = from >= h.Revision; !done {
				from, err = l.healStep(t, from)
			}
			return err
		})
		if err != nil {
			return Explain(fmt.Errorf("the copy of the history is not whole: %w", err))
		}
	}
	if err := l.journal.Sync(); err != nil {
		return Explain(err)
	}
	l.journal.Mark(true)
	l.lag.note(nil)
	return nil
}

// healOnce is HealCopy, once in each start of the machine.
func (l *Ledger) healOnce(ctx context.Context) error {
	if _, all := l.journal.Checked(); all {
		return nil
	}
	return l.HealCopy(ctx)
}

// healStep checks the changes after a revision. It finds a file that agrees with the ledger, or writes the changes. It returns the revision
// up to which the copy is whole, at most one file further.
func (l *Ledger) healStep(t Txn, after uint64) (reached uint64, err error) {
	all, err := l.journal.Files()
	if err != nil {
		return after, err
	}
	next := NewFacts(t).Head().Revision + 1 // the end of the hole, if there is one
	var bad []journal.File
	for _, f := range all {
		if f.First > after+1 {
			next = min(next, f.First)
			continue
		}
		if f.Last <= after && !f.Live {
			continue
		}
		reached, whole, err := l.compareFile(t, f)
		switch {
		case err != nil:
			return after, err
		case whole && f.Live:
			return l.appendAfter(t, reached)
		case whole:
			return reached, nil
		}
		bad = append(bad, f)
	}
	return l.fill(t, after, next, bad)
}

// compareFile compares the changes of a file with the ledger's, byte for byte. whole is false if a change is damaged or missing.
func (l *Ledger) compareFile(t Txn, f journal.File) (reached uint64, whole bool, err error) {
	begin, raw, whole, err := l.journal.ReadFile(f)
	if err != nil {
		return 0, false, err
	}
	reached = begin
	ledger := NewFacts(t)
	intact, err := journal.EachChange(raw, func(c journal.Change) error {
		if c.Revision != ledger.revisionAfter(reached) {
			return journal.ErrEnough
		}
		if err := l.sameChange(t, c); err != nil {
			return err
		}
		reached = c.Revision
		return nil
	})
	if errors.Is(err, journal.ErrEnough) {
		intact, err = false, nil
	}
	whole = whole && intact && (f.Live || begin+1 == f.First && reached == f.Last)
	return reached, whole, err
}

// sameChange refuses a change that the copy and the ledger have in different forms. Both are valid, so they belong to two histories.
func (l *Ledger) sameChange(t Txn, c journal.Change) error {
	for _, v := range c.Values {
		key := JournalKey(c.Revision, v.Part)
		have, err := t.Get(key)
		if err == nil && !bytes.Equal(have, v.Bytes) {
			if _, err = kv.Unframe(key, have); err == nil {
				err = l.apart(c.Revision)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// apart is the error when the ledger and its copy have different histories from a revision on.
func (l *Ledger) apart(revision uint64) error {
	return kv.Refuse(kv.RestoreHint, "%s and %s are of two copies of this home that both went on: their histories diverge at revision %d",
		l.home.Path(LedgerFile), l.journal.Dir, revision)
}

// firstApart is the first revision at which the ledger and its copy differ, or 0.
func (l *Ledger) firstApart(t Txn) uint64 {
	last, found := NewFacts(t).Head().Revision, uint64(0)
	_, _ = l.journal.Read(0, func(c journal.Change) error {
		if c.Revision <= last && errors.As(l.sameChange(t, c), new(*kv.Refusal)) {
			found = c.Revision
			return journal.ErrEnough
		}
		return nil
	})
	return found
}

// fill writes the changes after a revision and before next, as far as one file has room, and keeps the bad files that had them aside.
func (l *Ledger) fill(t Txn, after, next uint64, bad []journal.File) (reached uint64, err error) {
	j := l.journal
	raw, reached, err := changesAfter(t, after, next-1, journal.FileSize)
	if err != nil || reached == after {
		return after, errors.Join(err, kv.Damaged("copy", "the ledger has no revision %d", after+1))
	}
	for _, f := range bad {
		if err := l.keepDamaged(f.Path); err != nil {
			return after, err
		}
	}
	path, err := j.Write(after, reached, reached == NewFacts(t).Head().Revision, raw)
	if err != nil {
		return after, err
	}
	for _, f := range bad {
		if f.Path != path {
			err = errors.Join(err, j.Machine.Remove(f.Path))
		}
	}
	return reached, err
}

// keepDamaged gives a file of the copy a second name in aside, before another file replaces it.
func (l *Ledger) keepDamaged(path string) error {
	to := l.home.Aside("journal-damaged", "-"+filepath.Base(path))
	if err := l.home.Machine.Mkdir(filepath.Dir(to)); err != nil {
		return err
	}
	return os.Link(path, to)
}

// appendAfter appends the ledger's changes after a revision to the live file.
func (l *Ledger) appendAfter(t Txn, after uint64) (reached uint64, err error) {
	changes, reached, err := changesAfter(t, after, math.MaxUint64, catchUp)
	if err != nil || len(changes) == 0 {
		return after, err
	}
	end, err := l.journal.End()
	if err == nil {
		err = l.journal.Append(end, changes)
	}
	return reached, err
}

// FillCopy makes the copy of the history of a new home.
func FillCopy(ctx context.Context, dir, command string, m *files.Machine) error {
	l, err := Open(dir, Options{Command: command, Machine: m, Context: ctx})
	if err != nil {
		return err
	}
	return errors.Join(l.HealCopy(ctx), l.Close())
}

// Apart compares the ledger's file at path with the copy of the history in a home. It returns 0 if they have one history, otherwise the
// first revision that differs.
func Apart(path string, h Home) (at uint64) {
	l := LedgerOn(nil, nil)
	l.home, l.journal = h, h.History()
	_ = ViewFile(path, func(f *Facts) error {
		at = l.firstApart(f.Txn)
		return nil
	})
	return at
}

// Continued refuses a home whose ledger does not have what the copy of the history has.
func Continued(h Home) error {
	l := LedgerOn(nil, nil)
	l.home, l.journal = h, h.History()
	end, err := l.journal.End()
	if err != nil {
		return err
	}
	return ViewFile(h.Path(LedgerFile), func(f *Facts) error { return l.continues(f.Txn, end.Last, f.Head()) })
}
