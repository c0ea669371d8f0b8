package store_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vise/store/storetest"
)

// A commit waits for the disk twice: once for the pages, once for the page that makes
// them the ledger's. That is the least with which a power cut loses nothing.
func TestACommitSyncsTwice(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("no strace here")
	}
	dir, l := newHome(t)
	for _, key := range []string{"first", "second"} { // home.json is written at the first revision
		must(applied(l, objective(key)))
	}
	trace := filepath.Join(t.TempDir(), "trace")
	cmd := storetest.Command(t, "once", dir, "third")
	cmd.Args = []string{strace, "-f", "-qq", "-e", "trace=fsync,fdatasync,msync,sync_file_range", "-o", trace, cmd.Path}
	cmd.Path = strace
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("strace cannot trace here: %v, %s", err, out)
	}
	raw, err := os.ReadFile(trace)
	must(err)
	syncs := 0
	for line := range strings.Lines(string(raw)) {
		if strings.Contains(line, "sync") && !strings.Contains(line, "resumed") {
			syncs++
		}
	}
	if syncs != 2 {
		t.Errorf("%d syncs:\n%s", syncs, raw)
	}
}
