package kv

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"vise/store/files"
	"vise/store/lock"
)

// Bolt is a Backend in one bbolt file. Many processes share it without a daemon: each opens the file for one transaction at a time, behind
// a lock file. Opening costs 15 µs, the lock 3 µs; most of a commit's time is two waits for the disk.
type Bolt struct {
	alone
	// Inspect runs at the start of the first transaction on a file, and again when the path has another file. Its error becomes the
	// transaction's.
	Inspect func(Txn) error
	// Checked reports whether the file was inspected since the machine started. Only a power cut leaves damage that only a walk of all
	// pages finds.
	Checked func() bool
	// Committing runs at the end of a transaction that writes. Its error becomes the transaction's. The function that it returns is called
	// after the commit, while the lock is still held.
	Committing func(Txn) (committed func(), err error)
	// MaxSize is the limit of the file in bytes; 0 means no limit.
	MaxSize int

	// Lock is held by each transaction.
	Lock    *lock.File
	path    string
	machine *files.Machine
	group   group
	news    News
	seen    atomic.Pointer[heldFile] // the file that passed Inspect
	// unlocked reports that the file was read without the lock.
	unlocked atomic.Bool
}

// OpenBolt returns the ledger file at path behind the lock l, which has no other user. It opens nothing; the first transaction does. It
// never creates a file: see CreateBolt.
func OpenBolt(m *files.Machine, path string, l *lock.File) *Bolt {
	return &Bolt{machine: m, path: path, Lock: l, group: newGroup()}
}

// View implements Backend.
func (b *Bolt) View(ctx context.Context, fn func(Txn) error) error {
	_, err := b.use(ctx, false, fn)
	return err
}

