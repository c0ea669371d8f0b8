package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/store/storetest"
)

// What vise imported moves to a cluster, which takes 1 MiB at once, and back.
func TestAnImportedLedgerMovesToAClusterAndBack(t *testing.T) {
	m, at := newFleetHome(t, fleetPrograms(t)), address(storetest.StartEtcd(t, 1), "team")
	var lines strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&lines, `{"id":"work_%d","agent_id":"ann","state":"completed","plan_status":"ready","revision":1,"objective":"Split part %d",`+
			`"result_summary":"It is split.","x":%q}`+"\n", i, i, strings.Repeat("kept as it is ", 20))
	}
	ledger := filepath.Join(t.TempDir(), ".holon", "ledger")
	must(t, os.MkdirAll(ledger, 0o755))
	must(t, os.WriteFile(filepath.Join(ledger, "work_items.jsonl"), []byte(lines.String()), 0o600))
	m.must("import", "holon", filepath.Dir(filepath.Dir(ledger)))
	before := m.must("events", "--limit", "1000", "--json")
	m.must("move", m.dir, at, "--insecure")
	m.must("fleet", "check")
	m.must("move", at, m.dir, "--insecure")
	if after := m.must("events", "--limit", "1000", "--json"); after != before {
		t.Error("the history is another one")
	}
}

// A move that the cluster does not permit changes nothing: the ledger is open where it was.
func TestAMoveThatIsNotPermittedChangesNothing(t *testing.T) {
	ca, later := storetest.NewCA(t), time.Now().Add(time.Hour)
	cluster := storetest.StartSecureEtcd(t, ca)
	rootCert, rootKey := ca.Issue(t, "root", later)
	eveCert, eveKey := ca.Issue(t, "eve", later)
	at := address(cluster, "team")
	m, other := newFleetHome(t, fleetPrograms(t)), ""
	as := func(cert, key string) []string { return []string{"--ca", ca.File, "--cert", cert, "--key", key} }
	m.must(append([]string{"fleet", "grant", "eve", at, "--read"}, as(rootCert, rootKey)...)...)
	m.makes("Stays here")
	refused := []string{"nothing has moved, and the ledger is open", "does not permit eve to change this", "vise admin fleet grant eve"}
	m.fails(5, refused, append([]string{"move", m.dir, at}, as(eveCert, eveKey)...)...)
	m.makes("And so does this")

	m.must(append([]string{"move", m.dir, at}, as(rootCert, rootKey)...)...)
	other = filepath.Join(t.TempDir(), "other")
	m.fails(5, refused, append([]string{"move", at, other}, as(eveCert, eveKey)...)...)
	if _, err := os.Stat(filepath.Join(other, ".moving")); err == nil {
		t.Error("the draft stayed")
	}
	m.makes("The cluster is open too")
}

// A backup comes to a cluster only with a home that can have its files, and the answer names that home. What is no backup, and a FROM that is
// not there, are named as that.
func TestABackupMovesOnlyWithAHomeThatFits(t *testing.T) {
	cluster := storetest.StartEtcd(t, 1)
	at := address(cluster, "team")
	m := newFleetHome(t, fleetPrograms(t))
	m.makes("Comes along", "--plan", "# Steps\n")
	backup, wrong := filepath.Join(t.TempDir(), "one.bak"), filepath.Join(t.TempDir(), "wrong.txt")
	m.must("backup", backup)
	must(t, os.WriteFile(wrong, []byte("hello"), 0o600))
	fresh := newFleetHome(t, m.bin)
	m.fails(4, []string{m.dir + " has a ledger of its own", "--home DIR", "vise admin move " + m.dir}, "move", backup, at, "--insecure")
	m.fails(4, []string{m.dir + " has a ledger of its own", "--home DIR", "vise admin move " + m.dir}, "fleet", "join", at, "--insecure")
	fresh.fails(3, []string{"has no ledger team"}, "fleet", "join", at, "--insecure")
	fresh.fails(2, []string{wrong + " cannot be read as a backup", "vise backup"}, "move", wrong, at, "--insecure")
	fresh.fails(3, []string{"there is no home at " + wrong + "x", "FROM is"}, "move", wrong+"x", at, "--insecure")
	joined := newFleetHome(t, m.bin)
	joined.must("fleet", "join", address(cluster, "else"), "--insecure", "--new")
	m.fails(4, []string{joined.dir + " has joined another ledger", "fleet.json"}, "move", backup, at, "--insecure", "--home", joined.dir)
	fresh.fails(3, []string{"has no ledger team"}, "fleet", "join", at, "--insecure")
	for range 2 {
		if out := fresh.must("move", backup, at, "--insecure"); !strings.Contains(out, "the home "+fresh.dir+" has joined it") {
			t.Errorf("the answer does not name the home:\n%s", out)
		}
	}
	m.fails(4, []string{"nothing has moved, and the ledger is open", "two ledgers cannot become one"}, "move", m.dir, at, "--insecure")
	m.makes("Goes on")
}
