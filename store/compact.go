package store

import (
	"context"
	"errors"
	"fmt"
	"os"
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

// Compact replaces the ledger's file by one without free pages. Others go on meanwhile, and
// open the new file next: each looks, with the lock, whether the file is still the same.
// A compaction that ends early leaves the ledger as it was.
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
