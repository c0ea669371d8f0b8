package agents

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// bench is a user's home directory and a vise home.
type installBench struct {
	t          *testing.T
	home, vise string
}

func newInstallBench(t *testing.T) installBench {
	t.Helper()
	b := installBench{t: t, home: t.TempDir(), vise: t.TempDir()}
	return b
}

func (b installBench) options(program string) Options {
	env := map[string]string{"HOME": b.home, "XDG_STATE_HOME": b.vise}
	return Options{Program: program, Agent: "ann", Vise: "vise", Home: b.vise, Getenv: func(k string) string { return env[k] }}
}

func (b installBench) write(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func (b installBench) run(o Options) Installed {
	b.t.Helper()
	out, err := Install(o)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// files are all files below the user's home with their content.
func (b installBench) files() map[string]string {
	b.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(b.home, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		out[strings.TrimPrefix(path, b.home)] = string(raw)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func equal(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %s is\n%s\nwant\n%s", what, name, got[name], text)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s: %s should not be there", what, name)
		}
	}
}

// settings are files as people have them: with comments, other hooks, and another order.
var settings = map[string]string{
	".claude/settings.json":          "{\n\t// mine\n\t\"model\": \"opus\", /* why */\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]},\n\t\t],\n\t},\n}\n",
	".claude.json":                   `{ "numStartups":3,"mcpServers":{"other":{"command":"x"}} }`,
	".codex/config.toml":             "# mine\nmodel = \"gpt\"\ntext = \"\"\"\n[not.a.table]\n\"\"\"\n\n[mcp_servers.other] # his\nargs = [\n  \"[x]\",\n]\n\n# look\n[tui]\nnotifications = true\n",
	".config/crush/crush.json":       "{}",
	".config/opencode/opencode.json": "{\n  \"theme\": \"x\"\n}",
}

func TestInstallIsIdempotentAndUninstallRestoresToTheByte(t *testing.T) {
	for _, program := range Programs {
		t.Run(program, func(t *testing.T) {
			b := newInstallBench(t)
			for name, text := range settings {
				b.write(name, text)
			}
			before := b.files()
			o := b.options(program)
			o.DryRun = true
			if out := b.run(o); out.Files[0].Diff == "" {
				t.Error("a dry run shows no change")
			}
			equal(t, "a dry run", b.files(), before)
			o.DryRun = false
			b.run(o)
			once := b.files()
			for _, f := range b.run(o).Files {
				if f.Changed {
					t.Errorf("a second run changes %s:\n%s", f.Path, f.Diff)
				}
			}
			equal(t, "a second run", b.files(), once)
			o.Uninstall = true
			b.run(o)
			equal(t, "uninstalled", b.files(), before)
		})
	}
}

// TestUninstallAfterOtherEditsTakesOutOnlyItsOwn: what the user changed meanwhile stays.
func TestUninstallAfterOtherEditsTakesOutOnlyItsOwn(t *testing.T) {
	for _, program := range Programs {
		t.Run(program, func(t *testing.T) {
			b := newInstallBench(t)
			for name, text := range settings {
				b.write(name, text)
			}
			before := b.files()
			o := b.options(program)
			b.run(o)
			if err := os.RemoveAll(filepath.Join(b.vise, "vise")); err != nil {
				t.Fatal(err)
			}
			o.Uninstall = true
			b.run(o)
			after := b.files()
			for name := range after {
				if strings.Contains(after[name], "vise") {
					t.Errorf("%s still names vise:\n%s", name, after[name])
				}
			}
			for _, name := range []string{"/.claude/settings.json", "/.claude.json", "/.codex/config.toml", "/.config/opencode/opencode.json"} {
				if after[name] != before[name] {
					t.Errorf("%s is\n%q\nwas\n%q", name, after[name], before[name])
				}
			}
		})
	}
}

// TestUninstallRestoresWhatWasThereBeforeAllHomes: an installation for another home, with or without an edit by the
// user between, does not change what is restored; --home uninstalls only that home.
func TestUninstallRestoresWhatWasThereBeforeAllHomes(t *testing.T) {
	for _, program := range Programs {
		for _, empty := range []bool{false, true} {
			b := newInstallBench(t)
			if !empty {
				for name, text := range settings {
					b.write(name, text)
				}
			}
			before, dirs := b.files(), b.dirs()
			first, second := b.options(program), b.options(program)
			first.Home = t.TempDir()
			second.Home, second.Agent = first.Home+"2", "bob"
			b.run(first)
			b.run(second)
			with := b.files()
			first.Uninstall, first.OnlyHome = true, true
			b.run(first)
			equal(t, program+": the first home's", b.files(), with)
			second.Uninstall, second.OnlyHome = true, true
			b.run(second)
			equal(t, program+": the second home's", b.files(), before)

			first.Uninstall = false
			b.run(first)
			for name, text := range b.files() { // somebody adds a line
				if !strings.HasSuffix(name, ".ts") {
					b.write(name, text+"\n")
				}
			}
			second.Uninstall = false
			b.run(second)
			first.Uninstall, first.OnlyHome = true, false
			b.run(first)
			for name, text := range b.files() {
				if was, ok := before[name]; !ok || strings.TrimSpace(text) != strings.TrimSpace(was) {
					t.Errorf("%s: %s is\n%s\nwas\n%s", program, name, text, was)
				}
			}
			if got := b.dirs(); !slices.Equal(got, dirs) {
				t.Errorf("%s: the directories are %v, were %v", program, got, dirs)
			}
			if left, _ := os.ReadDir(b.vise); len(left) > 0 {
				t.Errorf("%s: %v is left", program, left)
			}
		}
	}
}

// dirs are the directories below the user's home.
func (b installBench) dirs() (out []string) {
	b.t.Helper()
	if err := filepath.WalkDir(b.home, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			out = append(out, path)
		}
		return err
	}); err != nil {
		b.t.Fatal(err)
	}
	return out
}

