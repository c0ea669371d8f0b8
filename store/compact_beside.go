package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"

	"vise/store/files"
)

// compaction makes the ledger's file anew beside it, while others go on: it copies the keys
// in order, a few at a time with the lock, and lets who writes list what it has missed.
// What is listed is copied again, with the lock at last, and the draft takes the ledger's
// name. Until then the ledger is as it was.
type compaction struct {
	*Bolt
	// held: the lock is held from beginning to end, and there is no list.
	held bool
	// into, if set, gets the draft as a copy, and the ledger stays as it is.
	into  *files.File
	info  fs.FileInfo // the ledger's file
	txid  uint64      // as it was at the beginning
	list  *changeList
	draft *files.File
	own   fs.FileInfo // the draft's
	pages *pages
	holds []tally // what was copied of each table
	// syncing tells when the sync of what was written before ends; nil when none runs.
	syncing  chan error
	unsynced int
}

// The bounds of a compaction, for a lock that others wait for some milliseconds.
const (
	copyAtOnce  = 4 << 20 // bytes
	carryAtOnce = 1000    // keys
	syncAtOnce  = 8 << 20 // bytes: who waits for the disk waits for those in front of it
	catchUps    = 20
	// ahead is how far the draft's transaction number is ahead: a Mark never returns.
	ahead = 1 << 20
)

var bucketsInOrder = [][]byte{bucketAppended, bucketState}

func (b *Bolt) compact(ctx context.Context) error {
	err := (&compaction{Bolt: b}).run(ctx)
	if errors.Is(err, errOvertaken) || errors.Is(err, errReplaced) {
		err = (&compaction{Bolt: b, held: true}).run(ctx)
	}
	return err
}

func (c *compaction) run(ctx context.Context) (err error) {
	if c.held {
		if err := c.lock.Acquire(ctx); err != nil {
			return err
		}
		defer c.lock.Release()
	}
	for _, step := range []func(context.Context) error{c.begin, c.copy, c.prove, c.catchUp, c.replace, c.handOver} {
		if err == nil {
			err = step(ctx)
		}
	}
	if err != nil && c.list != nil && !c.list.mine() {
		err = errOvertaken // what went wrong may be another's draft
	}
	return errors.Join(err, c.leave(err == nil && c.into == nil))
}

// look reads the ledger, and then, still with the lock, does what comes after.
func (c *compaction) look(ctx context.Context, fn func(*session, Txn) error, after func() error) error {
	if !c.held {
		if err := c.lock.Acquire(ctx); err != nil {
			return err
		}
		defer c.lock.Release()
	}
	err := c.readOnly(c.path, func(s *session, t Txn) error {
		if c.info != nil && !os.SameFile(c.info, s.info) {
			return errReplaced
		}
		return c.inspected(s, func(t Txn) error { return fn(s, t) })(t)
	})
	if err == nil && after != nil {
		err = after()
	}
	return err
}

func (c *compaction) readOnly(path string, fn func(*session, Txn) error) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	s, err := openSession(c.machine, path, false, 0)
	if err != nil {
		return err
	}
	defer s.close()
	return s.run(func(t Txn) error { return fn(s, t) })
}

func (c *compaction) begin(ctx context.Context) error {
	return c.look(ctx, func(s *session, _ Txn) error {
		c.info, c.txid = s.info, uint64(s.tx.ID())
		return c.start(s.db.Info().PageSize)
	}, nil)
}

