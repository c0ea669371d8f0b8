package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vise/model"
)

func TestAPlanIsRememberedAsItWasSeen(t *testing.T) {
	home := t.TempDir()
	l := newSeenPlans(home)
	if _, ok := l.Seen(t.Context(), "wi-1"); ok {
		t.Error("nothing was seen yet")
	}
	if err := l.Keep(t.Context(), "wi-1", "# Plan\xff\n"); err != nil {
		t.Fatal(err)
	}
	if got, ok := newSeenPlans(home).Seen(t.Context(), "wi-1"); !ok || got != "# Plan\xff\n" {
		t.Errorf("it came back as %q, %v", got, ok)
	}
	for i := range mostSeen + 5 {
		if err := l.Keep(t.Context(), model.ItemID(fmt.Sprintf("wi-x%d", i)), "x"); err != nil {
			t.Fatal(err)
		}
	}
	if list, _ := os.ReadDir(filepath.Join(home, "state", "looked")); len(list) != mostSeen {
		t.Errorf("%d files are kept", len(list))
	}
}

func TestWhatIsNoRememberedPlanIsNone(t *testing.T) {
	home := t.TempDir()
	l := newSeenPlans(home)
	dir := filepath.Join(home, "state", "looked")
	if err := os.MkdirAll(filepath.Join(dir, "wi-dir.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(home, "secret")
	for path, text := range map[string]string{secret: "secret", filepath.Join(dir, "wi-big.md"): strings.Repeat("x", largestSeen+1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(dir, "wi-link.md")); err != nil {
		t.Fatal(err)
	}
	for _, id := range []model.ItemID{"wi-dir", "wi-big", "wi-link", "../../secret", "", "."} {
		if got, ok := l.Seen(t.Context(), id); ok {
			t.Errorf("%q gave %d bytes", id, len(got))
		}
	}
	if err := l.Keep(t.Context(), "../../escaped", "x"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(home, "escaped.md")); err == nil {
		t.Error("a file was written elsewhere")
	}
}