// Update implements Backend. Updates of one process that wait at the same time are committed together.
func (b *Bolt) Update(ctx context.Context, fn func(Txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.group.do(ctx, fn, b.serve)
}

// retry commits what fn writes, and tries again if the lock file was replaced meanwhile.
func (b *Bolt) retry(ctx context.Context, fn func(Txn) error) error {
	const tries = 5 // for the case that a process keeps deleting the lock file
	for try := 1; ; try++ {
		committed, err := b.use(ctx, true, fn)
		if committed {
			b.news.Broadcast()
		}
		if try == tries || !errors.Is(err, errReplaced) {
			return err
		}
	}
}

// Mark implements Backend.
func (b *Bolt) Mark(context.Context) (uint64, error) { return MarkAt(b.path) }

// MarkAt is the mark of the ledger's file at path. It combines the transaction number of the newest meta page with the file's inode number,
// because another file at the path has transaction numbers of its own. If there is an error, it is zero.
func MarkAt(path string) (uint64, error) {
	f, err := openLedger(path, os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	m, err := readMeta(f)
	if err != nil {
		return 0, err
	}
	return m.txid ^ files.StatOf(info).Inode<<32, nil
}

// News implements Backend. It reports only this process's commits; Wake reports the others.
func (b *Bolt) News() <-chan struct{} { return b.news.Next() }

// Wake implements Backend.
func (b *Bolt) Wake() { b.news.Broadcast() }

// Can implements Backend.
func (b *Bolt) Can() Capabilities { return Capabilities{File: b} }

// Close implements Backend.
func (b *Bolt) Close() error {
	b.seen.Swap(nil).Close()
	return b.Lock.Close()
}

// heldFile is a file that is kept open for comparison. While it is open, the system gives its inode number to no other file.
type heldFile struct {
	file *os.File
	info fs.FileInfo
}

func holdFile(path string) (*heldFile, error) {
	f, info, err := openChecked(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	return &heldFile{f, info}, nil
}

// Is reports whether info is of the held file.
func (h *heldFile) Is(info fs.FileInfo) bool { return h != nil && os.SameFile(h.info, info) }

// Close closes the file, if there is one.
func (h *heldFile) Close() {
	if h != nil {
		h.file.Close()
	}
}

// use runs fn in one transaction on the file that is at the path while the lock is held.
func (b *Bolt) use(ctx context.Context, writable bool, fn func(Txn) error) (committed bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	// If the lock cannot be acquired, reading is still safe: bbolt locks the file itself against its writers.
	switch err := b.Lock.Acquire(ctx); {
	case err == nil:
		defer b.Lock.Release()
	case writable || !files.ReadOnly(err):
		return false, fmt.Errorf("ledger %s: %w", b.path, err)
	default:
		b.unlocked.Store(true)
	}
	err = transact(b.machine, b.path, writable, b.MaxSize, func(s *session) error {
		after := func() {}
		err := b.run(s, func(t Txn) (err error) {
			if err = fn(t); err == nil && s.writes > 0 && b.Committing != nil {
				after, err = b.Committing(t)
			}
			return err
		})
		if err != nil || s.writes == 0 {
			return err
		}
		if !b.Lock.Mine() {
			return errReplaced
		}
		if err := s.commit(); err != nil {
			return err
		}
		committed = true
		if now, err := os.Lstat(b.path); err != nil || !os.SameFile(now, s.info) {
			return fmt.Errorf("%w: %w", ErrUnknown, errReplaced)
		}
		after()
		return nil
	})
	return committed, err
}

// transact opens the ledger file at path for a transaction that fn runs.
func transact(m *files.Machine, path string, writable bool, maxSize int, fn func(*session) error) error {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if err := m.Before(files.Op{Kind: files.Open, Path: path}); err != nil {
		return err
	}
	s, err := newSession(m, path, writable, maxSize, openChecked)
	if err != nil {
		return err
	}
	defer s.close()
	return fn(s)
}

// run runs fn in the session. For a file that is not known yet, it first checks the pages and runs Inspect. The pages of a known file need
// no check.
func (b *Bolt) run(s *session, fn func(Txn) error) error {
	if b.seen.Load().Is(s.info) {
		return s.run(fn)
	}
	if err := s.checkPages(s.info.Size() <= walkedBytes || b.Checked == nil || !b.Checked()); err != nil {
		return err
	}
	return s.run(func(t Txn) error {
		if b.Inspect != nil {
			if err := b.Inspect(t); err != nil {
				return err
			}
		}
		if held, err := holdFile(b.path); err == nil && held.Is(s.info) {
			b.seen.Swap(held).Close()
		} else {
			held.Close()
		}
		return fn(t)
	})
}

// group lets Updates of one process that wait at the same time share a transaction, and so its two syncs. It has no timer: the goroutine
// that has the turn serves all waiting calls.
type group struct {
	turn    chan struct{} // holds a token while a goroutine serves
	waiting chan *call
}

func newGroup() group { return group{make(chan struct{}, 1), make(chan *call, 1024)} }

// call is one Update. Its context ends its wait and, if the call is alone, the wait for the lock.
type call struct {
	ctx   context.Context
	fn    func(Txn) error
	done  chan error
	taken atomic.Bool // by the goroutine that serves it, or because it was given up
}

// do has fn served, by this goroutine or by another.
func (g *group) do(ctx context.Context, fn func(Txn) error, serve func([]*call)) error {
	c := &call{ctx: ctx, fn: fn, done: make(chan error, 1)}
	select {
	case g.waiting <- c:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-c.done:
		return c.settle(err)
	case g.turn <- struct{}{}:
		g.gather()
		serve(g.take())
		<-g.turn
	case <-ctx.Done():
		if c.taken.CompareAndSwap(false, true) {
			return ctx.Err()
		}
	}
	return c.settle(<-c.done)
}

// gather lets the callers that were just answered run, because most of them ask again and can share the transaction. It ends when a
// scheduling round adds no call, so that a single caller does not wait.
func (g *group) gather() {
	const rounds = 16
	for range rounds {
		was := len(g.waiting)
		if runtime.Gosched(); len(g.waiting) == was {
			return
		}
	}
}

// take takes all waiting calls.
func (g *group) take() (calls []*call) {
	for {
		select {
		case c := <-g.waiting:
			if c.taken.CompareAndSwap(false, true) {
				calls = append(calls, c)
			}
		default:
			return calls
		}
	}
}

// panicked carries a panic of fn from the goroutine that served it to the caller's goroutine.
type panicked struct{ value any }

func (panicked) Error() string { return "panic in a transaction" }

func (c *call) settle(err error) error {
	if p, ok := err.(panicked); ok {
		panic(p.value)
	}
	return err
}

// run calls fn. It passes a memory fault on to session.run, which knows the file.
func (c *call) run(t Txn) (err error) {
	defer func() {
		if r := recover(); r != nil && !IsFault(r) {
			err = panicked{r}
		} else if r != nil {
			panic(r)
		}
	}()
	return c.fn(t)
}

// errSpoilt means that a call failed after it had written. The other calls need a transaction without its writes.
var errSpoilt = errors.New("spoilt by another update")

// serve runs the calls, in one transaction if possible.
func (b *Bolt) serve(calls []*call) {
	if len(calls) > 1 && b.together(calls) {
		return
	}
	for _, c := range calls {
		err := b.retry(c.ctx, c.run)
		c.done <- err
		if errors.As(err, new(*Busy)) && c.ctx.Err() == nil {
			b.refuseWaiting(err)
		}
	}
}

// refuseWaiting answers the calls that arrived meanwhile. They would wait just as long for the same error.
func (b *Bolt) refuseWaiting(err error) {
	for _, c := range b.group.take() {
		c.done <- err
	}
}

func (b *Bolt) together(calls []*call) bool {
	errs := make([]error, len(calls))
	err := b.retry(context.Background(), func(t Txn) error {
		s := t.(*boltTxn).session
		for i, c := range calls {
			before := s.writes
			if errs[i] = c.run(t); errs[i] != nil && s.writes > before {
				return errSpoilt
			}
		}
		return nil
	})
	if errors.Is(err, errSpoilt) {
		return false
	}
	for i, c := range calls {
		c.done <- cmp.Or(errs[i], err)
	}
	if errors.As(err, new(*Busy)) {
		b.refuseWaiting(err)
	}
	return true
}

// ReadOnly says why the file can only be read; nil if it can be written. unlocked: it is then read without its lock. It costs a
// microsecond.
func (b *Bolt) ReadOnly() (why error, unlocked bool) {
	if err := files.Writable(b.path); err != nil && files.ReadOnly(err) {
		return err, b.unlocked.Load()
	}
	return nil, false
}
