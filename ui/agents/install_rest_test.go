package agents

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTheHookThatWakesIsInstalledWhereItWorks, once. It is removed for a version that does not support it. If the
// version is not known, the present hooks stay.
func TestTheHookThatWakesIsInstalledWhereItWorks(t *testing.T) {
	b := newInstallBench(t)
	foreign := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done", "timeout": 9}]}]}}` + "\n"
	path := b.write(".claude/settings.json", foreign)
	for _, step := range []struct {
		version   string
		want      int
		message   string
		uninstall bool
	}{
		{version: "", want: 0, message: "vise does not know whether an idle session is woken"},
		{version: "2.1.196", want: 0, message: "is older than 2.1.197"},
		{version: "2.1.197", want: 2, message: "is woken"},
		{version: "3.0.0", want: 2, message: "is woken"},
		{version: "", want: 2, message: "vise does not know whether an idle session is woken"},
		{version: "1.9.999", want: 0, message: "is older"},
		{version: "2.1.197", want: 2, message: "is woken"},
		{version: "2.1.197", want: 0, message: "is woken", uninstall: true},
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
		checks, err := Doctor(o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		messages := ""
		for _, c := range checks {
			if messages += c.Message + "\n"; !step.uninstall && c.Name == "settings" && !c.OK {
				t.Errorf("version %q: %s", step.version, c.Message)
			}
		}
		if !strings.Contains(messages, step.message) {
			t.Errorf("version %q: doctor tells\n%swant %q", step.version, messages, step.message)
		}
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		t.Error(err)
	}
}

// TestDoctorTellsWhatCodexTrusts by the hash that Codex stores for a hook's position. It must be the hash of the
// present hook. Another hook before ours changes the position.
func TestDoctorTellsWhatCodexTrusts(t *testing.T) {
	b := newInstallBench(t)
	b.write(".codex/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done", "timeout": 9}]}]}}`)
	o := b.options("codex")
	o.Version = "0.169.0"
	b.run(o)
	untrusted := b.files()["/.codex/config.toml"]
	if !strings.Contains(b.files()["/.codex/hooks.json"], "hook codex SessionEnd") {
		t.Error("the end of a session is not asked for")
	}
	yes := true
	o.Permit = &yes
	b.run(o)
	trusted := b.files()["/.codex/config.toml"]
	for _, x := range []struct{ settings, want string }{
		{untrusted, "not told to trust session_start, user_prompt_submit, post_tool_use, stop, permission_request, session_end"},
		{trusted, "was told to trust vise's hooks as they are"},
		{strings.Replace(trusted, "stop:1:0", "stop:0:0", 1), "not told to trust stop"},
		{regexp.MustCompile(`(stop:1:0"\]\ntrusted_hash = "sha256:).`).ReplaceAllString(trusted, "${1}x"), "trusts an older form of stop"},
	} {
		b.write(".codex/config.toml", x.settings)
		checks, err := Doctor(o, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		var message string
		for _, c := range checks {
			if c.Name == "trust" {
				message = c.Message
			}
			if c.Name == "answers" && !strings.Contains(c.Message, "is prompted") {
				t.Errorf("answers %s", c.Message)
			}
		}
		if !strings.Contains(message, x.want) {
			t.Errorf("said %q, want %q", message, x.want)
		}
	}
	o.Version = "0.168.9"
	b.run(o)
	if strings.Contains(b.files()["/.codex/hooks.json"], "SessionEnd") {
		t.Error("a version that lacks it is asked for the end of a session")
	}
}
