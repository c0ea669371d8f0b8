package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"vise/store/machine"
)

// Space is how a ledger's file is filled.
type Space struct {
	Bytes int64 `json:"bytes"`
	Free  int64 `json:"free_bytes"`
}

// Compacting pays when more than half of the file is free, and that is 64 MB or more.
const worthCompacting = 64 << 20

// Wasteful reports whether compacting pays.
func (s Space) Wasteful() bool { return s.Free > worthCompacting && s.Free > s.Bytes/2 }

// Space looks at the ledger's file, without its lock.
func (l *Ledger) Space() (Space, error) {
	f, info, err := openChecked(l.home.path(ledgerFile), os.O_RDONLY)
	if err != nil {
		return Space{}, explain(err)
	}
	defer f.Close()
	m, err := readMeta(f)
	if err != nil {
		return Space{}, explain(err)
	}
	count, err := m.freePages(f)
	// What lies past the last page that the ledger uses is free too.
	past := max(info.Size()-int64(m.pages)*int64(m.pageSize), 0)
	return Space{Bytes: info.Size(), Free: int64(count)*int64(m.pageSize) + past}, explain(err)
}

// Compact replaces the ledger's file by one without free pages. Others wait meanwhile, and
// open the new file next: each looks, with the lock, whether the file is still the same.
func (l *Ledger) Compact(ctx context.Context) (before, after Space, err error) {
	b, ok := l.backend.(*Bolt)
	if !ok {
		return before, after, errors.ErrUnsupported
	}
	if before, err = l.Space(); err != nil {
		return before, after, err
	}
	err = b.compact(ctx)
	if full(err) && l.giveUpReserve() {
		err = b.compact(ctx)
	}
	if err != nil {
		return before, after, explain(fmt.Errorf("compact: %w", err))
	}
	after, err = l.Space()
	return before, after, errors.Join(err, l.reserve())
}

func (b *Bolt) compact(ctx context.Context) error {
	if err := b.lock.Acquire(ctx); err != nil {
		return err
	}
	defer b.lock.Release()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	m := b.machine
	draft := b.path + ".compact"
	if err := m.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := b.copyInto(draft)
	if err == nil && !b.lock.Mine() {
		err = errReplaced
	}
	if err == nil {
		err = m.Rename(draft, b.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(draft))
	}
	return m.SyncDir(filepath.Dir(b.path))
}

// copyInto writes all that the ledger holds to a new file, in order, and puts it on the disk.
func (b *Bolt) copyInto(draft string) error {
	s, err := openSession(b.machine, b.path, false, 0)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.run(b.inspected(s, func(Txn) error { return nil })); err != nil {
		return err
	}
	if err := b.machine.Before(machine.Op{Kind: machine.Create, Path: draft}); err != nil {
		return err
	}
	to, err := bbolt.Open(draft, fileMode, &bbolt.Options{Timeout: foreignLockWait, FreelistType: bbolt.FreelistArrayType, NoSync: true})
	if err != nil {
		return err
	}
	synced := gate(b.machine, to)
	err = s.guard("compact", func() error { return bbolt.Compact(to, s.db, compactAtOnce) })
	if err == nil {
		err = errors.Join(synced(), to.Sync())
	}
	return errors.Join(err, to.Close())
}

// compactAtOnce bounds, in bytes, what compacting keeps in memory.
const compactAtOnce = 16 << 20
