package kv

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"

	"vise/model"
	"vise/store/files"
)

// Space is the size of a ledger's file and the free part of it.
type Space struct {
	Bytes int64 `json:"bytes"`
	Free  int64 `json:"free_bytes"`
}

// worthCompacting is 64 MB. Compacting is worthwhile when more than that is free, and more than half of the file.
const worthCompacting = 64 << 20

// Wasteful reports whether compacting is worthwhile.
func (s Space) Wasteful() bool { return s.Free > worthCompacting && s.Free > s.Bytes/2 }

// compaction copies the ledger's keys in order to a draft beside it, one part at a time with the lock. Then it takes the lock once more,
// compares both files key by key, writes the changes to the draft, and gives it the ledger's name. So it holds the lock to read both files,
// not to write the new one: 2 s with 3 M keys in 1.6 GB.
type compaction struct {
	*Bolt
	draft      string
	from, mine *heldFile // the ledger's file and the draft
	loose      []byte    // the first key of the history that stays unpacked
}

const (
	draftEnd = ".compact"
	// copyAtOnce limits a part in bytes, and so the memory that a compaction needs.
	copyAtOnce = 4 << 20
)

var bucketsInOrder = [][]byte{bucketAppended, bucketState}

// firstKey is the lowest key of a bucket.
func firstKey(bucket []byte) []byte {
	if bytes.Equal(bucket, bucketState) {
		return []byte{0}
	}
	return appendedTable
}

// Compact replaces the file by one without free pages and with its older history packed. Other processes continue meanwhile and open the
// new file next, because each checks with the lock whether the file is still the same. A compaction that ends early leaves the file as it
// was.
func (b *Bolt) Compact(ctx context.Context) (err error) {
	c := &compaction{Bolt: b, draft: b.path + draftEnd}
	defer func() {
		c.from.Close()
		c.mine.Close()
	}()
	if err := c.read(ctx, c.begin, nil); err != nil {
		return err
	}
	defer func() {
		if err != nil && c.isMine() {
			err = errors.Join(err, c.machine.Remove(c.draft))
		}
	}()
	if err := c.copy(ctx, bucketPacked, c.writeFrames); err != nil {
		return err
	}
	for _, bucket := range bucketsInOrder {
		if err := c.copy(ctx, bucket, c.writePart); err != nil {
			return err
		}
	}
	return c.read(ctx, c.complete, c.replace)
}

