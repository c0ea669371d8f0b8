package agents

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// codexEvents are the events that vise installs for every version of Codex. The end of a session, which ends vise's wait for it, and
// permissions are added for versions that can wake a session.
var codexEvents = []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop"}

func (o Options) codexHooks(wakes support) (hooks []entry) {
	for _, event := range append(slices.Clip(codexEvents), askEvent, "SessionEnd") {
		line := command{Type: "command", Command: o.shellHook(event), Timeout: hookTimeout}
		switch event {
		case "SessionEnd":
			line.Timeout = endTimeout
		case askEvent:
			line.Timeout = int(askTimeout.Seconds())
		}
		hooks = append(hooks, o.hook(event, event, group{Hooks: []command{line}}))
	}
	for i := range hooks[len(codexEvents):] {
		hooks[len(codexEvents)+i].when = wakes
	}
	return hooks
}

func (o Options) codexFile(name string) string { return o.dir("CODEX_HOME", ".codex", name) }

func (o Options) codex(wakes support) []target {
	hooks := o.codexHooks(wakes)
	server := tomlTable{path: []string{"mcp_servers", "vise"}, lines: "command = " + strconv.Quote(o.Vise) +
		"\nargs = " + array(o.serverArgs()) + "\nenv_vars = " + array(variables) + "\n"}
	if o.permitted {
		server.lines += "default_tools_approval_mode = \"approve\"\n"
	}
	if o.Project != "" { // in a linked worktree Codex reads the hooks of the main worktree
		return []target{tomlFile(filepath.Join(o.Project, projectCodex), tomlEntry{tables: []tomlTable{server}})}
	}
	return []target{
		jsonFile(o.codexFile("hooks.json"), hooks...),
		tomlFile(o.codexFile("config.toml"), tomlEntry{
			tables: append(o.trust(o.codexFile("hooks.json"), hooks), server),
			key:    "notify", value: append([]string{o.Vise}, o.hookArgs("notify")...),
		}),
	}
}

// aborted reports whether the end of a Codex transcript shows that a turn ended after since because somebody stopped it or refused a
// permission.
func aborted(end []byte, since time.Time) bool {
	for line := range bytes.Lines(end) {
		var l struct {
			At   time.Time `json:"timestamp"`
			Data struct {
				Type string `json:"type"`
			} `json:"payload"`
		}
		if json.Unmarshal(line, &l) == nil && l.Data.Type == "turn_aborted" && l.At.After(since) {
			return true
		}
	}
	return false
}
