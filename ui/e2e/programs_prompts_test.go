package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// shells are the tool calls with which programs run a command.
var shells = map[string]scriptedReply{
	"claude": uses("", "Bash", map[string]any{"command": "touch made"}),
	"codex": uses("", "exec_command", map[string]any{"cmd": "touch made", "sandbox_permissions": "require_escalated",
		"justification": "it is asked for"}),
	"opencode": uses("", "bash", map[string]any{"command": "touch made", "description": "make a file"}),
	"gemini":   uses("", "run_shell_command", map[string]any{"command": "touch made"}),
	"copilot":  uses("", "bash", map[string]any{"command": "touch made"}),
}

// atTerminal is how a program is started with a prompt at a terminal, in a trusted directory, so that it asks a person
// before it runs a command. Crush is missing: it has no hook for that.
func atTerminal(name, url, user string) (run headlessRun) {
	const prompt = "Work."
	run = headlessOn(name, url, prompt, false)
	files := map[string]string{
		"claude": `.claude.json {"hasCompletedOnboarding": true, "customApiKeyResponses": {"approved": ["scripted"]},
			"projects": {%q: {"hasTrustDialogAccepted": true}}}`,
		"codex":   `.codex/config.toml [projects.%q]` + "\ntrust_level = \"trusted\"\n",
		"copilot": `.copilot/config.json {"trustedFolders": [%q]}`,
	}
	switch name {
	case "claude":
		run.Args = []string{"--permission-mode", "default", prompt}
	case "codex":
		run.Args = append([]string{"--ask-for-approval", "on-request"}, run.Args[2:]...)
	case "opencode":
		run.Args = []string{"--model", "scripted/scripted", "--prompt", prompt}
		run.Env = append(run.Env, `OPENCODE_PERMISSION={"bash":"ask"}`)
	case "gemini", "copilot":
		run.Args = append(run.Args[:len(run.Args)-2:len(run.Args)-2], "-i", prompt)
	default:
		return headlessRun{}
	}
	if name, text, ok := bytes.Cut([]byte(files[name]), []byte(" ")); ok {
		run.Files = map[string]string{string(name): fmt.Sprintf(string(text), user)}
	}
	return run
}

// promptLimit is how long a prompt and its end can take to reach the inbox on a busy machine.
const promptLimit = programLimit

// promptInInbox lets the program ask for a permission at a terminal, and refuses it there.
func promptInInbox(r *programRun) string {
	x, _ := r.asksAtTerminal(func() {})
	if x == nil {
		return "no"
	}
	if !r.prompts(x, false, x.escape) { // the program may not take keys yet when the inbox has the prompt
		r.t.Logf("the screen:\n%s", x.text())
		return "yes, also when it was refused"
	}
	return "until it is refused"
}

// statesAtTerminal says what a session is said to do: while the model answers, while it asks, after that was refused, and when the program
// was killed.
func statesAtTerminal(r *programRun) string {
	var all []string
	state := func(wanted string) {
		s := ""
		for limit := time.Now().Add(stateLimit); s != wanted && time.Now().Before(limit); {
			var out struct {
				Data struct {
					Sessions []struct {
						State string `json:"state"`
					} `json:"sessions"`
				} `json:"data"`
			}
			if err := json.Unmarshal(r.vise("sessions", "--json"), &out); err == nil && len(out.Data.Sessions) > 0 {
				s = out.Data.Sessions[0].State
			}
		}
		all = append(all, cmp.Or(s, "not known"))
	}
	x, cmd := r.asksAtTerminal(func() { state("working") })
	if x == nil {
		return "no"
	}
	state("asks")
	r.prompts(x, false, x.escape)
	state("idle")
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	_ = cmd.Process.Kill()
	state("gone")
	return strings.Join(all, ", ")
}

// stateLimit is how long a state can take to be said on a busy machine.
const stateLimit = 10 * time.Second

// asksAtTerminal starts the program at a terminal and waits until the inbox has its prompt; nil: it has none. answers is called when the
// model is asked first.
func (r *programRun) asksAtTerminal(answers func()) (*terminal, *exec.Cmd) {
	asks := shells[r.name]
	asks.Before = func(func()) { sync.OnceFunc(answers)() }
	r.model.Script = []scriptedReply{asks, said}
	server := httptest.NewServer(&r.model)
	r.t.Cleanup(server.Close)
	run := atTerminal(r.name, server.URL, r.user)
	if run.Args == nil {
		return nil, nil
	}
	for below, text := range run.Files {
		path := filepath.Join(r.user, below)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	r.vise("install", r.name, "--permit")
	cmd := programCommand(r.user, r.path, run.Args...)
	cmd.Env = append(cmd.Env, run.Env...)
	x := onTerminal(r.t, cmd, 120, 36)
	if !r.prompts(x, true, func() {}) {
		r.t.Logf("the screen:\n%s", x.text())
		return nil, nil
	}
	return x, cmd
}

// settingsLeft adds vise to settings that a person wrote, in each way, and removes it.
func settingsLeft(r *programRun) string {
	var made struct {
		Data struct {
			Files []struct {
				Path string `json:"path"`
			} `json:"files"`
		} `json:"data"`
	}
	r.vise("install", r.name, "--uninstall")
	if err := json.Unmarshal(r.vise("install", r.name, "--dry-run", "--json"), &made); err != nil || len(made.Data.Files) == 0 {
		r.t.Fatalf("install would write nothing: %v", err)
	}
	texts := map[string]string{".json": "\xEF\xBB\xBF{\r\n\t\"theme\" :\"dark\",\"hooks\":{ \"Other\":[]} }",
		".toml": "# mine\nmodel = \"x\"   # keep\n\n[mcp_servers.other]\ncommand='y'\nenv = { A = \"1\" }"}
	was := map[string]string{}
	for _, f := range made.Data.Files {
		if text := texts[filepath.Ext(f.Path)]; text != "" && filepath.Base(f.Path) != "vise.json" {
			was[f.Path] = text
			err := os.MkdirAll(filepath.Dir(f.Path), 0o755)
			if err == nil {
				err = os.WriteFile(f.Path, []byte(text), 0o600)
			}
			if err != nil {
				r.t.Fatal(err)
			}
		}
	}
	for _, args := range [][]string{nil, {"--permit"}, {"--tools", "all"}, {"--permit=false"}, {"--uninstall"}} {
		r.vise(append([]string{"install", r.name}, args...)...)
	}
	for _, f := range made.Data.Files {
		if raw, _ := os.ReadFile(f.Path); string(raw) != was[f.Path] {
			r.t.Errorf("%s was\n%s\nand is\n%s", f.Path, was[f.Path], raw)
			return "other bytes"
		}
	}
	return "the same bytes"
}

// prompts waits until the inbox has a permission, or none any more. Meanwhile it presses keys.
func (r *programRun) prompts(x *terminal, wanted bool, press func()) bool {
	for limit := time.Now().Add(promptLimit); time.Now().Before(limit); x.settle(time.Second) {
		press()
		if bytes.Contains(r.vise("inbox", "--json"), []byte(`"need":"permission"`)) == wanted {
			return true
		}
	}
	return false
}
