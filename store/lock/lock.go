// Package lock is the one lock in front of a ledger: a file that is never replaced nor
// deleted, with a blocking, exclusive flock for reads and writes alike.
//
// The database's own lock polls every 50 ms and starves (11 to 1,224 transactions per
// process in ten seconds, where this one gives 861 to 969), and a shared mode would
// starve writers, because new readers get in before a writer that waits.
package lock

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"vise/store/files"
)

// DefaultLimit is how long Acquire waits before it says for whom.
const DefaultLimit = 5 * time.Second

// File is the lock as one process sees it. Its methods may be called concurrently.
type File struct {
	// Limit bounds the wait of one Acquire.
	Limit time.Duration

	path    string
	machine *files.Machine
	self    Holder // as this process writes it, but for the time
	// turn holds one token: whoever put it there owns the fields below. It keeps
	// goroutines of one process apart, which flock on one descriptor does not.
	turn   chan struct{}
	file   *os.File
	waiter *waiter
	// released is when this process last gave the lock back.
	released time.Time
}

// Who comes back for the lock within soon of giving it back, while others wait for it,
// lets one of them in first: a process that runs takes a free lock sooner than one that
// has to be woken (8 processes without a pause: Jain 0.63 to 0.84, with it 0.99).
const (
	soon  = time.Millisecond
	pause = 200 * time.Microsecond
)

// lookEvery is how often a waiter looks at the holder. One that is stopped at two looks in a
// row, within the same turn, is told of within a second.
const lookEvery = 300 * time.Millisecond

// On describes the lock at path on a machine. Nothing is opened until the first Acquire. The
// command is what others are told when this process holds the lock, such as "vise mcp".
func On(m *files.Machine, path, command string) *File {
	p := m.ProcessOf(0)
	self := Holder{PID: p.PID, Command: printable(cmp.Or(command, defaultCommand(p.Args))), Start: p.Start}
	return &File{Limit: DefaultLimit, path: path, machine: m, self: self, turn: make(chan struct{}, 1)}
}

// Acquire waits for the lock until ctx ends, Limit has passed, or the holder turns out to be
// stopped; then it returns a *Busy.
// Until Release the process is not stopped by a terminal's Ctrl-Z.
func (f *File) Acquire(ctx context.Context) error {
	begun := time.Now()
	limited, cancel := context.WithTimeout(ctx, f.limit(ctx))
	defer cancel()
	defer spend(ctx, begun)
	select {
	case f.turn <- struct{}{}:
	case <-limited.Done():
		return f.busy(begun, ctx.Err())
	}
	suspension.enter()
	err := f.take(limited)
	if err == nil {
		f.writeHolder()
		return nil
	}
	suspension.leave()
	<-f.turn
	if errors.Is(err, errWaited) {
		return f.busy(begun, ctx.Err())
	}
	return err
}

// Release gives the lock back. A Ctrl-Z that arrived meanwhile stops the process here.
func (f *File) Release() {
	unlock(f.file)
	f.released = time.Now()
	<-f.turn
	suspension.leave()
}

// Close lets go of the file. Nobody may hold or await the lock.
func (f *File) Close() error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	return f.drop()
}

// Mine reports whether the locked file is still the one at the path. A file that was
// replaced or deleted locks out nobody, so that whoever sees false must not commit.
func (f *File) Mine() bool { return sameFile(f.file, f.path) }

// take gets the flock on the file that is at the path when the flock is held.
func (f *File) take(ctx context.Context) error {
	if err := f.machine.Before(files.Op{Kind: files.Lock, Path: f.path}); err != nil {
		return err
	}
	for {
		if f.file == nil {
			file, err := open(f.path)
			if err != nil {
				return err
			}
			f.file = file
		}
		if err := f.flock(ctx); err != nil {
			return err
		}
		if f.Mine() {
			return nil
		}
		unlock(f.file)
		if err := f.drop(); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errWaited
		}
	}
}

// drop forgets the file. A waiter that still blocks on it closes it.
func (f *File) drop() error {
	file, w := f.file, f.waiter
	f.file, f.waiter = nil, nil
	if file == nil || w != nil && w.inherit() {
		return nil
	}
	return file.Close()
}

// errWaited says that the wait ended without the lock.
var errWaited = errors.New("waited in vain")

func (f *File) flock(ctx context.Context) error {
	w := f.waiter
	f.waiter = nil
	if w == nil || !w.adopt() {
		if time.Since(f.released) < soon && awaited(f.file) {
			time.Sleep(pause)
		}
		done, err := tryLock(f.file)
		if done || err != nil {
			return err
		}
		w = wait(f.file)
	}
	enqueue(f.file)
	defer dequeue(f.file)
	if f.await(ctx, w) || !w.abandon() {
		return w.err
	}
	f.waiter = w
	return errWaited
}

// await waits until the lock is acquired, and reports whether it was. It gives up when ctx
// ends, and before that when the holder is stopped and stays so: that is not worth a wait.
func (f *File) await(ctx context.Context, w *waiter) bool {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for seen := (Holder{}); ; {
		select {
		case <-w.acquired:
			return true
		case <-ctx.Done():
			return false
		case <-look.C:
		}
		h := f.holder()
		if h.Stopped && h.PID == seen.PID && h.Since.Equal(seen.Since) {
			return false
		}
		seen = Holder{}
		if h.Stopped {
			seen = h
		}
	}
}

// waiter is the one goroutine of a process that blocks in flock. It cannot be cancelled:
// when nobody wants its lock any more, it gives the lock back as soon as it has it.
type waiter struct {
	acquired chan struct{}
	err      error // set before acquired is closed

	mu       sync.Mutex // protects what follows
	unwanted bool
	orphaned bool // the file is the waiter's to close
	ended    bool
}

func wait(file *os.File) *waiter {
	w := &waiter{acquired: make(chan struct{})}
	go func() {
		w.err = blockLock(file)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.ended = true
		if w.unwanted {
			unlock(file)
		}
		if w.orphaned {
			file.Close()
		}
		close(w.acquired)
	}()
	return w
}

// abandon leaves the waiter to itself; false means that it has just ended, and its
// result is the caller's.
func (w *waiter) abandon() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unwanted = !w.ended
	return w.unwanted
}

// adopt takes an abandoned waiter over; false means that it has ended, without the lock.
func (w *waiter) adopt() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unwanted = w.ended
	return !w.ended
}

// inherit makes the waiter close the file when it ends; false means that it has ended.
func (w *waiter) inherit() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.orphaned = !w.ended
	return w.orphaned
}

// open opens the file for reading alone where it cannot be written: it locks all the same.
func open(path string) (*os.File, error) {
	f, err := files.OpenRegular(path, os.O_RDWR|os.O_CREATE, 0o600)
	if files.ReadOnly(err) {
		if readable, readErr := files.OpenRegular(path, os.O_RDONLY, 0); readErr == nil {
			return readable, nil
		}
	}
	return f, err
}

// tryLock takes the flock if nobody has it.
func tryLock(f *os.File) (bool, error) {
	err := files.Flock(f, files.Exclusive|files.AtOnce)
	if err == files.ErrLocked {
		return false, nil
	}
	return err == nil, err
}

// blockLock waits for the flock as long as it takes. The kernel serves waiters in turn.
func blockLock(f *os.File) error { return files.Flock(f, files.Exclusive) }

func unlock(f *os.File) { files.Flock(f, files.Unlock) }
