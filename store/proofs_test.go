package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/files"
	"vise/store/kv"
	"vise/store/lock"
	"vise/store/recovery"
	"vise/store/storetest"
)

// alter changes the value at the n-th key with this beginning whose value contains from, and sets the right checksum.
func alter(b store.Backend, beginning string, n int, from, to string) {
	must(b.Update(ctx, func(x store.Txn) error {
		var key, value []byte
		must(x.Scan(store.Prefix([]byte(beginning)), func(k, v []byte) bool {
			if bytes.Contains(v, []byte(from)) {
				if n--; n == 0 {
					key, value = bytes.Clone(k), bytes.Clone(v[:len(v)-4])
				}
			}
			return n > 0
		}))
		if key == nil {
			return errors.New("nothing below " + beginning + " holds " + from)
		}
		value = bytes.Replace(value, []byte(from), []byte(to), 1)
		table := crc32.MakeTable(crc32.Castagnoli)
		return x.Put(key, binary.BigEndian.AppendUint32(value, crc32.Update(crc32.Checksum(key, table), table, value)))
	}))
}

// onFile returns the backend on a ledger's file that nobody uses.
func onFile(t *testing.T, path string) store.Backend {
	b := kv.OpenBolt(nil, path, lock.On(nil, filepath.Join(t.TempDir(), "lock"), "test"))
	t.Cleanup(func() { b.Close() })
	return b
}

// reported returns a home with an item whose report has a record of its own.
func reported(t *testing.T) (dir string, l *store.Ledger) {
	dir, l = newHome(t)
	id := create(t, l, "ada", "k1")
	create(t, l, "ada", "k2")
	apply(t, l, asAgent("ada", "k3", model.PickWorkItem{WorkItemID: id}))
	apply(t, l, asAgent("ada", "k4", model.Round{Text: "it is done", Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: id}}}}))
	create(t, l, "ada", "k5")
	create(t, l, "ada", "k6")
	return dir, l
}

// Each proof of a check works alone: it finds what was changed and has a right checksum.
func TestACheckFindsWhatAChecksumDoesNot(t *testing.T) {
	for _, c := range []struct {
		name, table string
		n           int
		from, to    string
	}{
		{"a change of the history", "journal/", 1, `"key":"k2"`, `"key":"kX"`},
		{"an event of the history", "journal/", 3, `"kind":"work_item_written"`, `"kind":"work_item_wrixxen"`},
		{"a record that nothing derives from", "brief/", 1, "it is done", "it is gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, l := reported(t)
			healthy(t, l)
			alter(onFile(t, filepath.Join(dir, "ledger.db")), c.table, c.n, c.from, c.to)
			if h, err := l.Check(ctx); err != nil || h.Healthy() {
				t.Errorf("the check finds %+v, %v", h, err)
			}
		})
	}
}

// A lock file that is replaced during a change locks nobody out any more: the change is made again with the new one.
// (The database's own lock on the file still separates two writers.)
func TestAChangeWhoseLockFileWasReplacedIsMadeAgain(t *testing.T) {
	dir, l := newHome(t)
	must(applied(l, objective("before")))
	tries := 0
	e := asAgent("ada", "k", model.CreateWorkItem{Objective: "x"})
	in, err := l.ApplyThen(ctx, e, func(model.Reader, model.Receipt) {
		if tries++; tries == 1 {
			path := filepath.Join(dir, "ledger.lock")
			must(os.Remove(path))
			must(os.WriteFile(path, nil, 0o600))
		}
	})
	if err != nil || tries != 2 || in.Revision != 2 {
		t.Errorf("%d tries, %+v, %v", tries, in, err)
	}
}

// A restore uses nothing of another home.
func TestAnotherHomesBackupIsNotRestored(t *testing.T) {
	dir, _ := reported(t)
	other, l := reported(t)
	l.Close()
	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: filepath.Join(other, "ledger.db")})
	if err == nil {
		r.Discard()
		t.Errorf("it would restore %+v", r)
	}
}

