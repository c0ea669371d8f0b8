package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/storetest"
)

// faultyHome returns a new home with one commit, and its ledger on a machine with faults.
func faultyHome(t *testing.T, f *Faults) (dir string, l *store.Ledger) {
	t.Helper()
	dir, _ = newHome(t)
	plans, err := files.NewHome(dir)
	must(err)
	sound, err := store.Open(dir, store.Options{Plans: plans})
	must(err)
	must(applied(sound, objective("first"))) // it makes the directories that plans share
	must(sound.Close())
	l, err = store.Open(dir, store.Options{Machine: f.Machine(), Plans: plans.On(f.Machine())})
	must(err)
	t.Cleanup(func() { l.Close() })
	return dir, l
}

// grows is a command that makes the ledger's file longer.
func grows(key string) model.Envelope {
	e := objective(key)
	e.Command = model.CreateWorkItem{Objective: "x", Plan: model.Text(string(make([]byte, 60_000)) + "x")}
	return e
}

// operations counts the operations of one command on the disk.
func operations(t *testing.T, e model.Envelope) int {
	t.Helper()
	f := &Faults{}
	_, l := faultyHome(t, f)
	must(applied(l, e))
	t.Log(f.Trace())
	return f.Count()
}

// The machine stops at each operation. The next process finds the ledger before the command or after it, and after a
// retry it is carried out once.
func TestACrashAtAnyOperationLeavesBeforeOrAfter(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	for name, e := range map[string]model.Envelope{"a small change": objective("second"), "one that grows the file": grows("second")} {
		n := operations(t, e)
		if n < 6 { // open, lock, holder, pages, sync, meta, sync
			t.Fatalf("%s: only %d operations are seen", name, n)
		}
		after := 0
		for at := 1; at <= n; at++ {
			for _, torn := range []int{0, 100}[:1+at%2] {
				f := &Faults{At: at, Torn: torn}
				dir, l := faultyHome(t, f)
				acknowledged := applied(l, e) == nil
				next, err := store.Open(dir, store.Options{})
				if err != nil {
					t.Errorf("%s, operation %d: %v", name, at, err)
					continue
				}
				h := healthy(t, next)
				if acknowledged && h.Revision != 2 {
					t.Errorf("%s, operation %d: it was acknowledged and is not there", name, at)
				}
				r, err := next.Apply(ctx, e)
				if err != nil || r.Revision != 2 || r.Replayed != (h.Revision == 2) {
					t.Errorf("%s, operation %d: at revision %d a retry gets %+v, %v", name, at, h.Revision, r, err)
				}
				after += int(h.Revision) - 1
				healthy(t, next)
				next.Close()
			}
		}
		if after == 0 {
			t.Errorf("%s: no crash came after the commit: the last operations are not seen", name)
		}
	}
}

// Each operation fails in each way: the answer is true, and the ledger goes on.
func TestAnErrorAtAnyOperationIsAnsweredTruly(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	errnos := []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}
	for i, e := range []model.Envelope{objective("second"), grows("second")} {
		n := operations(t, e)
		for at := 1; at <= n; at++ {
			for _, errno := range errnos[:2+2*i] {
				f := &Faults{At: at, Err: errno}
				dir, l := faultyHome(t, f)
				r, err := l.Apply(ctx, e)
				h := healthy(t, l)
				var known *model.Error
				switch {
				case err == nil:
					if r.Revision != 2 || h.Revision != 2 {
						t.Errorf("operation %d, %v: %+v, and the ledger is at %d", at, errno, r, h.Revision)
					}
				case errors.Is(err, &model.Error{Code: model.CodeUnknownOutcome}):
				case h.Revision != 1:
					t.Errorf("operation %d, %v: %v, and yet it happened", at, errno, err)
				case errno != syscall.EIO && !(errors.As(err, &known) && known.Code == model.CodeFull):
					t.Errorf("operation %d, %v: not said to be full: %v", at, errno, err)
				}
				if n := plansIn(dir); err != nil && code(err) != model.CodeUnknownOutcome && n != 1 {
					t.Errorf("operation %d, %v: it was refused, and %d plans are there", at, errno, n)
				}
				if r, err := l.Apply(ctx, e); err != nil || r.Revision != 2 {
					t.Errorf("operation %d, %v: its retry: %+v, %v", at, errno, r, err)
				}
			}
		}
	}
}

// plansIn counts the directories of ada's items.
func plansIn(dir string) int {
	found, err := os.ReadDir(filepath.Join(dir, "agents", "ada", "work-items"))
	must(err)
	return len(found)
}

// A crash during the creation of a home leaves no home, or one that works.
func TestACrashDuringCreationLeavesNoHomeOrAWholeOne(t *testing.T) {
	count := &Faults{}
	l, err := store.Create(filepath.Join(t.TempDir(), "home"), store.Options{Machine: count.Machine()})
	must(err)
	l.Close()
	for at := 1; at <= count.Count(); at++ {
		f := &Faults{At: at}
		dir := filepath.Join(t.TempDir(), "home")
		if l, err := store.Create(dir, store.Options{Machine: f.Machine()}); err == nil {
			l.Close()
		}
		l, err := store.Open(dir, store.Options{})
		if errors.Is(err, store.ErrNoHome) {
			l, err = store.Create(dir, store.Options{})
		}
		if err != nil {
			t.Errorf("operation %d of\n%s\n%v", at, f.Trace(), err)
			continue
		}
		if err := applied(l, objective(fmt.Sprint(at))); err != nil {
			t.Errorf("operation %d: %v", at, err)
		}
		l.Close()
	}
}
