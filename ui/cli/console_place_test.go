package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"vise/ui/console"
)

func TestEachTerminalHasAPlaceOfItsOwn(t *testing.T) {
	home := t.TempDir()
	clock := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	in := func(pane string) *places {
		return newPlaces(home, func(name string) string {
			return map[string]string{"TMUX_PANE": pane, "TMUX": "/tmp/tmux,1,0"}[name]
		}, func() time.Time { clock = clock.Add(time.Second); return clock })
	}
	if m := in("%1").last(); m != nil {
		t.Fatalf("a place before any was kept: %+v", m)
	}
	keys := map[string]time.Time{"%1": clock, "%2": clock.Add(-8 * time.Hour)}
	for pane, view := range map[string]string{"%1": "fleet", "%2": "reports"} {
		if err := in(pane).Keep(t.Context(), console.Memo{View: view, LastKey: keys[pane]}); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := in("%1").last(), in("%2").last(); a.View != "fleet" || b.View != "reports" {
		t.Errorf("got %+v and %+v", a, b)
	}
	if m := in("%2").last(); !m.LastKey.Equal(keys["%1"]) {
		t.Errorf("the last key was at %s, in another terminal at %s", m.LastKey, keys["%1"])
	}
	if err := in("%3").Keep(t.Context(), console.Memo{View: "activity"}); err != nil {
		t.Fatal(err)
	}
	if m := in("%4").last(); m.View != "activity" {
		t.Errorf("a terminal without a place begins at %+v, not where the operator was last", m)
	}
}

// Damaged state is ignored and overwritten.
func TestADamagedPlaceIsNone(t *testing.T) {
	for _, bad := range []string{"", "{", "null", `{"version":2,"terminals":{}}`, `{"version":1}`, `{"version":1,"terminals":{"terminal":{"place":{"focus":"x"}}}}`, "\x00\xff"} {
		home := t.TempDir()
		m := newPlaces(home, func(string) string { return "" }, time.Now)
		if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(m.path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := m.last(); got != nil {
			t.Errorf("%q gave %+v", bad, got)
		}
		if err := m.Keep(t.Context(), console.Memo{View: "fleet"}); err != nil {
			t.Error(err)
		}
		if got := m.last(); got == nil || got.View != "fleet" {
			t.Errorf("after %q: %+v", bad, got)
		}
	}
}

func TestOnlyTheTerminalsUsedLastAreKept(t *testing.T) {
	home := t.TempDir()
	clock := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
	for i := range 3 * placeTerminals {
		m := newPlaces(home, func(name string) string {
			if name == "SSH_TTY" {
				return "/dev/pts/" + string(rune('a'+i))
			}
			return ""
		}, func() time.Time { clock = clock.Add(time.Second); return clock })
		if err := m.Keep(t.Context(), console.Memo{View: "desk"}); err != nil {
			t.Fatal(err)
		}
		if n := len(m.read().Terminals); n > placeTerminals {
			t.Fatalf("%d terminals are kept", n)
		}
	}
}