// start makes the draft and the list anew; another compaction then finds its list gone.
func (c *compaction) start(pageSize int) (err error) {
	for _, end := range []string{listEnd, draftEnd} {
		if err := c.machine.Remove(c.path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if c.draft, err = c.machine.OpenFile(c.path+draftEnd, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, fileMode); err != nil {
		return err
	}
	c.pages = newPages(c.draft, pageSize)
	if c.own, err = c.draft.Stat(); err == nil && !c.held {
		c.list, err = startList(c.machine, c.path+listEnd, c.txid)
	}
	return err
}

const draftEnd = ".compact"

// copy writes all keys to the draft, in order.
func (c *compaction) copy(ctx context.Context) error {
	var trees []bucket
	for _, name := range bucketsInOrder {
		from := []byte{0}
		if bytes.Equal(name, bucketAppended) {
			from = appendedTable
		}
		for from != nil {
			err := c.look(ctx, func(_ *session, t Txn) (err error) {
				from, err = c.copySome(t, from)
				return err
			}, nil)
			if err := errors.Join(err, ctx.Err()); err != nil {
				return err
			}
			if err := c.flush(); err != nil {
				return err
			}
		}
		root, holds := c.pages.endTree()
		trees, c.holds = append(trees, bucket{name, root}), append(c.holds, holds)
	}
	if err := c.pages.finish(trees, c.txid+ahead); err != nil {
		return err
	}
	return c.besides(c.draft.Sync)
}

// copySome copies from a key on, and returns where to go on; nil at the end.
func (c *compaction) copySome(t Txn, from []byte) (next []byte, err error) {
	some := 0
	err = t.Scan(Range{From: from}, func(key, value []byte) bool {
		if some >= copyAtOnce {
			next = bytes.Clone(key)
			return false
		}
		some += len(key) + len(value)
		c.pages.add(key, value)
		return true
	})
	return next, err
}

// flush writes what was copied, and now and then has the disk begin with it.
func (c *compaction) flush() error {
	c.unsynced += len(c.pages.buf)
	if err := c.pages.flush(); err != nil {
		return err
	}
	if c.unsynced < syncAtOnce {
		return nil
	}
	part := int64(c.unsynced)
	c.unsynced = 0
	return c.besides(func() error { return writeBack(c.draft.File, c.pages.at-part, part) })
}

// besides has the disk do something while the copying goes on, once it has done what it was
// asked before.
func (c *compaction) besides(do func() error) error {
	err := c.synced()
	done := make(chan error, 1)
	go func() { done <- do() }()
	c.syncing = done
	return err
}

// synced waits for the sync that was begun.
func (c *compaction) synced() error {
	if c.syncing == nil {
		return nil
	}
	err := <-c.syncing
	c.syncing = nil
	return err
}

// prove reads the draft as everybody will, while it goes to the disk.
func (c *compaction) prove(context.Context) error {
	err := c.readOnly(c.draft.Name(), func(s *session, t Txn) error {
		if !os.SameFile(c.own, s.info) {
			return errOvertaken
		}
		for i, from := range [][]byte{appendedTable, {0}} {
			var holds tally
			err := t.Scan(Range{From: from}, func(key, value []byte) bool {
				holds.add(key, value)
				return true
			})
			if err == nil && holds != c.holds[i] {
				err = fmt.Errorf("%s does not read as it was written", c.draft.Name())
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, c.synced(), c.draft.Close())
}

// replace carries over the rest, and gives the draft the ledger's name. Its room is given
// back by the system when the last who has the old file open closes it, here without the
// lock: that of a large file takes long.
func (c *compaction) replace(ctx context.Context) error {
	defer keepOpen(c.path)()
	var keys []string
	var values [][]byte
	return c.look(ctx, func(s *session, t Txn) (err error) {
		if c.held {
			return nil
		}
		if err := c.list.catchUp(); err != nil {
			return err
		}
		if !c.list.complete(uint64(s.tx.ID())) {
			return errOvertaken
		}
		keys = c.list.take(len(c.list.pending))
		values, err = valuesOf(t, keys)
		return err
	}, func() error {
		if err := c.carry(keys, values); err != nil {
			return err
		}
		if !c.lock.Mine() {
			return errReplaced
		}
		// Whoever is stopped from here on leaves a list that nobody needs, or none.
		if err := c.endList(); err != nil || c.into != nil {
			return err
		}
		if err := c.machine.Rename(c.draft.Name(), c.path); err != nil {
			return err
		}
		return c.machine.SyncDir(filepath.Dir(c.path))
	})
}

// handOver copies the draft to where somebody wants it.
func (c *compaction) handOver(context.Context) error {
	if c.into == nil {
		return nil
	}
	from, info, err := openChecked(c.draft.Name(), os.O_RDONLY)
	if err != nil {
		return err
	}
	defer from.Close()
	if !os.SameFile(c.own, info) {
		return errOvertaken
	}
	return copyOver(c.into, from)
}

func (c *compaction) endList() error {
	l := c.list
	if c.list = nil; l == nil {
		return nil
	}
	return l.end(c.machine)
}

// leave lets go of everything; what is not done is taken away.
func (c *compaction) leave(done bool) error {
	err := c.synced()
	if c.draft != nil {
		c.draft.Close()
	}
	if c.list != nil {
		c.list.file.Close()
	}
	if done || c.draft == nil {
		return err
	}
	return errors.Join(err, c.takeAway())
}

// takeAway removes draft and list if they are still this compaction's, which another could
// change without the lock. What cannot be had is left for the next one.
func (c *compaction) takeAway() error {
	if !c.held {
		if err := c.lock.Acquire(context.Background()); err != nil {
			return nil
		}
		defer c.lock.Release()
	}
	if there, err := os.Lstat(c.draft.Name()); err != nil || !os.SameFile(c.own, there) {
		return nil
	}
	err := os.Remove(c.draft.Name())
	if c.list != nil {
		err = errors.Join(err, os.Remove(c.list.file.Name()))
	}
	return err
}
