package agents

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTheHookThatWakesIsInstalledOnce, beside the other hook of the event and somebody else's.
func TestTheHookThatWakesIsInstalledOnce(t *testing.T) {
	b := newInstallBench(t)
	foreign := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done", "timeout": 9}]}]}}` + "\n"
	path := b.write(".claude/settings.json", foreign)
	o := b.options("claude")
	for range 2 {
		b.run(o)
		raw := b.files()["/.claude/settings.json"]
		for word, want := range map[string]int{`"asyncRewake": true`: 2, `"Rest"`: 2, `"Stop"`: 2, "say done": 1} {
			if got := strings.Count(raw, word); got != want {
				t.Errorf("%s is there %d times, want %d:\n%s", word, got, want, raw)
			}
		}
	}
	checks, err := Doctor(o, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if c.Name == "settings" && !c.OK || c.Name == "answers" && !strings.Contains(c.Message, "is woken, for 12 hours") {
			t.Errorf("doctor says %s", c.Message)
		}
	}
	o.Uninstall = true
	b.run(o)
	if raw, err := os.ReadFile(path); err != nil || string(raw) != foreign {
		t.Errorf("uninstalled, it is\n%s, %v", raw, err)
	}
}

// TestDoctorTellsWhatCodexTrusts by the hash that Codex stores for a hook's position. It must be the hash of the
// present hook. Another hook before ours changes the position.
func TestDoctorTellsWhatCodexTrusts(t *testing.T) {
	b := newInstallBench(t)
	b.write(".codex/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done", "timeout": 9}]}]}}`)
	o := b.options("codex")
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
}
