package agents

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"

	"vise/model"
)

// hookTimeout is what a program waits for a hook, in seconds; a hook takes less.
const hookTimeout = 5

//go:embed opencode.ts
var openCodePlugin string

// targets are the files of a program's settings, and what a person should know of them.
func targets(o Options) ([]target, []string, error) {
	if !model.ValidID(o.Agent) {
		return nil, nil, model.Refuse(model.CodeInvalid, "agent %q is not usable", model.Text(o.Agent)).At("agent").
			WithHint("use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit")
	}
	switch o.Program {
	case "claude":
		return o.claude(), nil, nil
	case "codex":
		return o.codex(), []string{"Codex skips hooks that were not trusted, without a word: it asks at its next start (review, then trust all), or open /hooks and press t; a version that has them behind a flag needs codex_hooks = true below [features] in config.toml"}, nil
	case "crush":
		return o.crush(), []string{"Crush has a hook before a tool alone: a report is read with crush session show after the tool, and a session hears between tools; one that was started with --data-dir cannot be read"}, nil
	case "opencode":
		return o.openCode(), nil, nil
	}
	return nil, nil, model.Refuse(model.CodeInvalid, "vise does not know the program %q", model.Text(o.Program)).At("program").
		WithHint("it knows %s; any other MCP client can start: vise mcp --agent NAME", strings.Join(Programs, ", "))
}

// dir is the first of the variables that is set, else a place below the user's home.
func (o Options) dir(variable string, below ...string) string {
	if dir := o.Getenv(variable); dir != "" {
		return dir
	}
	return filepath.Join(append([]string{o.Getenv("HOME")}, below...)...)
}

func (o Options) config(name string) string {
	if dir := o.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, name)
	}
	return filepath.Join(o.Getenv("HOME"), ".config", name)
}

// stdio is an MCP server in the form that Claude Code and Crush share.
type stdio struct {
	Type    string   `json:"type"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (o Options) server() stdio {
	return stdio{"stdio", o.Vise, append([]string{"mcp"}, o.flags()...)}
}

// flags say for whom a program works. They name a home that is not where vise looks by
// itself: Codex hands no variable of the environment on to an MCP server but a few of its
// own, so that the server would work on another home than the hooks.
func (o Options) flags() []string {
	out := []string{"--agent", o.Agent}
	if o.Home != "" && o.Home != filepath.Join(o.Getenv("HOME"), ".local", "share", "vise") {
		out = append(out, "--home", o.Home)
	}
	return out
}

func (o Options) hookArgs(event string) []string {
	args := append([]string{"hook", o.Program, event}, o.flags()...)
	if event == "Stop" && o.AskReport {
		args = append(args, "--ask-report")
	}
	return args
}

func (o Options) claude() []target {
	settings := filepath.Join(o.dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
	servers := filepath.Join(o.dir("CLAUDE_CONFIG_DIR"), ".claude.json")
	events := []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStop", "Stop", "SessionEnd", "Notification"}
	hooks := o.hooks(settings, events, func(event string) command {
		return command{Type: "command", Command: o.Vise, Args: o.hookArgs(event), Timeout: hookTimeout}
	})
	return []target{
		o.withRest(hooks),
		o.member(servers, o.server(), "mcpServers", "vise"),
	}
}

func (o Options) codex() []target {
	dir := o.dir("CODEX_HOME", ".codex")
	hooks := o.codexHooks(filepath.Join(dir, "hooks.json"))
	const table, key = "mcp_servers.vise", "notify"
	server := []string{
		"command = " + strconv.Quote(o.Vise),
		"args = " + array(o.server().Args),
		`default_tools_approval_mode = "approve"`,
	}
	notify := array(append([]string{o.Vise}, o.hookArgs("notify")...))
	return []target{hooks, {
		path: filepath.Join(dir, "config.toml"),
		edit: func(before []byte) ([]byte, string, error) { return setTOML(before, table, server, key, notify) },
		undo: func(before []byte) ([]byte, string, error) {
			after, err := unsetTOML(before, table, key)
			return kept(after), "", err
		},
	}}
}

// codexHooks asks for the end of a session, which ends the waiting beside it, where the
// version has it. Where the version is not known, what is there stays.
func (o Options) codexHooks(path string) target {
	line := func(event string) command {
		return command{Type: "command", Command: shell(append([]string{o.Vise}, o.hookArgs(event)...)), Timeout: hookTimeout}
	}
	hooks, end := o.hooks(path, codexEvents, line), o.hooks(path, []string{"SessionEnd"}, line)
	yes, known := wakes(o.Program, o.Version)
	edit, undo := hooks.edit, hooks.undo
	switch {
	case yes:
		hooks.edit = func(before []byte) ([]byte, string, error) { return both(before, edit, end.edit) }
	case known:
		hooks.edit = func(before []byte) ([]byte, string, error) { return both(before, edit, end.undo) }
	}
	hooks.undo = func(before []byte) ([]byte, string, error) { return both(before, end.undo, undo) }
	return hooks
}

// array is a list of strings in TOML and JavaScript alike.
func array(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// shell is a command line of a POSIX shell.
func shell(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = quote(w)
	}
	return strings.Join(quoted, " ")
}

// quote is a word of a shell command.
func quote(s string) string {
	if strings.ContainsAny(s, " '\"$\\`") {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	return s
}

