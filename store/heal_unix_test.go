//go:build unix

package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/files"
)

// started is a machine after a start of its own.
func started(name string) *files.Machine {
	return &files.Machine{Start: func() string { return name }}
}

// frames are where the changes of a file of the copy begin, and its end.
func frames(raw []byte) (at []int) {
	for i := range raw {
		if bytes.HasPrefix(raw[i:], []byte("vjfr")) {
			at = append(at, i)
		}
	}
	return append(at, len(raw))
}

// What a power cut leaves of the copy of the history is filled from the ledger at the first
// open after it, wherever the hole is, so that a later loss of the ledger loses nothing.
func TestTheCopyIsFilledAtTheFirstOpenAfterAStart(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(raw []byte, at []int) []byte
	}{
		{"a hole in the middle", func(raw []byte, at []int) []byte {
			clear(raw[at[9] : at[14]+3])
			return raw
		}},
		{"a change torn in the middle", func(raw []byte, at []int) []byte {
			clear(raw[at[30]+200 : at[31]])
			return raw
		}},
		{"one bit", func(raw []byte, at []int) []byte { raw[at[20]+90] ^= 1; return raw }},
		{"its end gone", func(raw []byte, at []int) []byte { return raw[:at[25]] }},
		{"its end torn", func(raw []byte, at []int) []byte { return raw[:at[25]+100] }},
		{"its first line gone", func(raw []byte, _ []int) []byte { clear(raw[:20]); return raw }},
		{"all of it", func([]byte, []int) []byte { return nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, l := newHome(t)
			for i := range 60 {
				must(applied(l, objective(fmt.Sprint("k", i))))
			}
			live := filepath.Join(dir, "journal", "live.vj")
			raw, err := os.ReadFile(live)
			must(err)
			must(os.WriteFile(live, c.spoil(raw, frames(raw)), 0o600))
			again, err := store.Open(dir, store.Options{Machine: started("again")})
			must(err)
			defer again.Close()
			must(again.View(ctx, func(model.Reader) error { return nil }))
			if got := copied(t, dir, l); fmt.Sprint(got) != fmt.Sprint(upTo(60)) {
				t.Errorf("the copy has %v", got)
			}
			must(os.Remove(filepath.Join(dir, "ledger.db")))
			r, err := store.PlanRestore(ctx, dir, store.RestoreOptions{})
			if err != nil || r.Revision != 60 {
				t.Errorf("a restore reaches %+v, %v", r, err)
			}
			r.Discard()
		})
	}
}

// Closed files are compared and filled too, those missing and those damaged, and what was
// damaged is kept.
func TestClosedFilesOfTheCopyAreFilled(t *testing.T) {
	dir, l := newHome(t)
	for i := range 9 {
		must(applied(l, objective(fmt.Sprint("k", i))))
		if i%3 == 2 {
			must(store.CloseCopy(l))
		}
	}
	closed, err := filepath.Glob(filepath.Join(dir, "journal", "0*.vj"))
	if err != nil || len(closed) != 3 {
		t.Fatalf("there are %v, %v", closed, err)
	}
	must(os.Remove(closed[0]))
	raw, err := os.ReadFile(closed[1])
	must(err)
	raw[len(raw)/2] ^= 1
	must(os.WriteFile(closed[1], raw, 0o600))
	again, err := store.Open(dir, store.Options{})
	must(err)
	defer again.Close()
	if said := fmt.Sprint(again.Conditions(ctx)); !strings.Contains(said, "lacks revisions 1 to 3") {
		t.Errorf("nothing says that a file is gone: %s", said)
	}
	if h, err := again.CheckCopy(ctx); err != nil || len(h.Problems) == 0 {
		t.Errorf("got %+v, %v", h, err)
	}
	third, err := store.Open(dir, store.Options{Machine: started("again")})
	must(err)
	defer third.Close()
	if said := third.Conditions(ctx); len(said) > 0 {
		t.Errorf("after the next start: %v", said)
	}
	if h, err := third.CheckCopy(ctx); err != nil || len(h.Problems) > 0 || h.Changes != 9 {
		t.Errorf("after the next start: %+v, %v", h, err)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "aside", "journal-damaged*")); len(kept) != 1 {
		t.Errorf("kept are %v", kept)
	}
}

// Once a start, and no more: what an open does then does not grow with the history.
func TestTheCopyIsComparedOncePerStart(t *testing.T) {
	dir, l := newHome(t)
	for i := range 40 {
		must(applied(l, objective(fmt.Sprint("k", i))))
	}
	live := filepath.Join(dir, "journal", "live.vj")
	raw, err := os.ReadFile(live)
	must(err)
	at := frames(raw)
	clear(raw[at[9]:at[12]])
	must(os.WriteFile(live, raw, 0o600))
	same, err := store.Open(dir, store.Options{})
	must(err)
	defer same.Close()
	must(same.View(ctx, func(model.Reader) error { return nil }))
	if now, _ := os.ReadFile(live); !bytes.Equal(now, raw) {
		t.Error("it was compared again")
	}
	f := &Faults{}
	m := f.Machine()
	m.Start = func() string { return "again" }
	next, err := store.Open(dir, store.Options{Machine: m})
	must(err)
	defer next.Close()
	must(next.View(ctx, func(model.Reader) error { return nil }))
	if now, _ := os.ReadFile(live); bytes.Equal(now, raw) {
		t.Error("it was not compared")
	}
}
