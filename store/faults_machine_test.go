package store_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"vise/store/files"
	"vise/store/storetest"
)

// ErrCrashed is the error of every operation of a stopped machine.
var ErrCrashed = errors.New("the machine has stopped")

// Faults makes the n-th operation of a machine fail. Its methods can be called at the same time.
//
//	faults := &Faults{At: n, Err: syscall.ENOSPC}
//	l, err := store.Open(dir, store.Options{Machine: faults.Machine()})
//
// To crash at the n-th operation, leave Err out: it and all later operations do not happen. The next process finds the
// state of the disk at that moment. Discard the ledger, and open another one on the real machine.
type Faults struct {
	// At is the operation that fails, counted from 1 over those that Only accepts. With 0 none fails, and they are only
	// counted.
	At int
	// Err is its error; nil crashes.
	Err error
	// Sticky makes every later operation fail too, like a disk that stays full.
	Sticky bool
	// Torn lets the failing write leave its first Torn bytes.
	Torn int
	// Only selects the operations that are counted; nil selects all.
	Only func(files.Op) bool
	// Each, if set, gets every operation that happens: to kill the process, or to record what a power cut could take.
	Each func(n int, op files.Op)

	mu      sync.Mutex // protects the fields below
	n       int
	stopped bool
	trace   []string
}

// Machine returns a machine with these faults.
func (f *Faults) Machine() *files.Machine {
	return &files.Machine{Gate: f.gate, Copy: storetest.CopyForBbolt}
}

// Count returns how many operations were counted.
func (f *Faults) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// Trace returns the names of the counted operations, one a line.
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
