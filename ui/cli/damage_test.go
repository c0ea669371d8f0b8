package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/store"
	"vise/store/lock"
)

// What a read finds damaged is said in its answer, with the way out and exit 5; the rest is
// shown, and what else is changed is done.
func TestDamageIsNamedWhereItIsRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		table string // of which a key that holds part is lost
		part  string
		verb  []string
		says  string // in the warning
		shows string // of the rest
	}{
		{"a record of a list", "item/", "", []string{"list"}, "its record is missing", `"Done"`},
		{"a row of a list", "index/", "queued_runnable", []string{"list"}, "are counted as queued_runnable", `"Done"`},
		{"events", "journal/", "\x00\x00\x00\x02\x00\x00\x00\x01", []string{"events"}, "events are missing between", "vise.v1.events"},
		{"a report's author", "brief/", "", []string{"list"}, "whose words", `"Done"`},
		{"the same in status", "item/", "", []string{"status"}, `"code":"damaged"`, `"degraded"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			home, _, done := newHome(t)
			report := filepath.Join(t.TempDir(), "report.txt")
			if err := os.WriteFile(report, []byte("it is done"), 0o600); err != nil {
				t.Fatal(err)
			}
			mustAsk(t, home, "report", done, "--file", report, "--actor", "operator")
			b := store.OpenBolt(filepath.Join(home, "ledger.db"), lock.On(nil, filepath.Join(home, "ledger.lock"), "test"))
			err := b.Update(context.Background(), func(x store.Txn) error {
				var key []byte
				err := x.Scan(store.Prefix([]byte(c.table)), func(k, _ []byte) bool {
					if bytes.Contains(k, []byte(c.part)) && key == nil {
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