func TestOthersStayAsTheyAre(t *testing.T) {
	b := newInstallBench(t)
	for name, text := range settings {
		b.write(name, text)
	}
	b.run(b.options("claude"))
	b.run(b.options("codex"))
	got := b.files()
	for name, parts := range map[string][]string{
		"/.claude/settings.json": {"\t// mine\n\t\"model\": \"opus\", /* why */", `{"hooks": [{"type": "command", "command": "say done"}]}`},
		"/.claude.json":          {`"numStartups":3`, `"other":{"command":"x"}`},
		"/.codex/config.toml":    {"# mine\nmodel = \"gpt\"", "[mcp_servers.other] # his\nargs = [\n  \"[x]\",\n]", "# look\n[tui]\nnotifications = true\n"},
	} {
		for _, part := range parts {
			if !strings.Contains(got[name], part) {
				t.Errorf("%s lost %q:\n%s", name, part, got[name])
			}
		}
	}
}

func TestAnotherAgentReplacesTheOldEntry(t *testing.T) {
	b := newInstallBench(t)
	b.run(b.options("claude"))
	o := b.options("claude")
	o.Agent = "bob"
	b.run(o)
	got := b.files()
	if s := got["/.claude/settings.json"]; strings.Contains(s, `"ann"`) || strings.Count(s, `"Stop"`) != 2 {
		t.Errorf("got %s", s)
	}
	o.Uninstall = true
	b.run(o)
	equal(t, "uninstalled", b.files(), map[string]string{})
}

func TestForeignNotifyIsLeftAlone(t *testing.T) {
	b := newInstallBench(t)
	b.write(".codex/config.toml", "notify = [\"mine\"]\n")
	out := b.run(b.options("codex"))
	if got := b.files()["/.codex/config.toml"]; !strings.HasPrefix(got, "notify = [\"mine\"]\n") || !strings.Contains(strings.Join(out.Notes, " "), "notify") {
		t.Errorf("got %s, notes %v", got, out.Notes)
	}
}

