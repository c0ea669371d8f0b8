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
	"time"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/recovery"
	"vise/store/storetest"
)

// lived returns a home with some history, and what a reader sees of it.
func lived(t *testing.T, seed uint64) (dir string, l *store.Ledger, truth string) {
	t.Helper()
	dir, l = newHome(t)
	x := NewLife(seed)
	x.Attach(l)
	x.Live(t, l, 25)
	truth, err := everything(dir)
	must(err)
	return dir, l, truth
}

// brokenHomes are the ways in which a home loses its ledger.
var brokenHomes = []struct {
	name  string
	spoil func(ledger string)
}{
	{"missing", func(path string) { must(os.Remove(path)) }},
	{"of no bytes", func(path string) { must(os.Truncate(path, 0)) }},
	{"cut short", func(path string) { must(os.Truncate(path, 9000)) }},
	{"cut in half", func(path string) { info, err := os.Stat(path); must(err); must(os.Truncate(path, info.Size()/2)) }},
	{"a directory", func(path string) { must(os.Remove(path)); must(os.Mkdir(path, 0o700)) }},
	{"a text file", func(path string) { must(os.WriteFile(path, bytes.Repeat([]byte("no ledger\n"), 9000), 0o600)) }},
	{"with its newest meta page damaged", func(path string) { spoilNewestMeta(path) }},
	{"with zeroed pages in the middle", func(path string) {
		raw, err := os.ReadFile(path)
		must(err)
		clear(raw[4*4096 : 9*4096])
		must(os.WriteFile(path, raw, 0o600))
	}},
	{"and its home.json is gone too", func(path string) {
		must(os.Remove(path))
		must(os.Remove(filepath.Join(filepath.Dir(path), "home.json")))
	}},
}

func spoilNewestMeta(path string) {
	raw, err := os.ReadFile(path)
	must(err)
	txid := func(page int) byte { return raw[page*4096+16+48] }
	newest := 0
	if int8(txid(1)-txid(0)) > 0 {
		newest = 1
	}
	raw[newest*4096+40] ^= 1
	must(os.WriteFile(path, raw, 0o600))
}

// Whatever happened to the ledger, a restore brings back all of it: with snapshots, from the newest one and the
// journal; without, from the journal alone. The old files are kept.
func TestARestoreBringsAllBack(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	for _, snapshots := range []int{0, 2} {
		for i, c := range brokenHomes {
			if testing.Short() && i%3 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d snapshots", c.name, snapshots), func(t *testing.T) {
				dir, l, _ := lived(t, 7)
				for range snapshots {
					if _, err := recovery.TakeSnapshot(ctx, l); err != nil {
						t.Fatal(err)
					}
					must(applied(l, objective(fmt.Sprint(time.Now().UnixNano()))))
				}
				truth, err := everything(dir)
				must(err)
				c.spoil(filepath.Join(dir, "ledger.db"))
				r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%+v", *r)
				if !r.Needed() || r.Lost.AtLeast != 0 {
					t.Errorf("it says %+v", r)
				}
				if fromSnapshot := strings.Contains(r.Source, "snapshot"); fromSnapshot != (snapshots > 0) {
					t.Errorf("it begins with %s", r.Source)
				}
				must(r.Apply(ctx, recovery.RestoreOptions{}))
				again, err := store.Open(dir, store.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer again.Close()
				healthy(t, again)
				if got, err := everything(dir); err != nil || got != truth {
					t.Errorf("what came back is not what was: %v", err)
				}
				if aside, _ := filepath.Glob(filepath.Join(dir, "aside", "ledger-*")); len(aside) != 1 && r.Aside != "" {
					t.Errorf("the present file is kept in %v", aside)
				}
				must(applied(again, objective("life goes on")))
				if err := applied(l, objective("for those who had it open too")); err != nil {
					t.Errorf("a process that had it open: %v", err)
				}
			})
		}
	}
}

