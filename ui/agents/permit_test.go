package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// permissionChecks are the doctor's checks of permissions, and whether all are well.
func (b installBench) permissionChecks(o Options) (n int, ok bool) {
	b.t.Helper()
	o.Permit = nil
	list, err := Doctor(o, time.Now())
	if err != nil {
		b.t.Fatal(err)
	}
	ok = true
	for _, c := range list {
		if c.Name == "permission" || c.Name == "trust" {
			n++
			ok = ok && c.OK
		}
	}
	return n, ok
}

// TestAPermissionIsSetOnceAndTakenBackToTheByte: nothing is allowed unasked, existing permissions stay, and
// uninstalling removes it, also if somebody else edited the file.
func TestAPermissionIsSetOnceAndTakenBackToTheByte(t *testing.T) {
	yes, no := true, false
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			b := newInstallBench(t)
			for name, text := range settings {
				b.write(name, text)
			}
			b.write(".claude/settings.json", "{\n  \"permissions\": {\"allow\": [\"Bash(ls)\"], \"deny\": [\"mcp__vise\"]}\n}\n")
			b.write(".gemini/settings.json", "{\n  \"mcpServers\": {\"other\": {\"command\": \"x\", \"trust\": true}}\n}\n")
			b.write(".config/crush/crush.json", "{\n  \"permissions\": {\n    \"allowed_tools\": [\n      \"view\"\n    ]\n  }\n}\n")
			before := b.files()
			o := b.options(p.name)
			o.Agent = ""
			out := b.run(o)
			n, ok := b.permissionChecks(o)
			if p.permitted == nil {
				if n != 0 {
					t.Errorf("%d checks of a program that asks nothing", n)
				}
				return
			}
			if ok || Asks(o) == "" || !slices.ContainsFunc(out.Notes, func(s string) bool { return strings.Contains(s, "--permit") }) {
				t.Errorf("permitted without a word, or nothing said: %v", out.Notes)
			}
			asking := b.files()
			o.Permit = &yes
			b.run(o)
			permitted := b.files()
			if _, ok := b.permissionChecks(o); !ok || Asks(o) != "" {
				t.Errorf("not permitted:\n%v", permitted)
			}
			o.Permit = nil
			if out = b.run(o); slices.ContainsFunc(out.Notes, func(s string) bool { return strings.Contains(s, "--permit") }) {
				t.Errorf("it still says %v", out.Notes)
			}
			equal(t, "installed again", b.files(), permitted)
			o.Permit = &no
			b.run(o)
			equal(t, "taken back", b.files(), asking)
			o.Permit = &yes
			b.run(o)
			o.Permit, o.Uninstall = nil, true
			b.run(o)
			equal(t, "uninstalled", b.files(), before)

			o.Permit, o.Uninstall = &yes, false
			b.run(o)
			if err := os.RemoveAll(filepath.Join(b.vise, "vise")); err != nil {
				t.Fatal(err)
			}
			o.Permit, o.Uninstall = nil, true
			b.run(o)
			equal(t, "uninstalled without what was kept", b.files(), before)
		})
	}
}

// TestTheHashIsCodexs: Codex 0.169.0 returns this hash for the hook, through the method hooks/list of its app-server.
func TestTheHashIsCodexs(t *testing.T) {
	got := codexHash("stop", group{Hooks: []command{{Type: "command", Command: "echo hi", Timeout: 5}}})
	if want := "sha256:bfacd2ac32f50a02273be5e5139bce873be2be18aed3f7228a6c4b3c28b1beb1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