// crush puts the server and the hook into one file. Crush knows the event before a tool
// alone.
func (o Options) crush() []target {
	path := filepath.Join(o.config("crush"), "crush.json")
	server := o.member(path, o.server(), "mcp", "vise")
	hooks := o.groups(path, []string{"PreToolUse"}, func(event string) group {
		return group{Name: "vise", Command: shell(append([]string{o.Vise}, o.hookArgs(event)...)), Timeout: hookTimeout}
	})
	return []target{{
		path: path,
		edit: func(before []byte) ([]byte, string, error) { return both(before, server.edit, hooks.edit) },
		undo: func(before []byte) ([]byte, string, error) { return both(before, hooks.undo, server.undo) },
	}}
}

func (o Options) openCode() []target {
	server := struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}{"local", append([]string{o.Vise}, o.server().Args...), true}
	plugin := strings.NewReplacer("@VISE@", strconv.Quote(o.Vise), "@FLAGS@", array(o.flags())).Replace(openCodePlugin)
	return []target{
		o.member(filepath.Join(o.config("opencode"), "opencode.json"), server, "mcp", "vise"),
		{
			path: filepath.Join(o.config("opencode"), "plugin", "vise.ts"),
			edit: func([]byte) ([]byte, string, error) { return []byte(plugin), "", nil },
			undo: func([]byte) ([]byte, string, error) { return nil, "", nil },
		},
	}
}

// member is a file in which one member is ours.
func (o Options) member(path string, v any, at ...string) target {
	return target{
		path: path,
		edit: edited(func(d *document) error { return d.set(v, at...) }),
		undo: edited(func(d *document) error {
			d.remove(func(hujson.Value) bool { return true }, at...)
			return nil
		}),
	}
}

// hooks is a file in which one group of each event is ours, with one command. Without a
// matcher PostToolUse comes after every tool, so that a message reaches an agent at work,
// whatever it works with.
func (o Options) hooks(path string, events []string, make func(event string) command) target {
	return o.groups(path, events, func(event string) group { return group{Hooks: []command{make(event)}} })
}

// groups is a file in which one group of each event is ours.
func (o Options) groups(path string, events []string, make func(event string) group) target {
	return target{
		path: path,
		edit: edited(func(d *document) error {
			for _, e := range events {
				if err := d.setGroup(e, make(e), o.ours); err != nil {
					return err
				}
			}
			return nil
		}),
		undo: edited(func(d *document) error {
			for _, e := range events {
				d.removeGroups(e, o.ours)
			}
			return nil
		}),
	}
}

// ours recognises a group that vise put there: all its commands are hooks of vise.
func (o Options) ours(g group) bool {
	return o.calls(g, " hook "+o.Program+" ") && !o.rests(g)
}

// calls recognises a group whose commands are all of vise, with words in them.
func (o Options) calls(g group, words string) bool {
	if g.Command != "" {
		g.Hooks = append(g.Hooks, command{Command: g.Command})
	}
	return len(g.Hooks) > 0 && !slices.ContainsFunc(g.Hooks, func(c command) bool {
		line := c.Command + " " + strings.Join(c.Args, " ") + " "
		return !strings.Contains(line, words) || !strings.Contains(line, "vise")
	})
}

func edited(edit func(*document) error) func([]byte) ([]byte, string, error) {
	return func(before []byte) ([]byte, string, error) {
		d, err := parseJSON(before)
		if err != nil {
			return nil, "", err
		}
		if err := edit(d); err != nil {
			return nil, "", err
		}
		after := d.bytes()
		if _, err := parseJSON(after); err != nil {
			return nil, "", fmt.Errorf("it would not read any more: %w", err)
		}
		return after, "", nil
	}
}

func kept(after []byte) []byte {
	if after == nil {
		return []byte{}
	}
	return after
}
