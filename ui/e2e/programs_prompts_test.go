//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
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
		run.Args = []string{prompt}
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
	r.model.Script = []scriptedReply{shells[r.name], said}
	server := httptest.NewServer(&r.model)
	defer server.Close()
	run := atTerminal(r.name, server.URL, r.user)
	if run.Args == nil {
		return "no"
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
		return "no"
	}
	if !r.prompts(x, false, x.escape) { // the program may not take keys yet when the inbox has the prompt
		r.t.Logf("the screen:\n%s", x.text())
		return "yes, also when it was refused"
	}
	return "until it is refused"
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
