package agents

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAHomeThatIsNotTheUsualOneIsNamed to the server, the hooks and the plugin. Codex passes no VISE_HOME to an MCP
// server, which would otherwise work on another home than the hooks.
func TestAHomeThatIsNotTheUsualOneIsNamed(t *testing.T) {
	for _, program := range []string{"claude", "codex", "crush", "opencode"} {
		b := newInstallBench(t)
		o := b.options(program)
		o.Home = filepath.Join(b.home, ".local", "share", "vise")
		b.run(o)
		for path, text := range b.files() {
			if strings.Contains(text, "--home") {
				t.Errorf("%s names the usual home", path)
			}
		}
		o.Home = b.vise
		out := b.run(o)
		files := b.files()
		for _, f := range out.Files {
			if text := files[strings.TrimPrefix(f.Path, b.home)]; strings.Count(text, b.vise) < strings.Count(text, "--home") || !strings.Contains(text, "--home") {
				t.Errorf("%s does not name the home:\n%s", f.Path, text)
			}
		}
		if program == "codex" && strings.Count(files["/.codex/config.toml"], b.vise) != 2 {
			t.Errorf("server and notify do not both name the home:\n%s", files["/.codex/config.toml"])
		}
		for _, f := range b.run(o).Files {
			if f.Changed {
				t.Errorf("%s changed once more", f.Path)
			}
		}
	}
}
