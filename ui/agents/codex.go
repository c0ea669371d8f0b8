package agents

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"time"
)

func (o Options) codexHooks() (hooks []entry) {
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", askEvent, "SessionEnd"} {
		line := command{Type: "command", Command: o.shellHook(event), Timeout: hookTimeout}
		switch event {
		case "SessionEnd":
			line.Timeout = endTimeout
		case askEvent:
			line.Timeout = int(askTimeout.Seconds())
		}
		hooks = append(hooks, o.hook(event, event, group{Hooks: []command{line}}))
	}
	return hooks
}

func (o Options) codexFile(name string) string { return o.dir("CODEX_HOME", ".codex", name) }

func (o Options) codex() []target {
	hooks := o.codexHooks()
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
