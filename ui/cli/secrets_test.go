package cli

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/store"
	"vise/store/recovery"
)

// A secret for signatures is stored only where SECURITY.md says, and a token nowhere.
func TestASecretLiesOnlyWhereSecuritySays(t *testing.T) {
	t.Parallel()
	const secret = "a-secret-of-signatures-7c1f"
	home, open, _ := newHome(t)
	file, backup := filepath.Join(t.TempDir(), "secret"), filepath.Join(t.TempDir(), "backup")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	mustAsk(t, home, "wait", open, "--external", "ci", "--recheck", "2h")
	minted := mustAsk(t, home, "trigger", "url", open, "--sign", "vise", "--secret-file", file)
	var data struct{ URL string }
	if err := json.Unmarshal(minted.Data, &data); err != nil {
		t.Fatal(err)
	}
	token := data.URL[strings.LastIndex(data.URL, "/")+1:]
	if len(token) < 32 || strings.Contains(minted.stdout, secret) {
		t.Fatalf("minted %s", minted.stdout)
	}
	mustAsk(t, home, "backup", backup)
	l, err := store.Open(home, store.Options{})
	if err == nil {
		_, err = recovery.TakeSnapshot(t.Context(), l)
	}
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	mustAsk(t, home, "restore", backup, "--yes")
	for _, verb := range []string{"events", "list", "status", "doctor", "trigger"} {
		if x := ask(t, home, verb); strings.Contains(x.stdout+x.stderr, secret) || strings.Contains(x.stdout, token) {
			t.Errorf("vise %s tells it: %s", verb, x.stdout)
		}
	}
	holds := map[string]bool{}
	look := func(place, path string) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		holds[place] = holds[place] || bytes.Contains(raw, []byte(secret))
		if bytes.Contains(raw, []byte(token)) {
			t.Errorf("%s holds the token", path)
		}
	}
	look("backup", backup)
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(home, path)
		place, _, _ := strings.Cut(rel, string(filepath.Separator))
		look(place, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{"ledger.db": true, "journal": true, "snapshots": true, "aside": true, "backup": true}
	for place := range said {
		if !holds[place] {
			t.Errorf("%s does not hold the secret", place)
		}
	}
	for place, is := range holds {
		if is && !said[place] {
			t.Errorf("%s holds the secret", place)
		}
	}
}
