package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"vise/store/files"
	"vise/store/kv"
)

// The copy is written without a sync, so a power cut can leave a hole anywhere in the part that was not synced. The copy therefore has a
// mark file that names the start of the machine during which it was compared with the ledger. The first open after another start compares
// the live file, and closed files if the ledger is small; the first process that runs for a minute compares the rest. The end of a process
// alone loses nothing that was written. A failed sync may lose something, and deletes the mark. Holes are filled from the ledger.

const (
	markFile = "checked"
	maxMark  = 200
	// markWhole follows the start of the machine if closed files were compared too.
	markWhole = " whole"
)

// checked reports whether the copy was compared since this start of the machine, and whether its closed files were too.
func (j *journalCopy) checked() (live, all bool) {
	raw, err := files.ReadSmall(j.path(markFile), maxMark)
	if err != nil {
		return false, false
	}
	start, all := strings.CutSuffix(strings.TrimSpace(string(raw)), markWhole)
	live = start == j.machine.Started()
	return live, live && all
}

func (j *journalCopy) mark(all bool) {
	said := j.machine.Started()
	if all {
		said += markWhole
	}
	_ = j.machine.WriteFile(j.path(markFile), []byte(said+"\n")) // if this fails, the next process compares again
}

// meet compares the ledger with the copy of its history before use. The ledger must not end before its copy or have another history. After
// a start of the machine, meet compares and fills the copy. A problem of the copy alone does not stop the reader; Lag reports it.
func (l *Ledger) meet(t Txn, h head) error {
	if l.journal == nil {
		return l.behind(h.Revision, 0)
	}
	end, err := l.journal.end()
	if err != nil {
		l.lag.note(err)
		return l.behind(h.Revision, 0)
	}
	if err := l.continues(t, end.last, h); err != nil {
		return err
	}
	if err := l.behind(h.Revision, end.last.revision); err != nil {
		return err
	}
	if live, _ := l.journal.checked(); live {
		return nil
	}
	from, small := l.journal.closedTo(), l.isSmall()
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
		l.journal.mark(small)
	}
	l.lag.note(err)
	return nil
}

// isSmall reports whether the ledger is small. Its copy is no longer than the ledger, and can then be compared in some ten milliseconds.
func (l *Ledger) isSmall() bool {
	info, err := os.Lstat(l.home.path(ledgerFile))
	return err == nil && info.Size() <= quickBytes
}

// HealCopy compares the whole copy with the ledger and fills its holes. It does one file at a time, so that no process waits long for the
// ledger. Damaged files are kept aside.
func (l *Ledger) HealCopy(ctx context.Context) error {
	for from, done := uint64(0), false; !done; {
		err := l.backend.View(ctx, func(t Txn) (err error) { // holds the ledger's lock
			h := newFacts(t).head()
			if done = from >= h.Revision; !done {
				from, err = l.healStep(t, from)
			}
			return err
		})
		if err != nil {
			return explain(fmt.Errorf("the copy of the history is not whole: %w", err))
		}
	}
	if err := l.journal.sync(); err != nil {
		return explain(err)
	}
	l.journal.mark(true)
	l.lag.note(nil)
	return nil
}

// healOnce is HealCopy, once in each start of the machine.
func (l *Ledger) healOnce(ctx context.Context) error {
	if _, all := l.journal.checked(); all {
		return nil
	}
	return l.HealCopy(ctx)
}

// healStep checks the changes after a revision. It finds a file that agrees with the ledger, or writes the changes. It returns the revision
// up to which the copy is whole, at most one file further.
func (l *Ledger) healStep(t Txn, after uint64) (reached uint64, err error) {
	all, err := l.journal.files()
	if err != nil {
		return after, err
	}
	next := newFacts(t).head().Revision + 1 // the end of the hole, if there is one
	var bad []copyFile
	for _, f := range all {
		first, last := f.first, f.last
		if f.live {
			first, last = l.journal.liveFirst(after+1), math.MaxUint64
		}
		if first > after+1 {
			next = min(next, first)
			continue
		}
		if last <= after {
			continue
		}
		reached, whole, err := l.compareFile(t, f)
		switch {
		case err != nil:
			return after, err
		case whole && f.live:
			return l.appendAfter(t, reached)
		case whole:
			return reached, nil
		}
		bad = append(bad, f)
	}
	return l.fill(t, after, next, bad)
}

