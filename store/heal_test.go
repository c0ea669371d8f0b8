package store_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/recovery"
	"vise/store/storetest"
)

// started is a machine with its own start.
func started(name string) *files.Machine {
	return &files.Machine{Start: func() string { return name }}
}

// frames returns where the changes in a file of the copy begin, and its end.
func frames(raw []byte) (at []int) {
	for i := range raw {
		if bytes.HasPrefix(raw[i:], []byte("vjfr")) {
			at = append(at, i)
		}
	}
	return append(at, len(raw))
}

// The first open after a power cut fills the copy of the history from the ledger, wherever a part is missing, so that a
// later loss of the ledger loses nothing.
func TestTheCopyIsFilledAtTheFirstOpenAfterAStart(t *testing.T) {
	storetest.Slow(t)
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
			r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{})
			if err != nil || r.Revision != 60 {
				t.Errorf("a restore reaches %+v, %v", r, err)
			}
			r.Discard()
		})
	}
}

// Closed files are compared and filled too, the missing and the damaged ones, and the damaged content is kept.
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

// That happens once after each start of the machine: the work of a later open does not grow with the history.
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

// A process that runs for a minute syncs the copy to the disk, and takes the snapshot that is due.
func TestAMinuteOfAProcessKeepsWhatRecoveryNeeds(t *testing.T) {
	dir, l := newHome(t)
	must(applied(l, objective("k")))
	synctest.Test(t, func(t *testing.T) {
		m, asked := watched()
		l, err := store.Open(dir, store.Options{Machine: m})
		must(err)
		defer l.Close()
		ctx, stop := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer stop()
		go l.Maintain(ctx, recovery.SnapshotHourly)
		<-time.After(59 * time.Second)
		synced := func() (n int) {
			for _, op := range asked() {
				if op.Kind == files.Sync && strings.HasSuffix(op.Path, "live.vj") {
					n++
				}
			}
			return n
		}
		if n := synced(); n != 0 {
			t.Errorf("the copy was synced %d times within a minute", n)
		}
		<-time.After(2 * time.Second)
		synctest.Wait()
		if all, err := recovery.Snapshots(l.Home()); synced() != 1 || err != nil || len(all) != 1 {
			t.Errorf("after a minute: %d syncs, snapshots %v %v", synced(), all, err)
		}
	})
}

// In a larger home, the first process that runs for a minute compares the closed files.
func TestClosedFilesOfALargeLedgerAreFilledAfterAMinute(t *testing.T) {
	storetest.Slow(t)
	dir, l := newHome(t)
	storetest.Fill(t, l, "ada", 3000)
	if info, err := os.Stat(filepath.Join(dir, "ledger.db")); err != nil || info.Size() <= 4<<20 {
		t.Fatalf("the ledger is not large: %v %v", info.Size(), err)
	}
	must(store.CloseCopy(l))
	must(applied(l, objective("last")))
	closed, err := filepath.Glob(filepath.Join(dir, "journal", "0*.vj"))
	if err != nil || len(closed) != 1 {
		t.Fatalf("there are %v, %v", closed, err)
	}
	raw, err := os.ReadFile(closed[0])
	must(err)
	raw[len(raw)/2] ^= 1
	must(os.WriteFile(closed[0], raw, 0o600))
	synctest.Test(t, func(t *testing.T) {
		l, err := store.Open(dir, store.Options{Machine: started("again")})
		must(err)
		defer l.Close()
		must(l.View(ctx, func(model.Reader) error { return nil }))
		if h, err := l.CheckCopy(ctx); err != nil || len(h.Problems) == 0 {
			t.Errorf("the opening compared it: %+v, %v", h, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer stop()
		go l.Maintain(ctx, recovery.SnapshotHourly)
		<-time.After(time.Minute + time.Second)
		synctest.Wait()
		if h, err := l.CheckCopy(ctx); err != nil || len(h.Problems) > 0 {
			t.Errorf("after a minute: %+v, %v", h, err)
		}
	})
}

// After a failed sync, data may be lost: the next open compares the copy again.
func TestASyncThatFailsHasTheCopyComparedAgain(t *testing.T) {
	storetest.Slow(t)
	dir, l := newHome(t)
	for i := range 20 {
		must(applied(l, objective(fmt.Sprint("k", i))))
	}
	f := &Faults{At: 1, Err: syscall.EIO, Only: func(op files.Op) bool { return op.Kind == files.Sync && strings.HasSuffix(op.Path, "live.vj") }}
	failing, err := store.Open(dir, store.Options{Machine: f.Machine()})
	must(err)
	for i := 20; f.Count() == 0; i++ { // home.json bounds 256 at a time
		must(applied(failing, objective(fmt.Sprint("k", i))))
	}
	must(failing.Close())
	live := filepath.Join(dir, "journal", "live.vj")
	raw, err := os.ReadFile(live)
	must(err)
	at := frames(raw)
	clear(raw[at[9]:at[12]])
	must(os.WriteFile(live, raw, 0o600))
	next, err := store.Open(dir, store.Options{})
	must(err)
	defer next.Close()
	must(next.View(ctx, func(model.Reader) error { return nil }))
	if h, err := next.CheckCopy(ctx); err != nil || len(h.Problems) > 0 {
		t.Errorf("it was not filled: %+v, %v", h, err)
	}
}