// A restore skips a snapshot that differs from its own history, whatever its checksums say.
func TestASnapshotIsProvenBeforeItIsUsed(t *testing.T) {
	dir, l := reported(t)
	s, err := recovery.TakeSnapshot(ctx, l)
	must(err)
	truth, err := everything(dir)
	must(err)
	must(l.Close())
	alter(onFile(t, s.Path), "brief/", 1, "it is done", "it is gone")
	must(os.Remove(filepath.Join(dir, "ledger.db")))
	r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{})
	must(err)
	if strings.Contains(r.Source, "snapshot") || len(r.Passed) == 0 {
		t.Errorf("it begins with %s, and passes over %v", r.Source, r.Passed)
	}
	must(r.Apply(ctx, recovery.RestoreOptions{}))
	if got, err := everything(dir); err != nil || got != truth {
		t.Errorf("what came back is not what was: %v", err)
	}
}

// A restore makes the following changes again, byte for byte and without a gap, and stops before the rest.
func TestARestoreStopsWhereTheHistoryDoesNotFollow(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(revision uint64, values [][]byte) [][]byte
	}{
		{"a gap", func(revision uint64, values [][]byte) [][]byte {
			if revision == 4 {
				return nil
			}
			return values
		}},
		{"an event that does not follow", func(revision uint64, values [][]byte) [][]byte {
			if revision == 4 {
				at := bytes.Index(values[0], []byte(`"prev":"`)) + len(`"prev":"`)
				copy(values[0][at:], "0000")
			}
			return values
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, l := reported(t)
			must(l.Close())
			store.RewriteCopy(dir, c.change)
			must(os.Remove(filepath.Join(dir, "ledger.db")))
			r, err := recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{})
			must(err)
			defer r.Discard()
			if r.Revision != 3 {
				t.Errorf("it reaches revision %d: %+v", r.Revision, r)
			}
		})
	}
}

// watched is a machine that records its operations.
func watched() (m *files.Machine, asked func() []files.Op) {
	var mu sync.Mutex
	var ops []files.Op
	f := &Faults{Each: func(_ int, op files.Op) {
		mu.Lock()
		defer mu.Unlock()
		ops = append(ops, op)
	}}
	return f.Machine(), func() []files.Op {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(ops)
	}
}

// A ledger's name is on the disk before anybody is told that the ledger exists.
func TestANewLedgersDirectoryIsSynced(t *testing.T) {
	dir := filepath.Join(storetest.MemoryDir(t), "home")
	m, asked := watched()
	l, err := store.Create(dir, store.Options{Machine: m})
	must(err)
	defer l.Close()
	ops := asked()
	named := slices.IndexFunc(ops, func(op files.Op) bool { return op.Kind == files.Rename && strings.HasSuffix(op.To, "ledger.db") })
	if named < 0 || !slices.ContainsFunc(ops[named:], func(op files.Op) bool { return op.Kind == files.SyncDir && op.Path == dir }) {
		t.Errorf("the directory is not synced after operation %d of %d", named, len(ops))
	}
}

// When home.json gets a new bound of the revision, the history's copy is synced up to there.
func TestTheCopyIsOnTheDiskAsFarAsTheHomeSays(t *testing.T) {
	storetest.Slow(t)
	m, asked := watched()
	dir := filepath.Join(storetest.MemoryDir(t), "home")
	l, err := store.Create(dir, store.Options{Machine: m})
	must(err)
	defer l.Close()
	for n := range 257 { // home.json promises 256 at a time
		must(applied(l, objective(fmt.Sprint("change ", n))))
	}
	if _, err := os.Stat(filepath.Join(dir, "journal", "live.vj")); errors.Is(err, fs.ErrNotExist) {
		t.Fatal("there is no copy")
	}
	if !slices.ContainsFunc(asked(), func(op files.Op) bool { return op.Kind == files.Sync && strings.HasSuffix(op.Path, "live.vj") }) {
		t.Error("the copy is not synced")
	}
}