func TestLinkToTheSettingsStaysALink(t *testing.T) {
	b := newInstallBench(t)
	real := b.write("dotfiles/settings.json", "{}\n")
	if err := os.MkdirAll(filepath.Join(b.home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(b.home, ".claude", "settings.json")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	b.run(b.options("claude"))
	if to, err := os.Readlink(link); err != nil || to != real {
		t.Errorf("the link is gone: %v", err)
	}
	if raw, _ := os.ReadFile(real); !strings.Contains(string(raw), "vise") {
		t.Errorf("the file has %s", raw)
	}
}

// TestAByteOrderMarkStays: a file that begins with one is valid, and is again what it was after --uninstall.
func TestAByteOrderMarkStays(t *testing.T) {
	for program, file := range map[string]string{"crush": ".config/crush/crush.json", "claude": ".claude.json", "codex": ".codex/config.toml"} {
		b := newInstallBench(t)
		before := byteOrderMark + "{\n  \"a\": 1\n}\n"
		if program == "codex" {
			before = byteOrderMark + "a = 1\n"
		}
		path := b.write(file, before)
		b.run(b.options(program))
		if raw, _ := os.ReadFile(path); !strings.HasPrefix(string(raw), byteOrderMark) || !strings.Contains(string(raw), "vise") {
			t.Errorf("%s: the file has %q", program, raw)
		}
		o := b.options(program)
		o.Uninstall = true
		b.run(o)
		if raw, _ := os.ReadFile(path); string(raw) != before {
			t.Errorf("%s: afterwards the file has %q", program, raw)
		}
	}
}

func TestWhatCannotBeEditedStaysAndNothingElseIsWritten(t *testing.T) {
	for name, c := range map[string]struct{ program, file, text string }{
		"invalid JSON":      {"claude", ".claude.json", `{"a":`},
		"JSON of a list":    {"claude", ".claude/settings.json", `[]`},
		"hooks are a list":  {"claude", ".claude/settings.json", `{"hooks":[]}`},
		"an event is a map": {"claude", ".claude/settings.json", `{"hooks":{"Stop":{}}}`},
		"invalid TOML":      {"codex", ".codex/config.toml", "a = \n[["},
		"inline table":      {"codex", ".codex/config.toml", "mcp_servers = {other = {command = \"x\"}}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newInstallBench(t)
			b.write(c.file, c.text)
			before := b.files()
			if _, err := Install(b.options(c.program)); err == nil {
				t.Error("not refused")
			}
			equal(t, "refused", b.files(), before)
		})
	}
	t.Run("read-only", func(t *testing.T) {
		b := newInstallBench(t)
		path := b.write(".claude/settings.json", "{}")
		if err := os.Chmod(path, 0o400); err != nil {
			t.Fatal(err)
		}
		if _, err := Install(b.options("claude")); err == nil || len(b.files()) != 1 {
			t.Errorf("error %v, files %v", err, b.files())
		}
	})
	t.Run("a directory that takes no file, of the second file alone", func(t *testing.T) {
		b := newInstallBench(t)
		path := b.write(".config/opencode/opencode.json", "{}")
		if err := os.Symlink("/proc", filepath.Join(b.home, ".config/opencode/plugin")); err != nil {
			t.Fatal(err)
		}
		_, err := Install(b.options("opencode"))
		if raw, _ := os.ReadFile(path); err == nil || string(raw) != "{}" {
			t.Errorf("error %v, the first file has %s", err, raw)
		}
	})
	if _, err := Install(newInstallBench(t).options("vim")); err == nil {
		t.Error("an unknown program is no error")
	}
}

func TestDoctorSaysWhatIsMissing(t *testing.T) {
	b := newInstallBench(t)
	list, err := Doctor(b.options("codex"), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	trust := false
	for _, c := range list {
		trust = trust || strings.Contains(c.Hint, "/hooks")
		if c.Name == "settings" && c.OK {
			t.Errorf("nothing is installed, and %s", c.Message)
		}
	}
	if !trust {
		t.Errorf("nothing about trust: %+v", list)
	}
	equal(t, "doctor", b.files(), map[string]string{})
}

// TestAllToolsStayUntilTheUsualAreAskedFor: another installation keeps them, and the doctor accepts them.
func TestAllToolsStayUntilTheUsualAreAskedFor(t *testing.T) {
	for _, program := range Programs {
		b := newInstallBench(t)
		o := b.options(program)
		has := func() bool {
			for _, text := range b.files() {
				if strings.Contains(text, `"--tools"`) {
					return true
				}
			}
			return false
		}
		if b.run(o); has() {
			t.Errorf("%s: all tools without being asked for", program)
		}
		o.Tools = "all"
		if b.run(o); !has() {
			t.Errorf("%s: not all tools", program)
		}
		o.Tools = ""
		if b.run(o); !has() {
			t.Errorf("%s: installing again took them away", program)
		}
		checks, err := Doctor(b.options(program), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			if c.Name == "settings" && !c.OK {
				t.Errorf("%s: the doctor says %s", program, c.Message)
			}
		}
		o.Tools = "usual"
		if b.run(o); has() {
			t.Errorf("%s: still all tools", program)
		}
	}
	o := newInstallBench(t).options("claude")
	o.Tools = "some"
	if _, err := Install(o); err == nil {
		t.Error("unknown tools are installed")
	}
}