// Without a journal and snapshots the older meta page is left. The plan says what that page does not have before
// anything is done.
func TestTheLastResortSaysWhatIsLost(t *testing.T) {
	dir, l, _ := lived(t, 8)
	before := healthy(t, l).Revision
	must(applied(l, objective("the last")))
	spoilNewestMeta(filepath.Join(dir, "ledger.db"))
	must(os.WriteFile(filepath.Join(dir, "journal", "live.vj"), []byte("gone"), 0o600))
	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Discard()
	if !strings.Contains(r.Source, "present ledger") || r.Revision != before {
		t.Errorf("got %+v", r)
	}
	must(r.Apply(ctx, recovery.RestoreOptions{}))
	again, err := store.Open(dir, store.Options{})
	must(err)
	defer again.Close()
	healthy(t, again)
}

// A restore that is interrupted anywhere can be repeated.
func TestARestoreCutShortIsDoneAgain(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	ops := 1
	for at := 0; at <= ops; at++ {
		dir, l, truth := lived(t, 9)
		l.Close()
		must(os.Truncate(filepath.Join(dir, "ledger.db"), 9000))
		f := &Faults{At: at}
		m := f.Machine()
		r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{Machine: m})
		if err == nil {
			err = r.Apply(ctx, recovery.RestoreOptions{Machine: m})
		}
		if at == 0 {
			must(err)
			ops = f.Count()
			t.Logf("%d operations", ops)
			continue
		}
		if at < ops-25 {
			at += 6 // making the draft takes longest, and changes nothing
		}
		r, err = recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{})
		if err != nil {
			t.Fatalf("operation %d: %v", at, err)
		}
		if r.Needed() {
			must(r.Apply(ctx, recovery.RestoreOptions{}))
		}
		r.Discard()
		if got, err := everything(dir); err != nil || got != truth {
			t.Errorf("operation %d of %s: %v", at, f.Trace(), err)
		}
	}
}

// Going back intentionally puts the later history aside, and the home goes on from there.
func TestARestoreToAnEarlierRevisionKeepsTheRestAside(t *testing.T) {
	dir, l, _ := lived(t, 10)
	last := healthy(t, l).Revision
	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{To: last - 5})
	if err != nil || r.Lost.AtLeast != 5 || *r.Lost.AtMost != 5 || r.Revision != last-5 {
		t.Fatalf("got %+v, %v", r, err)
	}
	must(r.Apply(ctx, recovery.RestoreOptions{}))
	again, err := store.Open(dir, store.Options{})
	must(err)
	defer again.Close()
	must(applied(again, objective("another way")))
	if h := healthy(t, again); h.Revision != last-4 {
		t.Errorf("at revision %d", h.Revision)
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "aside", "journal-*", "*.vj")); len(kept) == 0 {
		t.Error("the later history is gone")
	}
}

