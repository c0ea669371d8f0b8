package agents

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vise/model"
)

// worktree makes a git work tree, with a directory below it, in which a program is installed.
func (b installBench) worktree(name, program, agent string) (root, below string) {
	b.t.Helper()
	root = filepath.Join(b.home, name)
	below = filepath.Join(root, "below")
	err := os.MkdirAll(below, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, ".git"), []byte("gitdir: elsewhere\n"), 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	o := b.options(program)
	o.Agent, o.Project = agent, root
	b.run(o)
	return root, below
}

// TestAProjectHasAnAgentForEachWorktree: the written settings name the work tree, unless an agent is given.
func TestAProjectHasAnAgentForEachWorktree(t *testing.T) {
	for _, program := range ProjectPrograms {
		b := newInstallBench(t)
		for agent, want := range map[string]string{"": program + "-my-gateway-2", "bob": "bob"} {
			before, dirs := b.files(), b.dirs()
			o := b.options(program)
			o.Agent, o.Project = agent, filepath.Join(b.home, "My Gateway.2")
			out := b.run(o)
			if out.Agent != want || len(out.Files) == 0 {
				t.Errorf("%s, agent %q: %+v", program, agent, out)
			}
			for name, text := range b.files() {
				if text = strings.Join(strings.Fields(text), ""); !strings.Contains(text, `"--project","`+program+`"`) ||
					strings.Contains(text, `"--agent"`) != (agent != "") {
					t.Errorf("%s, agent %q: %s is\n%s", program, agent, name, text)
				}
			}
			o.Uninstall = true
			b.run(o)
			equal(t, program+" uninstalled", b.files(), before)
			if got := b.dirs(); !slices.Equal(got, dirs) {
				t.Errorf("%s: the directories are %v, were %v", program, got, dirs)
			}
		}
	}
	b := newInstallBench(t)
	o := b.options("gemini")
	o.Project = b.home
	if _, err := Install(o); !errors.Is(err, &model.Error{Code: model.CodeInvalid}) {
		t.Errorf("gemini has settings for a project: %v", err)
	}
}

// TestAHookInAProjectActsForItsAgent: the user's hook does nothing if the program also runs the project's hook. If the
// program runs only the user's, it acts for the project's agent.
func TestAHookInAProjectActsForItsAgent(t *testing.T) {
	b := newInstallBench(t)
	root, below := b.worktree("gateway", "claude", "")
	named, belowNamed := b.worktree("proxy", "claude", "bob")
	coded, belowCoded := b.worktree("limiter", "codex", "")
	codedNamed, _ := b.worktree("jitter", "codex", "bob")
	crushed, belowCrushed := b.worktree("keys", "crush", "")
	plugged, belowPlugged := b.worktree("cache", "opencode", "")
	for _, x := range []struct {
		program, dir, project string
		env                   map[string]string
		agent                 string // empty: it leaves the work to another hook
	}{
		{program: "claude", dir: b.home, agent: "claude"},
		{program: "claude", dir: root, agent: ""},
		{program: "claude", dir: root, project: "claude", agent: "claude-gateway"},
		{program: "claude", dir: below, project: "claude", agent: "claude-gateway"},
		{program: "claude", dir: below, agent: "claude-gateway"},
		{program: "claude", dir: belowNamed, agent: "bob"},
		{program: "claude", dir: belowNamed, env: map[string]string{"CLAUDE_PROJECT_DIR": named}, agent: ""},
		{program: "claude", dir: below, env: map[string]string{"VISE_AGENT": "cid"}, agent: "cid"},
		{program: "codex", dir: b.home, agent: "codex"},
		{program: "codex", dir: coded, agent: "codex-limiter"},
		{program: "codex", dir: belowCoded, agent: "codex-limiter"},
		{program: "codex", dir: codedNamed, agent: "bob"},
		{program: "crush", dir: belowCrushed, agent: ""},
		{program: "crush", dir: belowCrushed, project: "crush", agent: "crush-keys"},
		{program: "gemini", dir: crushed, agent: "gemini"},
		{program: "opencode", dir: plugged, agent: ""},
		{program: "opencode", dir: belowPlugged, agent: ""},
		{program: "opencode", dir: belowPlugged, project: "opencode", agent: "opencode-cache"},
		{program: "opencode", dir: root, agent: "opencode"},
	} {
		args := []string{x.program, "Stop"}
		if x.project != "" {
			args = append(args, "--project", x.project)
		} else {
			args = append(args, "--agent", x.program)
		}
		c, _, err := parse(args, Streams{Dir: x.dir, Getenv: func(name string) string { return x.env[name] }})
		got := ""
		if c != nil {
			got = string(c.agent)
		}
		if err != nil || got != x.agent {
			t.Errorf("%v in %s with %v: agent %q, want %q (%v)", args, x.dir, x.env, got, x.agent, err)
		}
	}
}
