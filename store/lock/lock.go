// Package lock is the one lock in front of a ledger: a file that is never replaced or
// deleted, with a blocking, exclusive flock for reads and writes alike.
//
// The database's own lock polls every 50 ms, and some processes starve: each of them made 11
// to 1,224 transactions in ten seconds, where this lock gives 861 to 969. A shared mode
// would starve writers, because new readers get in before a waiting writer.
package lock

import (
	"cmp"
	"context"
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"vise/store/files"
)

// DefaultLimit is how long Acquire waits before it fails and names the holder.
const DefaultLimit = 5 * time.Second

// File is the lock as one process sees it. Its methods may be called concurrently.
type File struct {
	// Limit bounds the wait of one Acquire.
	Limit time.Duration

	path    string
	machine *files.Machine
	self    Holder // as this process writes it, except for Since
	// turn holds one token. The goroutine that put it there owns the fields below. It keeps
	// goroutines of one process apart, which flock on one descriptor does not.
	turn   chan struct{}
	file   *os.File
	waiter *waiter
	// released is when this process last released the lock.
	released time.Time
}

// A process that asks again within soon of its release waits for pause while others are
// queued, so that one of them gets in first. Without that, a running process takes a free
// lock sooner than one that the system must wake first (8 processes without a pause: Jain
// index 0.63 to 0.84; with it 0.99).
const (
	soon  = time.Millisecond
	pause = 200 * time.Microsecond
)

// lookEvery is how often a waiter looks at the holder. A holder that is stopped at two looks
// in a row, without a release between them, is reported within a second.
const lookEvery = 300 * time.Millisecond

// On describes the lock at path on a machine. It opens nothing; the first Acquire does.
// Other processes see the command, such as "vise mcp", while this process holds the lock.
func On(m *files.Machine, path, command string) *File {
	p := m.ProcessOf(0)
	self := Holder{PID: p.PID, Command: printable(cmp.Or(command, defaultCommand(p.Args))), Start: p.Start}
	return &File{Limit: DefaultLimit, path: path, machine: m, self: self, turn: make(chan struct{}, 1)}
}

// Acquire waits for the lock. It returns a *Busy when ctx ends, when Limit has passed, or
// when the holder stays stopped. From Acquire to Release, Ctrl-Z in a terminal does not stop
// the process.
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

// Release releases the lock. If a Ctrl-Z arrived meanwhile, the process stops here.
func (f *File) Release() {
	unlock(f.file)
	f.released = time.Now()
	<-f.turn
	suspension.leave()
}

// Close closes the file. No goroutine may hold the lock or wait for it.
func (f *File) Close() error {
	f.turn <- struct{}{}
	defer func() { <-f.turn }()
	return f.drop()
}

// Mine reports whether the locked file is still the one at the path. A lock on a file that
// was replaced or deleted keeps no process out, so the caller must not commit after false.
func (f *File) Mine() bool {
	var held, there syscall.Stat_t
	if syscall.Fstat(int(f.file.Fd()), &held) != nil || syscall.Lstat(f.path, &there) != nil {
		return false
	}
	return held.Nlink > 0 && held.Dev == there.Dev && held.Ino == there.Ino
}

// take acquires the flock, and checks that the locked file is still the one at the path.
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

// drop forgets the file. If a waiter still blocks on it, that waiter closes it.
func (f *File) drop() error {
	file, w := f.file, f.waiter
	f.file, f.waiter = nil, nil
	switch {
	case file == nil, w != nil && w.state.CompareAndSwap(unwanted, left):
		return nil
	case w != nil:
		<-w.ended // it may be about to unlock the file, and another file could get its descriptor
	}
	return file.Close()
}

// errWaited is the error of a wait that ended without the lock.
var errWaited = errors.New("gave up waiting")

func (f *File) flock(ctx context.Context) error {
	w := f.waiter
	f.waiter = nil
	if w != nil && !w.state.CompareAndSwap(unwanted, wanted) {
		<-w.ended // it has released the lock
		w = nil
	}
	if w == nil {
		if time.Since(f.released) < soon && awaited(f.file) {
			time.Sleep(pause)
		}
		if err := files.Flock(f.file, files.Exclusive|files.AtOnce); err != files.ErrLocked {
			return err
		}
		w = wait(f.file)
	}
	enqueue(f.file)
	defer dequeue(f.file)
	if f.await(ctx, w) || !w.state.CompareAndSwap(wanted, unwanted) {
		return w.err
	}
	f.waiter = w
	return errWaited
}

// await waits until the lock is acquired, and reports whether it was. It gives up when ctx
// ends, and earlier when the holder stays stopped, because a stopped holder releases
// nothing.
func (f *File) await(ctx context.Context, w *waiter) bool {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for seen := (Holder{}); ; {
		select {
		case <-w.ended:
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

// waiter is the one goroutine of a process that blocks in flock. It cannot be cancelled. If
// its lock is no longer wanted, it releases the lock as soon as it has it.
type waiter struct {
	state atomic.Int32
	err   error         // set before the state is over
	ended chan struct{} // closed at the end
}

// The states of a waiter. If it is left, it closes the file at its end.
const (
	wanted = iota
	unwanted
	left
	over
)

// wait starts a waiter. The kernel serves waiters in order.
func wait(file *os.File) *waiter {
	w := &waiter{ended: make(chan struct{})}
	go func() {
		w.err = files.Flock(file, files.Exclusive)
		switch w.state.Swap(over) {
		case unwanted:
			unlock(file)
		case left:
			file.Close()
		}
		close(w.ended)
	}()
	return w
}

// open opens the lock's file. If the file cannot be written, open opens it for reading,
// which is enough to lock it.
func open(path string) (*os.File, error) {
	f, err := files.OpenRegular(path, os.O_RDWR|os.O_CREATE)
	if files.ReadOnly(err) {
		if readable, readErr := files.OpenRegular(path, os.O_RDONLY); readErr == nil {
			return readable, nil
		}
	}
	return f, err
}

func unlock(f *os.File) { files.Flock(f, files.Unlock) }
