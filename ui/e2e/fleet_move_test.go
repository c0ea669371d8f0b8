//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
