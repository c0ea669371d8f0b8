package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"go.etcd.io/bbolt"

	"vise/store/files"
)

// freezer is a backend that can stand still for a long read without keeping others out.
type freezer interface {
	// Freeze is the backend as it is now, for reading. Whoever asked closes it.
	Freeze(context.Context) (Backend, error)
}

// Frozen calls fn with the ledger as it is now, to be read at leisure: nobody waits, and
// it works while a stopped process holds the lock.
func (l *Ledger) Frozen(ctx context.Context, fn func(*Ledger) error) error {
	b, ok := l.backend.(freezer)
	if !ok {
		return fn(l)
	}
	still, err := b.Freeze(ctx)
	if err != nil {
		return explain(err)
	}
	z := newLedger(still, nil)
	z.Now, z.NewID, z.home, z.steps = l.Now, l.NewID, l.home, l.steps
	err = fn(z)
	return errors.Join(err, z.Close())
}

// Freeze implements freezer.
func (m *Memory) Freeze(context.Context) (Backend, error) {
	still := &Memory{}
	still.now.Store(m.now.Load())
	return still, nil
}

// Freeze implements freezer with a copy of the file that has no name.
func (b *Bolt) Freeze(ctx context.Context) (Backend, error) {
	f, err := b.machine.CreateTemp(filepath.Dir(b.path), ".reading-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name()) // where an open file cannot be removed, Close does it
	z := &frozen{}
	if z.meta, err = b.copyTo(ctx, f); err == nil {
		err = z.open(f.File)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("copy ledger %s: %w", b.path, err)
	}
	return z, nil
}

// copyTo copies the file as of one commit, and returns its meta page. A copy during which
// nobody committed is consistent, because a commit only writes to pages that are free in
// the commit before it; of 780 such copies all were clean. When writers leave no such
// moment, the lock makes one, for as long as it takes to compare the file with its copy.
func (b *Bolt) copyTo(ctx context.Context, to *files.File) (boltMeta, error) {
	const tries = 5
	for range tries {
		m, same, err := copyOnce(b.path, to)
		if err != nil || same {
			return m, err
		}
		if err := ctx.Err(); err != nil {
			return m, err
		}
	}
	if err := b.lock.Acquire(ctx); err != nil {
		return boltMeta{}, err
	}
	defer b.lock.Release()
	m, _, err := copyOnce(b.path, to)
	return m, err
}

func copyOnce(path string, to *files.File) (before boltMeta, same bool, err error) {
	from, info, err := openChecked(path, os.O_RDONLY)
	if err != nil {
		return before, false, err
	}
	defer from.Close()
	if before, err = readMeta(from); err != nil {
		return before, false, err
	}
	if err := copyChanged(to, from, info.Size()); err != nil {
		return before, false, err
	}
	after, err := readMeta(from)
	return before, before == after, err
}

// copyChanged makes to, which may be an earlier copy, the first bytes of from.
func copyChanged(to *files.File, from *os.File, size int64) error {
	have, err := to.Stat()
	if err != nil {
		return err
	}
	if have.Size() == 0 {
		_, err := io.Copy(to, from)
		return err
	}
	if have.Size() != size {
		err = to.Truncate(size)
	}
	is, was := make([]byte, 1<<20), make([]byte, 1<<20)
	for at := int64(0); err == nil && at < size; at += int64(len(is)) {
		n := int(min(int64(len(is)), size-at))
		if _, err = from.ReadAt(is[:n], at); err != nil {
			break
		}
		if m, _ := to.ReadAt(was[:n], at); m < n || !bytes.Equal(is[:n], was[:n]) {
			_, err = to.WriteAt(is[:n], at)
		}
	}
	return err
}

// frozen is a copy of a Bolt: a Backend that is only read.
type frozen struct {
	meta boltMeta

	mu     sync.Mutex // protects what follows
	db     *bbolt.DB
	broken error
}

// openFrozen opens the ledger file at path as it is, whoever uses it meanwhile.
func openFrozen(path string) (*frozen, error) {
	f, _, err := openChecked(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	z := &frozen{}
	if err := z.open(f); err != nil {
		f.Close()
		return nil, err
	}
	return z, nil
}

func (z *frozen) open(f *os.File) error {
	s := &session{}
	return s.guard("open", func() (err error) {
		z.db, err = bbolt.Open(f.Name(), 0o600, &bbolt.Options{
			Timeout: foreignLockWait, ReadOnly: true, NoStatistics: true,
			OpenFile: func(string, int, os.FileMode) (*os.File, error) { return f, nil },
		})
		return err
	})
}

// View implements Backend.
func (z *frozen) View(ctx context.Context, fn func(Txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	z.mu.Lock()
	defer z.mu.Unlock()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s := &session{db: z.db, borrowed: true, broken: z.broken}
	if err := s.begin(false); err != nil {
		return err
	}
	defer func() {
		s.close()
		z.broken = s.broken
	}()
	return s.run(fn)
}

// Update implements Backend: it is refused.
func (z *frozen) Update(context.Context, func(Txn) error) error { return errReadOnlyTxn }

// Mark implements Backend: it never moves.
func (z *frozen) Mark(context.Context) (uint64, error) { return z.meta.txid, nil }

// suspicions are what the file itself gives away.
func (z *frozen) suspicions() []string {
	if z.meta.alone {
		return []string{"one of the two meta pages does not read: the newest commit may be missing"}
	}
	return nil
}

// News implements Backend: there is none.
func (z *frozen) News() <-chan struct{} { return nil }

// Close implements Backend. What a damaged copy left mapped stays so until the process ends.
func (z *frozen) Close() error {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.broken != nil {
		return nil
	}
	return z.db.Close()
}
