package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"vise/model"
	"vise/store/kv"
)

// journal returns the copy of the journal in a home.
func (h home) journal() *journalCopy {
	return &journalCopy{dir: h.path(journalDir), home: h.ID, machine: h.machine}
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
	end, err := l.journal.end()
	if err != nil {
		l.lag.note(err)
		return func() {}, nil
	}
	head := newFacts(t).head()
	if err := l.continues(t, end.last, head); err != nil {
		return nil, err
	}
	if err := l.noteBounds(end.last.revision, head.Revision); err != nil {
		l.lag.note(err)
	}
	changes, _, err := changesAfter(t, end.last.revision, math.MaxUint64, catchUp)
	return func() { l.lag.note(l.journal.append(end, changes)) }, err
}

// continues refuses a ledger that does not match its copy, because it has lost changes that the
// copy has.
func (l *Ledger) continues(t Txn, last copiedChange, h head) error {
	if last.revision > h.Revision {
		if at := l.firstApart(t); at > 0 {
			return l.apart(at)
		}
		return l.lost(h.Revision, last.revision)
	}
	if len(last.values) == 0 {
		return nil
	}
	err := l.sameChange(t, last)
	if errors.As(err, new(*kv.Refusal)) {
		return l.apart(cmp.Or(l.firstApart(t), last.revision))
	}
	return err
}

// changesAfter returns the changes after one revision, up to another revision or a size, and
// the last revision it reached. It does not copy a damaged change.
func changesAfter(t Txn, after, to uint64, limit int) (out []byte, reached uint64, err error) {
	c := copiedChange{revision: after}
	var broken error
	flush := func() {
		if len(c.values) > 0 && broken == nil {
			out, reached = appendChange(out, c), c.revision
		}
		c.values = c.values[:0]
	}
	reached = after
	since := newFacts(t).status().Since
	keys := Prefix([]byte(tableJournal))
	keys.From = journalOf(after + 1)
	err = t.Scan(keys, func(key, value []byte) bool {
		revision, part := changeIn(key)
		if revision != c.revision {
			if flush(); len(out) >= limit || revision > to {
				return false
			}
			if revision != c.revision+1 && revision > since {
				broken = kv.Damaged("copy", fmt.Sprintf("revision %d follows revision %d", revision, c.revision))
				return false
			}
		}
		if _, broken = kv.Unframe(key, value); broken != nil {
			return false
		}
		c.revision = revision
		c.values = append(c.values, copiedValue{part: part, bytes: value})
		return true
	})
	flush()
	return out, reached, cmp.Or(err, broken)
}

// revisionAfter is the revision of the first change after another one.
func (f *facts) revisionAfter(revision uint64) (next uint64) {
	if next = revision + 1; next > f.status().Since {
		return next
	}
	keys := Prefix([]byte(tableJournal))
	keys.From = journalOf(next)
	f.scan(keys, func(key, _ []byte) bool {
		next, _ = changeIn(key)
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
	path := l.home.path(ledgerFile)
	if kv.MetaAlone(path) {
		return kv.Damaged("open", "the page that ends "+path+" does not read: "+lostChanges(revision, known))
	}
	return kv.Refuse(kv.RestoreHint, "%s is an older ledger: %s", path, lostChanges(revision, known))
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
		return z.view(ctx, func(f *facts) error {
			last, reached := f.head().Revision, uint64(0)
			problem := func(format string, args ...any) error {
				h.Problems = append(h.Problems, fmt.Sprintf(format, args...))
				return errEnough
			}
			damaged, err := l.journal.read(0, func(c copiedChange) error {
				if c.revision > last {
					return errEnough // committed after last was read
				}
				if next := f.revisionAfter(reached); c.revision != next {
					return problem("it lacks %s", spanOf(next, c.revision-1))
				}
				for _, v := range c.values {
					have, err := f.txn.Get(journalKey(c.revision, v.part))
					if err != nil || !bytes.Equal(have, v.bytes) {
						return errors.Join(err, problem("revision %d differs from the ledger's", c.revision))
					}
				}
				reached = c.revision
				h.Changes++
				return nil
			})
			for _, path := range damaged {
				h.Problems = append(h.Problems, path+" is damaged")
			}
			h.Behind = last - min(last, reached)
			if errors.Is(err, errEnough) {
				err = nil
			}
			return err
		})
	})
	return h, explain(err)
}

