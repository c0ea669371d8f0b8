package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vise/store/storetest"
)

// Two versions of vise use one home. Both change it until the newer one has changed its format. Then the older one can
// only read it, and its changes are refused. The newer version is this source with one more migration.
func TestAnOlderVersionBesideANewerOne(t *testing.T) {
	storetest.Slow(t)
	older := newHome(t, "ann")
	newer := &home{t: t, dir: older.dir, program: withOneMoreMigration(t)}

	older.must("new", "by the older")
	newer.must("version")
	older.must("new", "by the older, before the newer has used the ledger")

	newer.must("new", "by the newer")
	if out := string(older.must("list")); !strings.Contains(out, "by the newer") {
		t.Error(out)
	}
	for _, change := range [][]string{{"new", "too late"}, {"agents", "add", "ben"}} {
		out, code := older.ask(append(change, "--json")...)
		var refused struct{ Error struct{ Code, Hint string } }
		if err := json.Unmarshal([]byte(out), &refused); err != nil || code != 5 || refused.Error.Code != "newer" || refused.Error.Hint == "" {
			t.Errorf("%v: exit %d: %s", change, code, out)
		}
	}
	if out := string(older.must("status")); !strings.Contains(out, "install the newer vise") {
		t.Error(out)
	}
	newer.must("new", "by the newer, again")
	newer.must("doctor")
}

// ask runs vise and returns its output and its exit code.
func (h *home) ask(args ...string) (string, int) {
	h.t.Helper()
	out, err := h.command(context.Background(), args...).CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		h.t.Fatal(err)
	}
	if ended == nil {
		return string(out), 0
	}
	return string(out), ended.ExitCode()
}

// withOneMoreMigration builds a vise with the schema after this one.
func withOneMoreMigration(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	must(t, err)
	file, dir := filepath.Join(root, "store", "maintain.go"), t.TempDir()
	raw, err := os.ReadFile(file)
	must(t, err)
	const list = "var migrations = []migration{"
	begin := strings.Index(string(raw), list)
	end := begin + strings.Index(string(raw[max(begin, 0):]), "}\n") // an entry ends with a comma
	if begin < 0 || end < begin {
		t.Fatalf("%s has no list of migrations", file)
	}
	changed := filepath.Join(dir, "maintain.go")
	with := string(raw[:end]) + "\n\tfunc(Txn) error { return nil },\n" + string(raw[end:])
	must(t, os.WriteFile(changed, []byte(with), 0o600))
	build := exec.Command("go", "build", "-overlay", overlayOf(t, dir, map[string]string{file: changed}), "-o", filepath.Join(dir, "vise"), "./ui/vise")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "vise")
}
