package cli

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/lock"
	"vise/store/storetest"
)

// refuses expects an error of one of the codes, with a way out, and an unchanged home.
func refuses(t *testing.T, home string, args []string, codes ...model.Code) {
	t.Helper()
	before := digest(home)
	x := ask(t, home, args...)
	if x.Error == nil || !slices.Contains(codes, x.Error.Code) || x.code != exitOf(x.Error) || x.Error.Hint == "" {
		t.Errorf("vise %q: exit %d, %s%s, want one of %v", args, x.code, x.stdout, x.stderr, codes)
	}
	if after := digest(home); !slices.Equal(before, after) {
		t.Errorf("vise %q changed the home:\n%s", args, strings.Join(after, "\n"))
	}
}

func TestEveryVerbSaysWhoHoldsTheLedger(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home, open, done := newHome(t)
	held := lock.On(nil, filepath.Join(home, "ledger.lock"), "somebody else")
	if err := held.Acquire(context.Background()); err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	before := digest(home)
	var all sync.WaitGroup
	for _, args := range append(reads(open, done), writes(t, open, done)...) {
		all.Go(func() {
			x := ask(t, home, args...)
			pid := fmt.Sprintf("pid %d (somebody else)", os.Getpid())
			if x.code != 75 || x.Error == nil || x.Error.Code != model.CodeBusy || !strings.Contains(x.Error.Message, pid) || x.Error.Hint == "" {
				t.Errorf("vise %q: exit %d, %s%s", args, x.code, x.stdout, x.stderr)
			}
		})
	}
	all.Wait()
	held.Release()
	if after := digest(home); !slices.Equal(before, after) {
		t.Error("the home changed")
	}
	mustAsk(t, home, "pick", open)
}

// A ledger of a newer vise is read as far as possible, and never written.
func TestALedgerFromTheFutureIsOnlyRead(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home, open, done := newHome(t)
	b := kv.OpenBolt(nil, filepath.Join(home, "ledger.db"), lock.On(nil, filepath.Join(home, "ledger.lock"), "test"))
	key, schema := []byte("about/schema"), []byte("99")
	table := crc32.MakeTable(crc32.Castagnoli)
	value := binary.BigEndian.AppendUint32(schema, crc32.Update(crc32.Checksum(key, table), table, schema))
	err := b.Update(context.Background(), func(x store.Txn) error {
		if was, err := x.Get(key); err != nil || was == nil {
			t.Fatalf("the ledger keeps its schema elsewhere: %v", err)
		}
		return x.Put(key, value)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range reads(open, done) {
		if x := ask(t, home, args...); x.code != 0 {
			t.Errorf("vise %q: exit %d, %s", args, x.code, x.stdout)
		}
	}
	for _, args := range writes(t, open, done) {
		refuses(t, home, args, model.CodeNewer)
	}
}

func TestADamagedLedgerIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(path string) error{
		"truncated to a half":    func(path string) error { return os.Truncate(path, 20<<10) },
		"truncated to a page":    func(path string) error { return os.Truncate(path, 4<<10) },
		"empty":                  func(path string) error { return os.Truncate(path, 0) },
		"missing":                os.Remove,
		"something else":         func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 64<<10)), 0o600) },
		"a directory":            func(path string) error { return os.Rename(path, path+".was") },
		"an older ledger's home": func(path string) error { return os.Remove(filepath.Join(filepath.Dir(path), "home.json")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, open, done := newHome(t)
			if err := harm(filepath.Join(home, "ledger.db")); err != nil {
				t.Fatal(err)
			}
			if name == "a directory" {
				if err := os.Mkdir(filepath.Join(home, "ledger.db"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			for _, args := range append(reads(open, done), writes(t, open, done)...) {
				refuses(t, home, args, model.CodeDamaged, model.CodeRefused)
			}
			if x := run(t, program(t, home, "doctor")); x.code != 1 || !strings.Contains(x.stdout, "PROBLEM") {
				t.Errorf("doctor: exit %d\n%s%s", x.code, x.stdout, x.stderr)
			}
		})
	}
}
