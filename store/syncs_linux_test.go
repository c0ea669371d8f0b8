package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/store/storetest"
)

// under runs a child's role under strace and returns what it printed.
func under(t *testing.T, options []string, role string, args ...string) string {
	t.Helper()
	strace := storetest.Needs(t, "strace")
	cmd := storetest.Command(t, role, args...)
	cmd.Args = append(append([]string{strace, "-f", "-qq"}, options...), cmd.Path)
	cmd.Path = strace
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("strace cannot trace here: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// The answer to a failed commit says what is true: before the page that makes it valid is written, it did not happen;
// afterwards, it did.
func TestAFailingDiskIsAnsweredByWhatIsThere(t *testing.T) {
	for _, c := range []struct {
		name, inject string
		said         string
		there        bool
	}{
		{"the pages cannot be synced", "fdatasync:error=EIO:when=1", "failed", false},
		{"the last page cannot be synced", "fdatasync:error=EIO:when=2", "ok", true},
		{"the disk is full", "pwrite64:error=ENOSPC:when=2+", "full", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, l := newHome(t)
			must(applied(l, objective("first")))
			said := under(t, []string{"-e", "trace=fdatasync,pwrite64", "-e", "inject=" + c.inject, "-P", filepath.Join(dir, "ledger.db"), "-o", os.DevNull}, "tell", dir, "second")
			if said != c.said {
				t.Errorf("it said %q instead of %q", said, c.said)
			}
			healthy(t, l)
			r, err := l.Apply(ctx, objective("second"))
			if err != nil || r.Replayed != c.there || r.Revision != 2 {
				t.Errorf("its retry: %+v, %v", r, err)
			}
		})
	}
}

// A commit waits for the disk twice: once for the pages, and once for the page that makes them valid. No power cut then
// loses an acknowledged change, and fewer waits are not enough.
func TestACommitSyncsTwice(t *testing.T) {
	dir, l := newHome(t)
	for _, key := range []string{"first", "second"} { // home.json is written at the first revision
		must(applied(l, objective(key)))
	}
	trace := filepath.Join(t.TempDir(), "trace")
	under(t, []string{"-e", "trace=fsync,fdatasync,msync,sync_file_range", "-o", trace}, "once", dir, "third")
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
