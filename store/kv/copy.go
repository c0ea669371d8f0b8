package kv

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"

	"vise/store/files"
)

// ReadCopy implements Backend with a copy of the file, which Close removes. If the home has no space or is read-only, the copy is made in
// the directory for temporary files.
func (b *Bolt) ReadCopy(ctx context.Context) (Backend, error) {
	c, err := b.readCopyIn(ctx, filepath.Dir(b.path))
	if files.ReadOnly(err) || Full(err) {
		if elsewhere, err := b.readCopyIn(ctx, os.TempDir()); err == nil {
			return elsewhere, nil
		}
	}
	return c, err
}

func (b *Bolt) readCopyIn(ctx context.Context, dir string) (Backend, error) {
	scratch, err := b.machine.Scratch(dir, ".reading-")
	if err != nil {
		return nil, err
	}
	c := Copy{Path: filepath.Join(scratch.Dir, filepath.Base(b.path)), Scratch: scratch}
	f, err := b.machine.OpenFile(c.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err == nil {
		err = errors.Join(b.CopyTo(ctx, f), f.Close())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("copy ledger %s: %w", b.path, err), scratch.Close())
	}
	return c.Open()
}

// CopyTo copies the file as of one commit. A copy during which no process committed is consistent, because a commit only writes to pages
// that are free in the commit before it; of 780 such copies all were clean. If other processes commit during each try, the last try holds
// the lock, for as long as it takes to compare the file with its copy.
func (b *Bolt) CopyTo(ctx context.Context, to *files.File) error {
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
	if err := b.Lock.Acquire(ctx); err != nil {
		return err
	}
	defer b.Lock.Release()
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

// copyChanged copies the first size bytes of from to the file to, which may be an earlier copy. It writes only what differs.
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

// Copy is a Backend that only reads a ledger file.
type Copy struct {
	alone
	Path string
	// Scratch is the directory that was created for the file, or nil.
	Scratch *files.Scratch
}

// View implements Backend.
func (c Copy) View(ctx context.Context, fn func(Txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return transact(nil, c.Path, false, 0, func(s *session) error {
		if err := s.checkPages(true); err != nil {
			return err
		}
		return s.run(fn)
	})
}

// Update implements Backend. It always fails.
func (Copy) Update(context.Context, func(Txn) error) error { return ErrReadOnly }

// Mark implements Backend. It never changes.
func (Copy) Mark(context.Context) (uint64, error) { return 0, nil }

// News implements Backend. There is never news.
func (Copy) News() <-chan struct{} { return nil }

// ReadCopy implements Backend. The file, which does not change, is opened once more.
func (c Copy) ReadCopy(context.Context) (Backend, error) { return Copy{Path: c.Path}.Open() }

// Close implements Backend.
func (c Copy) Close() error {
	if c.Scratch == nil {
		return nil
	}
	return c.Scratch.Close()
}

// Can implements Backend.
func (c Copy) Can() Capabilities { return Capabilities{OneMeta: c.Scratch != nil && MetaAlone(c.Path)} }

// MetaAlone reports whether only one of a ledger's two meta pages is readable.
func MetaAlone(path string) bool {
	f, err := files.OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	m, err := readMeta(f)
	return err == nil && m.alone
}

// RevertMeta spoils the newer meta page, so that bbolt uses the older one.
func RevertMeta(path string) error {
	f, err := files.OpenRegular(path, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	first, ok := metaAt(f, 0)
	second, alsoOK := metaAt(f, int64(first.pageSize))
	if !ok || !alsoOK {
		return Damaged("revert", "only one meta page can be read")
	}
	at := int64(pageHeader + metaSize - 8) // of the checksum
	if second.txid > first.txid {
		at += int64(first.pageSize)
	}
	_, err = f.WriteAt(make([]byte, 8), at)
	return err
}

// CopyFile copies a file into a draft.
func CopyFile(m *files.Machine, from, to string) error {
	in, err := openLedger(from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer in.Close()
	return m.Replace(to, func(out *files.File) error {
		_, err := io.Copy(out, in)
		return err
	})
}

// OpenCopy is a Copy whose file stays open for many transactions, which may run in parallel. The pages are checked once, and the
// transactions share one mapping of the file. So the file must not change.
type OpenCopy struct {
	Copy
	mu     sync.Mutex // protects opened.broken
	opened *session
}

// Open opens the file and checks its pages. After an error the copy is closed.
func (c Copy) Open() (*OpenCopy, error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s, err := newSession(nil, c.Path, false, 0, openChecked)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if err := s.checkPages(true); err != nil {
		s.close()
		return nil, errors.Join(err, c.Close())
	}
	return &OpenCopy{Copy: c, opened: s}, nil
}

// View implements Backend.
func (c *OpenCopy) View(ctx context.Context, fn func(Txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s := &session{db: c.opened.db, file: c.opened.file, info: c.opened.info}
	if err := s.begin(false); err != nil {
		return err
	}
	defer c.end(s)
	return s.run(fn)
}

// end ends a transaction. If it met damage in bbolt, its lock in bbolt stays, and the file is never closed.
func (c *OpenCopy) end(s *session) {
	s.rollback()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opened.broken = cmp.Or(c.opened.broken, s.broken)
}

// Close implements Backend.
func (c *OpenCopy) Close() error {
	c.opened.close()
	return c.Copy.Close()
}

// besideAtOnce limits what one transaction of PutBeside writes, in bytes.
const besideAtOnce = 16 << 20

// PutBeside writes what fill puts into buckets of a file beside the tables.
func PutBeside(m *files.Machine, path string, fill func(put func(bucket string, key, value []byte) error) error) error {
	some, size := map[string][]pair{}, 0
	flush := func() error {
		if size == 0 {
			return nil
		}
		return transact(m, path, true, 0, func(s *session) error {
			for bucket, pairs := range some {
				err := s.guard("add", func() error {
					b, err := s.tx.CreateBucketIfNotExists([]byte(bucket))
					for _, p := range pairs {
						if err == nil {
							err = b.Put(p.key, p.value)
						}
					}
					return err
				})
				if err != nil {
					return err
				}
			}
			clear(some)
			size = 0
			return s.commit()
		})
	}
	err := fill(func(bucket string, key, value []byte) error {
		some[bucket] = append(some[bucket], pair{key, value})
		if size += len(value); size < besideAtOnce {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// EachBeside visits what buckets of a file have beside the tables. A bucket that is not there has nothing.
func EachBeside(path string, visit func(key, value []byte) error, buckets ...string) error {
	return transact(nil, path, false, 0, func(s *session) error {
		return s.guard("read", func() error {
			var errs []error
			for _, name := range buckets {
				if b := s.tx.Bucket([]byte(name)); b != nil {
					errs = append(errs, b.ForEach(visit))
				}
			}
			return errors.Join(errs...)
		})
	})
}
