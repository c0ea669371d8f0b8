package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"vise/model"
	"vise/store/journal"
	"vise/store/kv"
	"vise/store/lock"
)

// FormatName is the name of the format of a home and its ledger.
const FormatName = formatName

// LockOf returns the lock of a ledger on bbolt.
func LockOf(l *Ledger) *lock.File { return l.Can.File.Lock }

// CopiedRevisions returns the revisions in the journal's copy of the home in dir.
func CopiedRevisions(dir, home string) (out []uint64, damaged []string, err error) {
	j := &journal.Copy{Dir: filepath.Join(dir, JournalDir), Home: home}
	damaged, err = j.Read(0, func(c journal.Change) error {
		out = append(out, c.Revision)
		return nil
	})
	return out, damaged, err
}

// Replay makes every change of the journal again in an empty backend. The result equals the ledger, byte for byte.
func (l *Ledger) Replay(ctx context.Context, into Backend) error {
	const atOnce = 256
	copied := LedgerOn(into, nil)
	copied.home = l.home
	if err := into.Update(ctx, copied.initialize); err != nil {
		return Explain(err)
	}
	return l.ReadCopy(ctx, func(z *Ledger) error {
		last, err := z.revision(ctx)
		for from := uint64(1); err == nil && from <= last; from += atOnce {
			err = z.ViewFacts(ctx, func(f *Facts) error {
				return into.Update(ctx, func(t Txn) error { return f.redoInto(t, from, min(from+atOnce-1, last)) })
			})
		}
		return Explain(err)
	})
}

// redoInto makes the changes of a span of revisions again in another ledger.
func (f *Facts) redoInto(t Txn, first, last uint64) error {
	gaps := f.Txn.Counts()
	for n := first; n <= last; n++ {
		all := f.changeAt(n)
		if len(all) == 0 && gaps {
			continue
		}
		if !f.found(len(all) > 0, journalOf(n)) {
			return f.Err
		}
		if err := redo(t, all); err != nil {
			return err
		}
	}
	return f.Err
}

// RewriteCopy gives the changes in the newest file of the history's copy other values, with right checksums. A change
// without a value is left out.
func RewriteCopy(dir string, change func(revision uint64, values [][]byte) [][]byte) {
	path := filepath.Join(dir, JournalDir, "live.vj")
	raw, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	begin := bytes.IndexByte(raw, '\n') + 1
	out := slices.Clone(raw[:begin])
	_, err = journal.EachChange(raw[begin:], func(c journal.Change) error {
		var payloads [][]byte
		for _, v := range c.Values {
			payloads = append(payloads, v.Bytes[:len(v.Bytes)-kv.ChecksumSize])
		}
		payloads = change(c.Revision, payloads)
		if payloads == nil {
			return nil
		}
		for i, p := range payloads {
			key := JournalKey(c.Revision, c.Values[i].Part)
			c.Values[i].Bytes = kv.Frame(key, slices.Clone(p))
		}
		out = journal.AppendChange(out, c)
		return nil
	})
	if err == nil {
		err = os.WriteFile(path, out, 0o600)
	}
	if err != nil {
		panic(err)
	}
}

// CloseCopy closes the live file of the journal's copy.
func CloseCopy(l *Ledger) error {
	path := filepath.Join(l.journal.Dir, "live.vj")
	raw, err := os.ReadFile(path)
	end, endErr := l.journal.End()
	if err = errors.Join(err, endErr); err != nil {
		return err
	}
	var home string
	var after uint64
	if _, err := fmt.Sscanf(string(raw), "vise journal 2 home %s after %d", &home, &after); err != nil {
		return err
	}
	return os.Rename(path, filepath.Join(l.journal.Dir, fmt.Sprintf("%012d-%012d.vj", after+1, end.Last.Revision)))
}

// StateOf returns the state of the ledger on a backend, and whether there is one.
func StateOf(b Backend) (state string, there bool) {
	err := b.View(context.Background(), func(t Txn) error {
		f := NewFacts(t)
		state, there = string(f.Status().State), f.Payload(KeyHead) != nil
		return f.Err
	})
	if err != nil {
		panic(err)
	}
	return state, there
}

// PutState writes the state of the ledger on a backend, and its other end.
func PutState(b Backend, s, other string) error {
	return b.Update(context.Background(), func(t Txn) error {
		f := NewFacts(t)
		f.PutStatus(Status{State: state(s), Other: other})
		return f.Err
	})
}

// BackendOf returns the backend of a ledger.
func BackendOf(l *Ledger) Backend { return l.backend }

// OpenCopy opens a ledger file for reading.
func OpenCopy(path string) (Backend, error) { return kv.Copy{Path: path}.Open() }

// Ends reports whether a command ends something.
func Ends(c model.Command) bool { return ends(c) }

// Held reports whether anybody holds the lock of a ledger on bbolt.
func Held(l *Ledger) bool {
	f, err := os.OpenFile(l.home.Path(LockFile), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
