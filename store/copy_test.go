package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/storetest"
)

// copied returns the revisions in the copy of a home's history.
func copied(t *testing.T, dir string, l *store.Ledger) []uint64 {
	t.Helper()
	out, damaged, err := store.CopiedRevisions(dir, l.Home().ID)
	if err != nil || len(damaged) > 0 {
		t.Errorf("the copy reads as damaged: %v, %v", damaged, err)
	}
	return out
}

func upTo(n uint64) []uint64 {
	var out []uint64
	for i := range n {
		out = append(out, i+1)
	}
	return out
}

func TestTheCopyHasEveryChangeInOrder(t *testing.T) {
	dir, l := newHome(t)
	x := NewLife(storetest.Seed(t))
	x.Attach(l)
	x.Live(t, l, 200)
	h := healthy(t, l)
	if got := copied(t, dir, l); fmt.Sprint(got) != fmt.Sprint(upTo(h.Revision)) {
		t.Errorf("got %v, want 1 to %d", got, h.Revision)
	}
}

// Wherever the copy is cut off, the next change completes it, and nothing is missing.
func TestATornCopyIsMendedByTheNextChange(t *testing.T) {
	dir, l := newHome(t)
	for _, key := range []string{"a", "b", "c"} {
		must(applied(l, objective(key)))
	}
	live := filepath.Join(dir, "journal", "live.vj")
	whole, err := os.ReadFile(live)
	must(err)
	revision := uint64(3)
	for cut := 0; cut <= len(whole); cut += 61 {
		for _, junk := range []int{0, 7} {
			must(os.WriteFile(live, append(bytes.Clone(whole[:cut]), make([]byte, junk)...), 0o600))
			must(applied(l, objective(fmt.Sprint("k", cut, junk))))
			revision++
			if got := copied(t, dir, l); fmt.Sprint(got) != fmt.Sprint(upTo(revision)) {
				t.Fatalf("cut at %d of %d, %d bytes of junk: got %v, want 1 to %d", cut, len(whole), junk, got, revision)
			}
		}
	}
	must(os.Remove(live))
	must(applied(l, objective("gone")))
	if got := copied(t, dir, l); fmt.Sprint(got) != fmt.Sprint(upTo(revision+1)) {
		t.Errorf("removed: got %v", got)
	}
}

// No command fails because the copy fails, and the failure is reported.
func TestACopyThatCannotBeWrittenFailsNoCommand(t *testing.T) {
	f := &Faults{At: 1, Sticky: true, Err: syscall.ENOSPC, Only: func(op files.Op) bool {
		return strings.HasSuffix(op.Path, "live.vj") && op.Kind == files.Write
	}}
	dir, l := faultyHome(t, f)
	if err := applied(l, objective("second")); err != nil {
		t.Errorf("got %v", err)
	}
	if !errors.Is(l.Lag(), syscall.ENOSPC) {
		t.Errorf("nothing says so: %v", l.Lag())
	}
	f.At = 0
	if err := applied(l, objective("third")); err != nil || l.Lag() != nil {
		t.Errorf("with space again: %v, %v", err, l.Lag())
	}
	if got := copied(t, dir, l); fmt.Sprint(got) != fmt.Sprint(upTo(3)) {
		t.Errorf("got %v", got)
	}
}

// A ledger whose newest meta page is damaged reads as it was one change before. The copy has that change, so the loss
// is noticed.
func TestADamagedNewestMetaPageIsNotTakenForAnOlderTruth(t *testing.T) {
	dir, l := newHome(t)
	for _, key := range []string{"a", "b", "c"} {
		must(applied(l, objective(key)))
	}
	path := filepath.Join(dir, "ledger.db")
	raw, err := os.ReadFile(path)
	must(err)
	damagedPages := 0
	for page := range 2 {
		spoilt := bytes.Clone(raw)
		spoilt[page*4096+40] ^= 1
		must(os.WriteFile(path, spoilt, 0o600))
		again, err := store.Open(dir, store.Options{})
		must(err)
		err = again.View(ctx, func(model.Reader) error { return nil })
		if errors.Is(err, &model.Error{Code: model.CodeDamaged}) {
			damagedPages++
			for _, l := range []*store.Ledger{again, l} {
				if err := applied(l, objective("d")); err == nil {
					t.Error("it was written to")
				}
			}
		} else if err != nil {
			t.Errorf("got %v", err)
		}
		again.Close()
	}
	if damagedPages != 1 {
		t.Errorf("%d of 2 meta pages are missed", damagedPages)
	}
}