func TestSnapshotsAreHourlyAndThreeAreKept(t *testing.T) {
	dir, l := newHome(t)
	start := time.Now()
	for hour := range 6 {
		l.Now = func() time.Time { return start.Add(time.Duration(hour)*time.Hour + time.Minute) }
		must(applied(l, objective(fmt.Sprint(hour))))
		for range 2 { // the second is not due
			must(recovery.SnapshotIfDue(ctx, l))
		}
	}
	all, err := recovery.Snapshots(l.Home())
	if err != nil || len(all) != 3 || all[0].Revision != 6 || all[2].Revision != 4 {
		t.Errorf("got %+v, %v", all, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "snapshots", ".copying*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Of many processes that find that a snapshot is due, one takes it.
func TestASnapshotThatAnotherProcessTakesIsNotTaken(t *testing.T) {
	dir, l := newHome(t)
	later := time.Now().Add(2 * time.Hour)
	l.Now = func() time.Time { return later }
	lock, err := files.LockAtOnce(dir, "snapshot.lock")
	must(err)
	must(recovery.SnapshotIfDue(ctx, l))
	if all, err := recovery.Snapshots(l.Home()); err != nil || len(all) != 0 {
		t.Errorf("beside the other process: %+v, %v", all, err)
	}
	must(lock.Close())
	must(recovery.SnapshotIfDue(ctx, l))
	if all, err := recovery.Snapshots(l.Home()); err != nil || len(all) != 1 {
		t.Errorf("after it: %+v, %v", all, err)
	}
}

// A damaged ledger does not push out the snapshots of a sound one.
func TestADamagedLedgerIsNotTakenForASnapshot(t *testing.T) {
	dir, l, _ := lived(t, 11)
	if _, err := recovery.TakeSnapshot(ctx, l); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "ledger.db")
	raw, err := os.ReadFile(path)
	must(err)
	for at := 4 * 4096; at < len(raw); at += 4096 {
		raw[at+1000] ^= 0xff
	}
	must(os.WriteFile(path, raw, 0o600))
	if s, err := recovery.TakeSnapshot(ctx, l); err == nil {
		t.Errorf("it took %+v", s)
	}
	if all, _ := recovery.Snapshots(l.Home()); len(all) != 1 {
		t.Errorf("there are %+v", all)
	}
}

// On a full disk the reserve lets work be finished, and the ledger reports that.
func TestTheReserveIsGivenUpOnAFullDisk(t *testing.T) {
	freed := false
	f := &Faults{At: 1, Sticky: true, Err: syscall.ENOSPC, Only: func(op files.Op) bool {
		if op.Kind == files.Remove && strings.HasSuffix(op.Path, "reserve") {
			freed = true
		}
		return !freed && op.Kind == files.Write && strings.HasSuffix(op.Path, "ledger.db")
	}}
	dir, l := faultyHome(t, f)
	must(os.Remove(filepath.Join(dir, "reserve")))
	if err := applied(l, objective("no reserve yet")); !isCode(err, model.CodeFull) {
		t.Errorf("got %v", err)
	}
	freed = false
	must(os.WriteFile(filepath.Join(dir, "reserve"), make([]byte, 1<<20), 0o600))
	r, err := l.Apply(ctx, objective("in the reserve"))
	if err != nil || len(r.Warnings) != 1 || r.Warnings[0].Kind != model.WarnDiskFull {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := l.Apply(ctx, objective("in the reserve")); err != nil || !r.Replayed {
		t.Errorf("its retry: %+v, %v", r, err)
	}
}

func isCode(err error, code model.Code) bool {
	return errors.Is(err, &model.Error{Code: code})
}

// Compacting returns space and loses nothing, while others go on.
func TestCompactingUnderLoadLosesNothing(t *testing.T) {
	storetest.Slow(t)
	dir, l := newHome(t)
	other, err := store.Open(dir, store.Options{})
	must(err)
	defer other.Close()
	for i := range 20 {
		must(applied(l, grows(fmt.Sprint("fill", i))))
	}
	done := make(chan error)
	go func() {
		for i := range 60 {
			if err := applied(other, objective(fmt.Sprint("k", i))); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 8 {
		before, after, err := l.Compact(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if after.Free > 3*after.Bytes/4 { // bbolt doubles a small file while it is filled
			t.Errorf("%+v became %+v", before, after)
		}
	}
	must(<-done)
	if h := healthy(t, l); h.Revision != 80 {
		t.Errorf("at revision %d instead of 80", h.Revision)
	}
}

// A crash during a compaction leaves the old ledger or the new one, with all its content.
func TestACrashWhileCompactingLosesNothing(t *testing.T) {
	t.Parallel()
	for at := 1; ; at += 2 {
		f := &Faults{At: at}
		dir, l := faultyHome(t, f)
		_, _, err := l.Compact(ctx)
		next, openErr := store.Open(dir, store.Options{})
		must(openErr)
		if h := healthy(t, next); h.Revision != 1 {
			t.Errorf("operation %d: revision %d", at, h.Revision)
		}
		if _, _, err := next.Compact(ctx); err != nil {
			t.Errorf("operation %d: again: %v", at, err)
		}
		next.Close()
		if err == nil {
			break
		}
	}
}
