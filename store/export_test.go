package store

import (
	"path/filepath"

	"vise/store/lock"
)

// LockOf is the lock of a ledger on bbolt.
func LockOf(l *Ledger) *lock.File { return l.backend.(*Bolt).lock }

// CopiedRevisions are the revisions in the journal's copy of the home in dir.
func CopiedRevisions(dir, home string) (out []uint64, damaged []string, err error) {
	j := &journalCopy{dir: filepath.Join(dir, journalDir), home: home}
	damaged, err = j.read(0, func(c copiedChange) error {
		out = append(out, c.revision)
		return nil
	})
	return out, damaged, err
}