// copiedChange is one change in the journal's copy: its revision, and its values in the
// ledger's journal, in order.
type copiedChange struct {
	revision uint64
	values   []copiedValue
}

// copiedValue is the value in the ledger's journal of one part of a change.
type copiedValue struct {
	part  model.AgentID
	bytes []byte
}

// A change is stored as a head (mark, length), the payload, and a tail (CRC32C, length,
// revision, mark). With the tail it can be found from the end of the file too. The payload is
// the revision and then each part's name and value, each after its length; numbers are big-endian.
const (
	headMark  = 0x766a6672 // "vjfr"
	tailMark  = 0x72666a76
	headSize  = 8
	tailSize  = 20
	maxChange = 256 << 20 // a larger one is damage
)

var (
	headMarkBytes = binary.BigEndian.AppendUint32(nil, headMark)

	errTorn = errors.New("no whole change")
)

// appendChange appends c to b in the format of the copy's files.
func appendChange(b []byte, c copiedChange) []byte {
	be := binary.BigEndian
	size := 8
	for _, v := range c.values {
		size += 8 + len(v.part) + len(v.bytes)
	}
	b = slices.Grow(b, headSize+size+tailSize)
	b = be.AppendUint32(b, headMark)
	b = be.AppendUint32(b, uint32(size))
	begin := len(b)
	b = be.AppendUint64(b, c.revision)
	for _, v := range c.values {
		b = append(be.AppendUint32(b, uint32(len(v.part))), v.part...)
		b = append(be.AppendUint32(b, uint32(len(v.bytes))), v.bytes...)
	}
	b = be.AppendUint32(b, kv.Checksum(b[begin:]))
	b = be.AppendUint32(b, uint32(size))
	b = be.AppendUint64(b, c.revision)
	return be.AppendUint32(b, tailMark)
}

// parseChange reads the change at the start of b, and returns its length.
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
	if be.Uint32(tail) != kv.Checksum(payload) || be.Uint32(tail[4:]) != size || be.Uint64(tail[8:]) != c.revision ||
		be.Uint32(tail[16:]) != tailMark {
		return c, 0, errTorn
	}
	values, rest := copiedValues(payload[8:])
	if len(rest) > 0 {
		return c, 0, errTorn
	}
	c.values = values
	return c, n, nil
}

// copiedValues reads the whole values at the start of b. rest is what follows them.
func copiedValues(b []byte) (values []copiedValue, rest []byte) {
	field := func(from []byte) (field, rest []byte, ok bool) {
		if len(from) < 4 || uint64(binary.BigEndian.Uint32(from)) > uint64(len(from)-4) {
			return nil, nil, false
		}
		end := 4 + binary.BigEndian.Uint32(from)
		return from[4:end], from[end:], true
	}
	for {
		part, after, ok := field(b)
		value, after, alsoOK := field(after)
		if !ok || !alsoOK {
			return values, b
		}
		values, b = append(values, copiedValue{model.AgentID(part), value}), after
	}
}

// eachChange visits the changes in b. After a damaged one it continues at the next valid one.
// whole is false if any was damaged or the last one is incomplete.
func eachChange(b []byte, visit func(copiedChange) error) (whole bool, err error) {
	return walkChanges(b, visit, func([]byte) {})
}

// walkChanges is eachChange. For each unreadable change it also calls torn with the rest of b
// from there.
func walkChanges(b []byte, visit func(copiedChange) error, torn func([]byte)) (whole bool, err error) {
	whole = true
	for at := 0; at < len(b); {
		c, n, err := parseChange(b[at:])
		if err != nil {
			whole = false
			torn(b[at:])
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
