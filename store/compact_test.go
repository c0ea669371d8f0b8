package store_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/recovery"
	"vise/store/storetest"
)

// during is a ledger. At each write to the draft of its compaction another process makes a change in a ledger of its
// own.
func during(t *testing.T, f *Faults) (dir string, l *store.Ledger, made *[]string) {
	dir, first := newHome(t)
	for i := range 12 {
		must(applied(first, grows(fmt.Sprint("fill", i))))
	}
	other, err := store.Open(dir, store.Options{})
	must(err)
	t.Cleanup(func() { other.Close() })
	made = new([]string)
	f.Each = func(n int, op files.Op) {
		if op.Kind != files.Write || !strings.HasSuffix(op.Path, ".compact") || len(*made) >= 40 || locked(first) {
			return
		}
		key := fmt.Sprint("meanwhile", len(*made))
		must(applied(other, objective(key)))
		*made = append(*made, key)
	}
	l, err = store.Open(dir, store.Options{Machine: f.Machine()})
	must(err)
	t.Cleanup(func() { l.Close() })
	return dir, l, made
}

// locked reports whether somebody holds the ledger's lock.
func locked(l *store.Ledger) bool { return store.Held(l) }

// A writer does not wait for a compaction that copies, and its change is not lost.
func TestChangesDuringACompactionAreInTheNewFile(t *testing.T) {
	f := &Faults{}
	dir, l, made := during(t, f)
	before, after, err := l.Compact(ctx)
	if err != nil || after.Free > before.Bytes/2 {
		t.Errorf("%+v became %+v, %v", before, after, err)
	}
	if len(*made) < 3 {
		t.Fatalf("only %d changes were made meanwhile:\n%s", len(*made), f.Trace())
	}
	kept(t, dir, *made)
	left(t, dir)
}

// kept expects that each key is known, in a sound ledger.
func kept(t *testing.T, dir string, keys []string) {
	t.Helper()
	l, err := store.Open(dir, store.Options{})
	must(err)
	defer l.Close()
	for _, key := range keys {
		if r, err := l.Apply(ctx, objective(key)); err != nil || !r.Replayed {
			t.Errorf("%s: replayed %v, %v", key, r.Replayed, err)
		}
	}
	healthy(t, l)
}

// left expects that a compaction left nothing behind.
func left(t *testing.T, dir string) {
	t.Helper()
	if found, _ := filepath.Glob(filepath.Join(dir, "ledger.db.*")); len(found) > 0 {
		t.Errorf("left behind: %q", found)
	}
}

// A compaction is stopped at each of its operations: what was acknowledged meanwhile is saved, and the next compaction
// succeeds.
func TestACompactionThatDiesCostsNothing(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	for at := 1; ; at += storetest.Amount(5, 1) {
		f := &Faults{At: at}
		dir, l, made := during(t, f)
		_, _, err := l.Compact(ctx)
		kept(t, dir, *made)
		next, openErr := store.Open(dir, store.Options{})
		must(openErr)
		if _, _, err := next.Compact(ctx); err != nil {
			t.Errorf("after operation %d: %v", at, err)
		}
		must(next.Close())
		kept(t, dir, *made)
		left(t, dir)
		if err == nil {
			t.Logf("%d operations", at)
			return
		}
	}
}

// Of two compactions at the same time the later one goes on, and the earlier one reports the other.
func TestCompactionsAtTheSameTimeLoseNothing(t *testing.T) {
	dir, l := newHome(t)
	var keys []string
	for i := range 12 {
		must(applied(l, grows(fmt.Sprint("fill", i))))
	}
	var all sync.WaitGroup
	for range 3 {
		mine, err := store.Open(dir, store.Options{})
		must(err)
		defer mine.Close()
		all.Go(func() {
			for range 5 {
				if _, _, err := mine.Compact(ctx); err != nil && !isCode(err, model.CodeBusy) {
					t.Error(err)
				}
			}
		})
	}
	for i := range 30 {
		keys = append(keys, fmt.Sprint("k", i))
		must(applied(l, objective(keys[i])))
	}
	all.Wait()
	kept(t, dir, keys)
}

// A compaction whose draft is removed by another one, and whose file number the other's draft then gets, writes nothing
// to that draft.
func TestACompactionKnowsItsDraftFromAnothers(t *testing.T) {
	dir, l := newHome(t)
	for i := range 24 {
		must(applied(l, grows(fmt.Sprint("fill", i))))
	}
	// A draft is opened to be made, for each of its parts, and to be completed.
	opens := func(at int, then func()) *store.Ledger {
		n := 0
		f := &Faults{Each: func(_ int, op files.Op) {
			if op.Kind == files.Open && strings.HasSuffix(op.Path, ".compact") {
				if n++; n == at {
					then()
				}
			}
		}}
		l, err := store.Open(dir, store.Options{Machine: f.Machine()})
		must(err)
		t.Cleanup(func() { l.Close() })
		return l
	}
	begun, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	second := opens(2, func() { close(begun); <-goOn })
	first := opens(3, func() {
		go func() {
			_, _, err := second.Compact(ctx)
			done <- err
		}()
		<-begun
	})
	if _, _, err := first.Compact(ctx); !isCode(err, model.CodeBusy) {
		t.Errorf("the first compaction: %v", err)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Errorf("the second compaction: %v", err)
	}
	kept(t, dir, nil)
	left(t, dir)
}

// Writers who leave no time to copy a ledger between two of their changes do not damage its copy.
func TestABackupBesideWritersIsWhole(t *testing.T) {
	f := &Faults{}
	_, l, made := during(t, f)
	each := f.Each
	f.Each = func(n int, op files.Op) {
		if op.Kind == files.Write && strings.Contains(op.Path, ".copying-") {
			op.Path += ".compact" // a change at each write to the copy
		}
		each(n, op)
	}
	s, err := recovery.Backup(ctx, l, filepath.Join(t.TempDir(), "copy.db"))
	if err != nil || len(*made) < 5 {
		t.Fatalf("%+v, %v; %d changes meanwhile", s, err, len(*made))
	}
	if s.Revision < 12+5 {
		t.Errorf("the copy is of revision %d: what happened during the tries is not in it", s.Revision)
	}
}
