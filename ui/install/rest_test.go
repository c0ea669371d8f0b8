package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vise/ui/install"
)

// TestTheHookThatWakesIsInstalledWhereItWorks, once, and goes with a version that lacks it;
// where the version is not known, what is there stays.
func TestTheHookThatWakesIsInstalledWhereItWorks(t *testing.T) {
	b := newBench(t)
	foreign := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done", "timeout": 9}]}]}}` + "\n"
	path := b.write(".claude/settings.json", foreign)
	for _, step := range []struct {
		version   string
		want      int
		told      string
		uninstall bool
	}{
		{version: "", want: 0, told: "not known"},
		{version: "2.1.196", want: 0, told: "is older than 2.1.197"},
		{version: "2.1.197", want: 1, told: "is woken"},
		{version: "3.0.0", want: 1, told: "is woken"},
		{version: "", want: 1, told: "not known"},
		{version: "1.9.999", want: 0, told: "is older"},
		{version: "2.1.197", want: 1, told: "is woken"},
		{version: "2.1.197", want: 0, told: "is woken", uninstall: true},
	} {
		o := b.options("claude")
		o.Version, o.Uninstall = step.version, step.uninstall
		b.run(o)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(raw), `"asyncRewake": true`); got != step.want || strings.Count(string(raw), `"Rest"`) != step.want {
			t.Errorf("version %q: %d hooks wake, want %d:\n%s", step.version, got, step.want, raw)
		}
		if step.uninstall && string(raw) != foreign {
			t.Errorf("uninstalled, it is\n%s", raw)
		}
		if !step.uninstall && strings.Count(string(raw), `"Stop"`) != 2 {
			t.Errorf("version %q: the other Stop hook is not there once:\n%s", step.version, raw)
		}
		checks, err := install.Doctor(o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		told := ""
		for _, c := range checks {
			if told += c.Message + "\n"; !step.uninstall && c.Name == "settings" && !c.OK {
				t.Errorf("version %q: %s", step.version, c.Message)
			}
		}
		if !strings.Contains(told, step.told) {
			t.Errorf("version %q: doctor tells\n%swant %q", step.version, told, step.told)
		}
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		t.Error(err)
	}
}
