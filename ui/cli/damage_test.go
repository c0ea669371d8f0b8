package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/lock"
	"vise/store/storetest"
)

// An answer names the damage that its read finds, with a way out and exit 5. The rest is shown, and changes of other
// things are made.
func TestDamageIsNamedWhereItIsRead(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	for _, c := range []struct {
		name  string
		table string // the table that loses a key
		part  string
		verb  []string
		says  string // in the warning
		shows string // what is shown of the rest
	}{
		{"a record of a list", "item/", "", []string{"list"}, "its record is missing", `"Done"`},
		{"a row of a list", "index/", "queued_runnable", []string{"list"}, "are counted as queued_runnable", `"Done"`},
		{"events", "journal/", "\x00\x00\x00\x02/", []string{"events"}, "of agent default are missing", "vise.v1.events"},
		{"a report's author", "brief/", "", []string{"list"}, "whose words", `"Done"`},
		{"an entry of the inbox", "inbox/", "", []string{"inbox"}, "1 entries of the inbox are counted (need:asks), and 0 are there", `"inbox"`},
		{"the same in status", "inbox/", "", []string{"status"}, `"code":"damaged"`, `"degraded"`},
		{"a hit of a search", "item/", "", []string{"search", "Done"}, "3 work items are counted (open), and 2 are there", `"Done"`},
		{"the same in status", "item/", "", []string{"status"}, `"code":"damaged"`, `"degraded"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := damagedHome(t, c.table, c.part)
			x := ask(t, home, c.verb...)
			if said := x.stdout + x.stderr; x.code != 5 || !strings.Contains(said, c.says) || !strings.Contains(said, "vise doctor") {
				t.Errorf("exit %d, %s", x.code, said)
			}
			if !strings.Contains(x.stdout, c.shows) {
				t.Errorf("the rest is not shown: %s", x.stdout)
			}
			mustAsk(t, home, "new", "Another", "--agent", "bob") // the rest works
		})
	}
}

// damagedHome returns a home with an open item and a completed one with a report. Its ledger has lost a key that holds
// a part of a table.
func damagedHome(t *testing.T, table, part string) string {
	t.Helper()
	home, _, done := newHome(t)
	report := filepath.Join(t.TempDir(), "report.txt")
	if err := os.WriteFile(report, []byte("it is done"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustAsk(t, home, "report", done, "--file", report, "--actor", "operator")
	mustAsk(t, home, "new", "Asks", "--plan-status", "needs_input")
	b := kv.OpenBolt(nil, filepath.Join(home, "ledger.db"), lock.On(nil, filepath.Join(home, "ledger.lock"), "test"))
	defer b.Close()
	err := b.Update(context.Background(), func(x store.Txn) error {
		var key []byte
		err := x.Scan(store.Prefix([]byte(table)), func(k, _ []byte) bool {
			if bytes.Contains(k, []byte(part)) && key == nil {
				key = bytes.Clone(k)
			}
			return key == nil
		})
		if err != nil {
			return err
		}
		return x.Delete(key)
	})
	if err != nil {
		t.Fatal(err)
	}
	return home
}

// The pages of a ledger can form a circle after a power cut on a disk that ignores syncs. No process crashes on it:
// every verb reports the damage and how to restore the ledger.
func TestAVerbOnPagesInACircleSaysDamaged(t *testing.T) {
	storetest.Slow(t)
	t.Parallel()
	home, open, done := newHome(t)
	for range 20 {
		mustAsk(t, home, "new", strings.Repeat("A long objective. ", 50))
	}
	listed := mustAsk(t, home, "list").stdout
	path := filepath.Join(home, "ledger.db")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if storetest.Circle(raw, func(int) int { return 0 }) == 0 {
		t.Fatal("no page has children")
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range append(reads(open, done), writes(t, open, done)...) {
		x := ask(t, home, args...)
		if x.code != 5 || x.Error == nil || x.Error.Code != model.CodeDamaged || !strings.Contains(x.Error.Hint, "vise restore") {
			t.Errorf("vise %q: exit %d, %s%.2000s", args, x.code, x.stdout, x.stderr)
		}
	}
	x := ask(t, home, "doctor")
	if x.code != 1 || !strings.Contains(x.stdout, `{"name":"ledger","ok":false`) || !strings.Contains(x.stdout, "is used twice") {
		t.Errorf("doctor: exit %d, %s%.2000s", x.code, x.stdout, x.stderr)
	}
	mustAsk(t, home, "restore", "--yes")
	mustAsk(t, home, "doctor")
	if now := mustAsk(t, home, "list").stdout; now != listed {
		t.Errorf("after the restore: %s", now)
	}
}
