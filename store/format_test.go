package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
	"vise/store"
	"vise/store/kv"
	"vise/store/recovery"
	"vise/store/storetest"
	"vise/store/transfer"
)

// unnamed is the home of the last build whose format has no name.
const unnamed = "testdata/36d8b116/home"

// filesIn are the files below a directory, with their modes.
func filesIn(dir string) map[string]string {
	all := map[string]string{}
	must(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		must(err)
		info, err := d.Info()
		must(err)
		raw := []byte{}
		if !d.IsDir() {
			raw, err = os.ReadFile(path)
		}
		all[path] = info.Mode().String() + " " + string(raw)
		return err
	}))
	return all
}

// refusesFormat checks that an error says which build reads a thing and where the way out is.
func refusesFormat(t *testing.T, what string, err error) {
	t.Helper()
	refused := new(model.Error)
	if !errors.As(err, &refused) || refused.Code != model.CodeFormat || !strings.Contains(refused.Hint, "36d8b116") ||
		!strings.Contains(refused.Hint, "docs/how-to.md#update-vise") {
		t.Errorf("%s: %v", what, err)
	}
}

// A home whose format has no name, or another one, is refused by whatever would use it, and not a byte of it changes.
func TestAHomeInAnotherFormatIsRefusedUntouched(t *testing.T) {
	for name, text := range map[string][2]string{
		"without a name":    {},
		"with another name": {`"format": 2,`, `"format": 3, "format_name": "vise-2099-01",`},
	} {
		dir := storetest.CopyOf(t, unnamed)
		path := filepath.Join(dir, "home.json")
		raw, err := os.ReadFile(path)
		must(err)
		must(os.WriteFile(path, []byte(strings.Replace(string(raw), text[0], text[1], 1)), 0o600))
		must(os.Chmod(path, 0o644)) // a home that is used is made private
		was := filesIn(dir)
		_, err = store.Open(dir, store.Options{})
		refusesFormat(t, "open "+name, err)
		_, err = store.Create(dir, store.Options{})
		refusesFormat(t, "create "+name, err)
		for _, from := range []string{"", filepath.Join(unnamed, "ledger.db")} {
			_, err = recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{From: from})
			refusesFormat(t, "restore "+name+" from "+from, err)
		}
		is := filesIn(dir)
		for path := range was {
			if is[path] != was[path] {
				t.Errorf("%s: %s was changed", name, path)
			}
		}
		if len(is) != len(was) {
			t.Errorf("%s: %d files became %d", name, len(was), len(is))
		}
	}
}

// A ledger whose format has no name is refused wherever one is read: in the place of another ledger, as a backup, as a snapshot, and by a
// restore of a home that has lost its home.json.
func TestALedgerInAnotherFormatIsRefused(t *testing.T) {
	ledger := filepath.Join(unnamed, "ledger.db")
	_, err := recovery.PlanRestore(ctx, filepath.Join(t.TempDir(), "home"), recovery.RestoreOptions{From: ledger})
	refusesFormat(t, "a restore from it", err)
	_, err = transfer.FromBackup(ctx, ledger, kv.NewMemory(), nil)
	refusesFormat(t, "a move of it", err)

	dir := storetest.CopyOf(t, unnamed)
	must(os.Remove(filepath.Join(dir, "home.json")))
	_, err = recovery.PlanRestore(ctx, dir, recovery.RestoreOptions{})
	refusesFormat(t, "a restore without home.json", err)

	raw, err := os.ReadFile(filepath.Join(unnamed, "home.json"))
	must(err)
	named := strings.Replace(string(raw), `"format": 2,`, `"format": 3, "format_name": "`+store.FormatName+`",`, 1)
	must(os.WriteFile(filepath.Join(dir, "home.json"), []byte(named), 0o600))
	was, err := os.ReadFile(filepath.Join(dir, "ledger.db"))
	must(err)
	l, err := store.Open(dir, store.Options{})
	must(err)
	defer l.Close()
	refusesFormat(t, "a view", l.View(ctx, func(model.Reader) error { return nil }))
	_, err = l.Apply(ctx, model.Envelope{Key: "k", Actor: model.Operator, Command: model.AddAgent{AgentID: "a"}})
	refusesFormat(t, "a change", err)
	if is, err := os.ReadFile(filepath.Join(dir, "ledger.db")); err != nil || string(is) != string(was) {
		t.Errorf("the ledger was changed: %v", err)
	}
}