// copy copies a bucket part by part.
func (c *compaction) copy(ctx context.Context, bucket []byte, write func([]pair) error) error {
	for from := firstKey(bucket); from != nil; {
		var part []pair
		err := c.read(ctx, func(t *boltTxn) (err error) {
			part, from, err = t.partOf(t.session.tx.Bucket(bucket), from)
			return err
		}, nil)
		if err == nil {
			err = write(part)
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

func (c *compaction) writeFrames(frames []pair) error {
	return c.write(func(draft *boltTxn) ([]pair, error) { return nil, draft.putFrames(frames) })
}

// writePart writes a part to the draft, older history in frames.
func (c *compaction) writePart(part []pair) error {
	older := 0
	for older < len(part) && bytes.HasPrefix(part[older].key, appendedTable) && bytes.Compare(part[older].key, c.loose) < 0 {
		older++
	}
	frames := packAll(part[:older])
	return c.write(func(draft *boltTxn) ([]pair, error) { return part[older:], draft.putFrames(frames) })
}

// read reads the ledger with the lock. Then it calls after, still with the lock.
func (c *compaction) read(ctx context.Context, fn func(*boltTxn) error, after func() error) error {
	if err := c.Lock.Acquire(ctx); err != nil {
		return err
	}
	defer c.Lock.Release()
	err := transact(c.machine, c.path, false, 0, func(s *session) error {
		if c.from != nil && !c.from.Is(s.info) {
			return overtaken()
		}
		return c.run(s, func(t Txn) error { return fn(t.(*boltTxn)) })
	})
	if err == nil && after != nil {
		err = after()
	}
	return err
}

// begin creates an empty draft. It removes the draft of another compaction, which then notices that its draft is gone.
func (c *compaction) begin(t *boltTxn) (err error) {
	if c.from, err = holdFile(c.path); err != nil {
		return err
	}
	if err := c.machine.Remove(c.draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := fillBolt(c.machine, c.draft, func(Txn) error { return nil }); err != nil {
		return err
	}
	if c.mine, err = holdFile(c.draft); err != nil {
		return err
	}
	c.loose, err = t.looseFrom()
	return err
}

// partOf returns some keys of a bucket starting at from, and the key that follows, or nil at the bucket's end.
func (t *boltTxn) partOf(b *bbolt.Bucket, from []byte) (part []pair, next []byte, err error) {
	if b == nil {
		return nil, nil, nil
	}
	some := 0
	err = t.scanBucket(b, Range{From: from}, func(key, value []byte) bool {
		if some >= copyAtOnce {
			next = bytes.Clone(key)
			return false
		}
		some += len(key) + len(value)
		part = append(part, pair{bytes.Clone(key), append([]byte{}, value...)})
		return true
	})
	return part, next, err
}

// isMine reports whether the draft is still the one that this compaction made.
func (c *compaction) isMine() bool {
	there, err := os.Lstat(c.draft)
	return err == nil && c.mine.Is(there)
}

// overtaken is the error when another compaction or a restore has replaced the file or the draft.
func overtaken() error {
	return model.Busy("another process replaces the ledger's file, too").
		WithHint("nothing was changed; try again when it is done")
}

// write writes pairs to the draft. Pairs in order fill its pages.
func (c *compaction) write(pairs func(draft *boltTxn) ([]pair, error)) error {
	err := transact(c.machine, c.draft, true, 0, func(s *session) error {
		if !c.mine.Is(s.info) {
			return overtaken()
		}
		err := s.run(func(txn Txn) error {
			t := txn.(*boltTxn)
			list, err := pairs(t)
			t.appended.FillPercent, t.state.FillPercent = 1, 1
			for _, p := range list {
				if p.value == nil {
					err = errors.Join(err, t.Delete(p.key))
				} else {
					err = errors.Join(err, t.Put(p.key, p.value))
				}
			}
			return err
		})
		if err != nil || s.writes == 0 {
			return err
		}
		return s.commit()
	})
	if err != nil && !c.isMine() {
		return overtaken()
	}
	return err
}

// complete makes the draft's content equal to the ledger's. History only grows at its end, so the part that was copied or packed is not
// compared again.
func (c *compaction) complete(t *boltTxn) error {
	return c.write(func(draft *boltTxn) (all []pair, err error) {
		last := firstKey(bucketAppended)
		err = draft.Scan(Range{From: last, Reverse: true}, func(key, _ []byte) bool {
			last = bytes.Clone(key)
			return false
		})
		for _, from := range [][]byte{last, firstKey(bucketState)} {
			if err == nil {
				err = draft.session.guard("compare", func() (err error) {
					all, err = appendChanges(all, draft, t, from)
					return err
				})
			}
		}
		return all, err
	})
}

// appendChanges appends the changes that turn a bucket of was into that of is, starting at the key from.
func appendChanges(all []pair, was, is *boltTxn, from []byte) ([]pair, error) {
	c := was.bucket(from).Cursor()
	key, value := c.Seek(from)
	err := is.Scan(Range{From: from}, func(k, v []byte) bool {
		for ; key != nil && bytes.Compare(key, k) < 0; key, value = c.Next() {
			all = append(all, pair{bytes.Clone(key), nil})
		}
		same := bytes.Equal(key, k)
		if !same || !bytes.Equal(value, v) {
			all = append(all, pair{bytes.Clone(k), append([]byte{}, v...)})
		}
		if same {
			key, value = c.Next()
		}
		return true
	})
	for ; key != nil; key, _ = c.Next() {
		all = append(all, pair{bytes.Clone(key), nil})
	}
	return all, err
}

// replace gives the draft the ledger's name.
func (c *compaction) replace() error {
	if err := c.cut(); err != nil {
		return err
	}
	if !c.Lock.Mine() {
		return errReplaced
	}
	if err := c.machine.Rename(c.draft, c.path); err != nil {
		return err
	}
	return c.machine.SyncDir(filepath.Dir(c.path))
}

// cut shortens the draft to its pages; bbolt makes the file longer.
func (c *compaction) cut() error {
	f, err := c.machine.OpenFile(c.draft, os.O_RDWR|files.NoFollow)
	if err != nil {
		return err
	}
	m, err := readMeta(f)
	if err == nil {
		err = f.Truncate(int64(m.pages) * int64(m.pageSize))
	}
	return errors.Join(err, f.Close())
}

// SpaceOf reads the file at a path without its lock.
func SpaceOf(path string) (Space, error) {
	f, info, err := openChecked(path, os.O_RDONLY)
	if err != nil {
		return Space{}, err
	}
	defer f.Close()
	m, err := readMeta(f)
	if err != nil {
		return Space{}, err
	}
	count, err := m.freePages(f)
	// The part behind the last page of the ledger is free too.
	past := max(info.Size()-int64(m.pages)*int64(m.pageSize), 0)
	return Space{Bytes: info.Size(), Free: int64(count)*int64(m.pageSize) + past}, err
}
