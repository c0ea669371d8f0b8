package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"vise/model"
)

// journal is the journal's copy in a home.
func (h home) journal() *journalCopy {
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
			"%s is another ledger than the one whose history this home has: they differ at revision %d", l.home.path(ledgerFile),
			last.revision)
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

// copyHealth is what a check of the history's copy found.
type copyHealth struct {
	// Changes are in the copy; Behind are in the ledger alone, and come with the next change.
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

// copiedChange is one change in the journal's copy: its revision, and what the ledger's journal
// keeps of it, in order.
type copiedChange struct {
	revision uint64
	values   []copiedValue
}

// copiedValue is what lies in the ledger's journal at place n of a revision.
type copiedValue struct {
	n     uint32
	bytes []byte
}

// A change is a head (mark, length), the payload, and a tail (CRC32C, length, revision,
// mark) by which it is found from the end of the file too. The payload is the revision and
// then each value as its place, its length and its bytes; numbers are big-endian.
const (
	headMark  = 0x766a6672 // "vjfr"
	tailMark  = 0x72666a76
	headSize  = 8
	tailSize  = 20
	maxChange = 256 << 20 // more is damage, not a change
)

var (
	headMarkBytes = binary.BigEndian.AppendUint32(nil, headMark)

	errTorn = errors.New("no whole change")
)

// appendChange appends c to b as the copy's files hold it.
func appendChange(b []byte, c copiedChange) []byte {
	be := binary.BigEndian
	size := 8
	for _, v := range c.values {
		size += 8 + len(v.bytes)
	}
	b = slices.Grow(b, headSize+size+tailSize)
	b = be.AppendUint32(b, headMark)
	b = be.AppendUint32(b, uint32(size))
	begin := len(b)
	b = be.AppendUint64(b, c.revision)
	for _, v := range c.values {
		b = be.AppendUint32(b, v.n)
		b = be.AppendUint32(b, uint32(len(v.bytes)))
		b = append(b, v.bytes...)
	}
	b = be.AppendUint32(b, checksum(b[begin:]))
	b = be.AppendUint32(b, uint32(size))
	b = be.AppendUint64(b, c.revision)
	return be.AppendUint32(b, tailMark)
}

// parseChange reads the change that b begins with, and how long it is.
func parseChange(b []byte) (c copiedChange, n int, err error) {
	be := binary.BigEndian
	if len(b) < headSize || be.Uint32(b) != headMark {
		return c, 0, errTorn
	}
	size := be.Uint32(b[4:])
	if size < 8 || size > maxChange || len(b) < headSize+int(size)+tailSize {
		return c, 0, errTorn
	}
	n = headSize + int(size) + tailSize
	payload, tail := b[headSize:n-tailSize], b[n-tailSize:n]
	c.revision = be.Uint64(payload)
	if be.Uint32(tail) != checksum(payload) || be.Uint32(tail[4:]) != size || be.Uint64(tail[8:]) != c.revision ||
		be.Uint32(tail[16:]) != tailMark {
		return c, 0, errTorn
	}
	for rest := payload[8:]; len(rest) > 0; {
		if len(rest) < 8 || uint64(be.Uint32(rest[4:])) > uint64(len(rest)-8) {
			return c, 0, errTorn
		}
		end := 8 + be.Uint32(rest[4:])
		c.values = append(c.values, copiedValue{be.Uint32(rest), rest[8:end]})
		rest = rest[end:]
	}
	return c, n, nil
}

// eachChange visits the changes in b. Behind a damaged one it goes
// on with the next that is whole; then, or when the last is cut, not all of b was.
func eachChange(b []byte, visit func(copiedChange) error) (whole bool, err error) {
	whole = true
	for at := 0; at < len(b); {
		c, n, err := parseChange(b[at:])
		if err != nil {
			whole = false
			if n = bytes.Index(b[at+1:], headMarkBytes) + 1; n == 0 {
				break
			}
		} else if err := visit(c); err != nil {
			return whole, err
		}
		at += n
	}
	return whole, nil
}
