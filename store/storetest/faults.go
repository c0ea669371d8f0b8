package storetest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"syscall"

	"vise/model"
	"vise/store"
	"vise/store/kv"
)

// Faults is a backend whose transactions fail when a test says so. It knows the commands that
// were committed, which no frontend can talk it out of.
type Faults struct {
	store.Backend
	// Seen is called with each command that is committed; nil is not.
	Seen func(command string)

	mu        sync.Mutex
	fail      func(n int, committed bool) error
	lose      int
	n         int
	committed []string
}

// Arm has fail asked before each transaction from now on, with its number from 1 and whether
// anything was committed since. The first commits, lose of them, happen and are said to be of
// unknown outcome.
func (f *Faults) Arm(lose int, fail func(n int, committed bool) error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail, f.lose, f.n, f.committed = fail, lose, 0, nil
}

// Committed are the names of the commands that were committed since Arm, and how many
// transactions were asked for.
func (f *Faults) Committed() (names []string, transactions int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.committed), f.n
}

func (f *Faults) next() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.n++
	if f.fail == nil {
		return nil
	}
	return f.fail(f.n, len(f.committed) > 0)
}

// View is part of store.Backend.
func (f *Faults) View(ctx context.Context, fn func(store.Txn) error) error {
	if err := f.next(); err != nil {
		return err
	}
	return f.Backend.View(ctx, fn)
}

// Update is part of store.Backend.
func (f *Faults) Update(ctx context.Context, fn func(store.Txn) error) error {
	if err := f.next(); err != nil {
		return err
	}
	var names []string
	err := f.Backend.Update(ctx, func(t store.Txn) error {
		w := &watchedTxn{Txn: t}
		err := fn(w)
		names = w.commands
		return err
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil || len(names) == 0 {
		return err
	}
	f.committed = append(f.committed, names...)
	for _, name := range names {
		if f.Seen != nil {
			f.Seen(name)
		}
	}
	if f.lose--; f.lose >= 0 {
		return fmt.Errorf("%w: said by the test", store.ErrUnknown)
	}
	return nil
}

// receipts finds the command of a commit in what is written.
var receipts = regexp.MustCompile(`"receipt":\{"command":"(\w+)"`)

type watchedTxn struct {
	store.Txn
	commands []string
}

func (w *watchedTxn) Put(key, value []byte) error {
	if m := receipts.FindSubmatch(value); m != nil {
		w.commands = append(w.commands, string(m[1]))
	}
	return w.Txn.Put(key, value)
}

// Troubles are what transactions fail of, by the code that a frontend tells it with.
var Troubles = map[model.Code]error{
	model.CodeBusy:     &kv.Busy{},
	model.CodeFull:     fmt.Errorf("write: %w", syscall.ENOSPC),
	model.CodeDamaged:  model.Refuse(model.CodeDamaged, "the ledger is damaged"),
	model.CodeInternal: errors.New("something else went wrong"),
}