// compareFile compares the changes of a file with the ledger's, byte for byte. whole is false if a change is damaged or missing.
func (l *Ledger) compareFile(t Txn, f copyFile) (reached uint64, whole bool, err error) {
	h, raw, whole, err := l.journal.readFile(f)
	if err != nil {
		return 0, false, err
	}
	reached = h.after
	ledger := newFacts(t)
	intact, err := eachChange(raw, func(c copiedChange) error {
		if c.revision != ledger.revisionAfter(reached) {
			return errTorn
		}
		if err := l.sameChange(t, c); err != nil {
			return err
		}
		reached = c.revision
		return nil
	})
	if errors.Is(err, errTorn) {
		intact, err = false, nil
	}
	whole = whole && intact && (f.live || h.after+1 == f.first && reached == f.last)
	return reached, whole, err
}

// sameChange refuses a change that the copy and the ledger have in different forms. Both are valid, so they belong to two histories.
func (l *Ledger) sameChange(t Txn, c copiedChange) error {
	for _, v := range c.values {
		key := journalKey(c.revision, v.part)
		have, err := t.Get(key)
		if err == nil && !bytes.Equal(have, v.bytes) {
			if _, err = kv.Unframe(key, have); err == nil {
				err = l.apart(c.revision)
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
		l.home.path(ledgerFile), l.journal.dir, revision)
}

// firstApart is the first revision at which the ledger and its copy differ, or 0.
func (l *Ledger) firstApart(t Txn) uint64 {
	last, found := newFacts(t).head().Revision, uint64(0)
	_, _ = l.journal.read(0, func(c copiedChange) error {
		if c.revision <= last && errors.As(l.sameChange(t, c), new(*kv.Refusal)) {
			found = c.revision
			return errEnough
		}
		return nil
	})
	return found
}

// fill writes the changes after a revision and before next, as far as one file has room, and keeps the bad files that had them aside.
func (l *Ledger) fill(t Txn, after, next uint64, bad []copyFile) (reached uint64, err error) {
	j := l.journal
	raw, reached, err := changesAfter(t, after, next-1, closeSize)
	if err != nil || reached == after {
		return after, errors.Join(err, kv.Damaged("copy", fmt.Sprintf("the ledger has no revision %d", after+1)))
	}
	name := fmt.Sprintf("%012d-%012d%s", after+1, reached, closedSuffix)
	if reached == newFacts(t).head().Revision {
		name = liveName
	}
	if err := j.machine.Mkdir(j.dir); err != nil {
		return after, err
	}
	for _, f := range bad {
		if err := l.keepDamaged(f.path); err != nil {
			return after, err
		}
	}
	h := copyHeader{home: j.home, after: after, begun: j.machine.Now().UTC()}
	if err := j.machine.WriteFile(j.path(name), append([]byte(h.String()), raw...)); err != nil {
		return after, err
	}
	for _, f := range bad {
		if f.path != j.path(name) {
			err = errors.Join(err, j.machine.Remove(f.path))
		}
	}
	return reached, err
}

// keepDamaged gives a file of the copy a second name in aside, before another file replaces it.
func (l *Ledger) keepDamaged(path string) error {
	to := l.home.asidePath("journal-damaged", "-"+filepath.Base(path))
	if err := l.home.machine.Mkdir(filepath.Dir(to)); err != nil {
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
	end, err := l.journal.end()
	if err == nil {
		err = l.journal.append(end, changes)
	}
	return reached, err
}

// liveFirst is the first revision of the live file, or otherwise if the file's header is unreadable.
func (j *journalCopy) liveFirst(otherwise uint64) uint64 {
	f, err := j.open(os.O_RDONLY)
	if err != nil {
		return otherwise
	}
	defer f.Close()
	first := make([]byte, maxHeader)
	n, _ := f.ReadAt(first, 0)
	h, err := parseHeader(first[:n])
	if err != nil {
		return otherwise
	}
	return h.after + 1
}

// closedTo is the last revision in closed files, from their names.
func (j *journalCopy) closedTo() (last uint64) {
	all, _ := j.files()
	for _, f := range all {
		last = max(last, f.last)
	}
	return last
}

// holes lists the revisions up to last that no file of the copy has. It reads only the names of the files, and the beginning and end of the
// live file.
func (j *journalCopy) holes(last uint64) (out []string) {
	all, err := j.files()
	if err != nil {
		return []string{err.Error()}
	}
	has := uint64(0)
	missing := func(to uint64) {
		if to > has {
			out = append(out, spanOf(has+1, to))
		}
	}
	for _, f := range all {
		if f.live {
			end, err := j.end()
			if err != nil {
				return append(out, err.Error())
			}
			f.first, f.last = j.liveFirst(has+1), end.last.revision
		}
		missing(f.first - 1)
		has = max(has, f.last)
	}
	missing(last)
	return out
}

func spanOf(first, last uint64) string {
	if first == last {
		return fmt.Sprintf("revision %d", first)
	}
	return fmt.Sprintf("revisions %d to %d", first, last)
}
