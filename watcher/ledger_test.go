package watcher

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"vise/store/files"
	"vise/store/storetest"
)

func commit(t testing.TB, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("b"))
		must(t, err)
		return b.Put([]byte("k"), []byte("v"))
	}))
	must(t, db.Close())
}

func TestEveryCommitMovesTheLedger(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	ledger := d.home.Dir() + "/ledger.db"
	for range 20 {
		before := d.ledger
		commit(t, ledger)
		d.until(func() bool { return d.ledger > before })
		<-time.After(2 * frame) // the frames of this commit are over
		d.passFence()
	}
}

func TestReadingTheLedgerDoesNotMoveIt(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	d := newFixture(t)
	ledger := d.home.Dir() + "/ledger.db"
	commit(t, ledger)
	d.until(func() bool { return d.ledger > 0 })
	d.settle()
	before := d.ledger
	for range 20 {
		db, err := bbolt.Open(ledger, 0o600, &bbolt.Options{ReadOnly: true})
		must(t, err)
		must(t, db.View(func(tx *bbolt.Tx) error { return nil }))
		must(t, db.Close())
		must(t, os.WriteFile(d.home.Dir()+"/ledger.lock", []byte("holder"), 0o600))
	}
	d.settle()
	if d.ledger != before {
		t.Errorf("notified %d times of a ledger that was read", d.ledger-before)
	}
}

// If size and times are the same, the transaction number shows the change.
func TestAMarkTellsCommitsApart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	commit(t, path)
	seen := map[uint64]bool{markOf(path): true}
	for range 5 {
		if again := markOf(path); !seen[again] {
			t.Error("two looks at one state differ")
		}
		commit(t, path)
		if seen[markOf(path)] {
			t.Error("a commit left the mark as it was")
		}
		seen[markOf(path)] = true
	}
}

// What is no ledger has no mark, and whatever takes its place is looked at like any other.
func TestWhatIsNoLedgerHasNoMark(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"an empty file", func() error { return os.WriteFile(path, nil, 0o600) }},
		{"a short file", func() error { return os.WriteFile(path, []byte("short"), 0o600) }},
		{"a page size beyond all measure", func() error { return os.WriteFile(path, bytes.Repeat([]byte{0xff}, 100), 0o600) }},
		{"a directory", func() error { must(t, os.Remove(path)); return os.Mkdir(path, 0o700) }},
	} {
		must(t, c.do())
		if m := markOf(path); m != 0 {
			t.Errorf("%s has the mark %d", c.name, m)
		}
	}
	must(t, os.Remove(path))
	commit(t, path)
	if markOf(path) == 0 {
		t.Error("a ledger has no mark")
	}
}

func TestALedgerThatIsReplacedHasMoved(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	d := newFixture(t)
	ledger := d.home.Dir() + "/ledger.db"
	commit(t, ledger)
	d.until(func() bool { return d.ledger > 0 })
	d.settle()
	before := d.ledger
	commit(t, ledger+".restored")
	must(t, os.Rename(ledger+".restored", ledger))
	d.until(func() bool { return d.ledger > before })
	d.settle()
	before = d.ledger
	commit(t, ledger)
	d.until(func() bool { return d.ledger > before })
}

// A mapped write to the ledger gives no event, nor does any write where events do not work.
func TestALedgerThatMovedWithoutAnEventIsFound(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home, err := files.NewHome(t.TempDir())
	must(t, err)
	ledger := home.Dir() + "/ledger.db"
	commit(t, ledger)
	none := func() (source, error) { return nil, os.ErrInvalid }
	w := start(context.Background(), Config{Home: home, Ledger: ledger}, homeDisk{home}, none)
	defer w.Close()
	d := &fixture{T: t, home: home, watcher: w}
	began := time.Now()
	commit(t, ledger)
	d.until(func() bool { return d.ledger > 0 })
	if took := time.Since(began); took > pollEvery+time.Second {
		t.Errorf("found after %s", took)
	}
	if !w.Mode().Polling() {
		t.Errorf("mode is %q, want that it polls", w.Mode())
	}
}
