package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"vise/store/files"
	"vise/store/storetest"
)

// ErrCrashed is what every operation of a machine gets that has stopped.
var ErrCrashed = errors.New("the machine has stopped")

// Faults lets the operations of a machine go wrong at the n-th. Its methods may be called
// concurrently.
//
//	faults := &Faults{At: n, Err: syscall.ENOSPC}
//	l, err := store.Open(dir, store.Options{Machine: faults.Machine()})
//
// To crash at the n-th operation, leave Err out: it and all that follow do not happen. What
// is on the disk then is what the next process finds; throw the ledger away and open
// another one on the real machine.
type Faults struct {
	// At is the operation that fails, counted from 1 over those that Only lets count; with 0
	// none does, and they are only counted.
	At int
	// Err is its error; nil crashes.
	Err error
	// Sticky fails every later one too, as a disk that stays full does.
	Sticky bool
	// Torn lets the failing write leave its first Torn bytes.
	Torn int
	// Only counts the operations for which it is true; nil counts all.
	Only func(files.Op) bool
	// Each, if set, sees every operation that happens: to kill the process, or to keep a
	// record of what a power cut could take.
	Each func(n int, op files.Op)

	mu      sync.Mutex // protects what follows
	n       int
	stopped bool
	trace   []string
}

// Machine is a machine with these faults.
func (f *Faults) Machine() *files.Machine {
	return &files.Machine{Gate: f.gate, Copy: storetest.CopyForBbolt}
}

// Count is how many operations have counted.
func (f *Faults) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// Trace names the operations that have counted, one a line.
func (f *Faults) Trace() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.trace, "\n")
}

func (f *Faults) gate(op files.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return ErrCrashed
	}
	counts := f.Only == nil || f.Only(op)
	if counts {
		f.n++
		f.trace = append(f.trace, fmt.Sprintf("%d %s %s %d+%d", f.n, op.Kind, op.Path, op.At, len(op.Data)))
	}
	if counts && f.At > 0 && (f.n == f.At || f.Sticky && f.n > f.At) {
		return f.fail(op)
	}
	if f.Each != nil {
		f.Each(f.n, op)
	}
	return nil
}

func (f *Faults) fail(op files.Op) error {
	err := f.Err
	if err == nil {
		f.stopped, err = true, ErrCrashed
	}
	if f.Torn > 0 && op.Kind == files.Write {
		return &files.Short{Bytes: f.Torn, Err: err}
	}
	return err
}
