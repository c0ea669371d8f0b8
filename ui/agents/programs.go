package agents

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tailscale/hujson"

	"vise/model"
	"vise/ui/mcp"
	"vise/ui/transcript"
)

// program describes one agents' program.
type program struct {
	name string
	// settings returns the files that vise edits.
	settings func(Options) []target
	// note is shown to a person after an installation, inProject after an installation for a project.
	note, inProject string
	// permitted finds out from the settings whether the program runs vise's tools without asking; nil if no setting shows that. asks says
	// what a person is asked otherwise.
	permitted func(settings []byte) bool
	asks      string
	// answers says how an answer or a message reaches a session.
	answers string
	// expected are the events that a program in use has sent at some time; hint says what to do if one has not been sent.
	expected []string
	hint     string
	// config locates the program's directory, in the form that dir takes: the environment variable, and the path below the user's home.
	// instructions is the user's instruction file in it.
	config       []string
	instructions string
	// transcript makes a reader of transcript lines, a subagent's or not; nil if vise reads none of the program's. unnamed means that its
	// hooks give no id of a call.
	transcript func(subagent bool) lines
	unnamed    bool
	// batch holds the words without which the program keeps the terminal.
	batch []string
}

const whileItWorks = "reach a session between two tools, at the end of its turn and with the next prompt or session; " +
	"an idle session is not woken"

var restHours = fmt.Sprint(int(restLimit.Hours()))

var programs = []program{
	{
		name:      "claude",
		inProject: "Claude Code takes permissions from a folder that it was told to trust: it asks at its first start there",
		settings:  Options.claude, config: []string{"CLAUDE_CONFIG_DIR", ".claude"}, instructions: ClaudeInstructionFile,
		transcript: func(subagent bool) lines { return &transcript.Replies{Program: "claude", Subagent: subagent} },
		answers: "reach a session between two tools, at the end of its turn and with the next prompt or session; an idle session at a " +
			"terminal is woken, for " + restHours + " hours after its turn",
		expected:  []string{"SessionStart", "PostToolUse", "Stop"},
		hint:      "run claude once and end a turn; then look again",
		permitted: lists("mcp__vise", "permissions", "allow"),
		asks:      "Claude Code asks before each of vise's tools, and refuses them where nobody can answer",
		batch:     []string{"-p", "--print"},
	},
	{
		name: "codex",
		inProject: "Codex reads the settings of a folder that it was told to trust: it asks at its first start there; its hooks are " +
			"the user's (vise install codex), and act for the project's agent",
		settings: Options.codex, config: []string{"CODEX_HOME", ".codex"}, instructions: InstructionFile,
		transcript: func(bool) lines { return &transcript.Rollout{} },
		answers: "reach a session with vise's own answers and, once its hooks are trusted, between two tools, at the end of its turn and " +
			"with the next prompt; an idle session in Codex's server, such as one at a terminal, is prompted while the server keeps it, " +
			"for " + restHours + " hours after its turn",
		expected: []string{"SessionStart", "PostToolUse", "Stop"},
		hint: "Codex asks at its next start: review the hooks and trust all, or open /hooks and press t; hooks that are not trusted are " +
			"skipped without a word",
		permitted: codexApproves,
		asks: "Codex may ask before it runs vise's tools, and skips hooks that were not trusted, without a word: it asks at " +
			"its next start (review, then trust all), or open /hooks and press t",
		batch: []string{"exec", "e"},
	},
	{
		name: "crush", settings: Options.crush, config: []string{"XDG_CONFIG_HOME", ".config", "crush"}, instructions: "CRUSH.md",
		note: "Crush has a hook before a tool alone: a report is read with crush session show after the tool, and a session gets " +
			"messages between tools; one that was started with --data-dir cannot be read",
		answers: "reach a session with vise's own answers and with those of any other tool; an idle session is not woken: " +
			"it gets messages at its next tool",
		expected:  []string{"PreToolUse"},
		hint:      "have crush use a tool once; then look again",
		permitted: lists("mcp_vise_PickWorkItem", "permissions", "allowed_tools"),
		asks:      "Crush asks for each of vise's tools in each session",
		batch:     []string{"run"},
	},
	{
		name: "opencode", settings: Options.openCode, config: []string{"XDG_CONFIG_HOME", ".config", "opencode"},
		instructions: InstructionFile,
		answers: "reach a session with vise's own answers, with those of any other tool and with its next prompt; an idle " +
			"session is prompted, for " + restHours + " hours after its turn",
		expected: []string{"chat.message", "session.idle"},
		hint:     "run opencode once and end a turn; then look again",
		batch:    []string{"run"},
	},
	{
		name: "gemini",
		note: "Gemini CLI starts no MCP server in a folder that it was not told to trust: it asks at its start " +
			"there, and gemini trust answers that",
		settings: Options.gemini, config: []string{"GEMINI_CLI_HOME", "", ".gemini"}, instructions: "GEMINI.md",
		transcript: func(bool) lines { return &transcript.Replies{Program: "gemini"} }, unnamed: true,
		permitted: geminiTrusts,
		asks:      "Gemini CLI asks before each of vise's tools, and refuses them where nobody can answer",
		answers:   whileItWorks,
		expected:  []string{"SessionStart", "AfterTool", "AfterAgent"},
		hint:      "run gemini once and end a turn; then look again",
		batch:     []string{"-p", "--prompt"},
	},
	{
		name: "copilot", settings: Options.copilot, config: []string{"COPILOT_HOME", ".copilot"}, instructions: "copilot-instructions.md",
		transcript: func(bool) lines { return &transcript.Replies{Program: "copilot"} }, unnamed: true,
		permitted: says(permitTools),
		asks:      "Copilot CLI asks for vise's tools in each folder, and refuses them where nobody can answer",
		answers:   whileItWorks,
		expected:  copilotEvents[:4],
		hint:      "run copilot once and end a turn; then look again",
		batch:     []string{"-p", "--prompt"},
	},
}

// Programs lists the names of the agents' programs that have hooks.
var Programs = func() (names []string) {
	for _, p := range programs {
		names = append(names, p.name)
	}
	return names
}()

// programOf returns the program with a name, or the zero value.
func programOf(name string) program {
	if i := slices.Index(Programs, name); i >= 0 {
		return programs[i]
	}
	return program{}
}

// hookTimeout is how long a program waits for a hook, in seconds. A hook takes less.
const hookTimeout = 5

// endTimeout is the longest time that Codex waits for a hook at the end of a session, in seconds.
const endTimeout = 3

//go:embed opencode.ts
var openCodePlugin string

// dir returns the first of the variables that is set, else a path below the user's home.
func (o Options) dir(variable string, below ...string) string {
	if dir := o.Getenv(variable); dir != "" {
		return filepath.Join(append([]string{dir}, below[1:]...)...)
	}
	return filepath.Join(append([]string{o.Getenv("HOME")}, below...)...)
}

// server returns the MCP server's entry in the form that most programs share.
func (o Options) server(kind string) mcpServer {
	return mcpServer{Type: kind, Command: o.Vise, Args: o.serverArgs()}
}

type mcpServer struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
	// Tools are those that Copilot CLI offers. With Trust, Gemini CLI does not ask before it runs one.
	Tools []string `json:"tools,omitempty"`
	Trust bool     `json:"trust,omitempty"`
	// AlwaysLoad puts the tools into the first request. Of other servers' tools Claude Code shows a model only the names at first.
	AlwaysLoad bool `json:"alwaysLoad,omitempty"`
}

// Server returns the MCP server's entry in the form that most clients use.
func Server(o Options) any {
	return map[string]any{"mcpServers": map[string]any{"vise": o.server("stdio")}}
}

func (o Options) serverArgs() []string {
	args := append([]string{"mcp"}, o.flags()...)
	if o.Tools == allTools {
		args = append(args, "--tools", allTools)
	}
	return args
}

// variables are passed to the server. Codex passes only a few of its own otherwise.
var variables = []string{"VISE_HOME", "VISE_AGENT", "VISE_ACTOR", "VISE_TURN"}

// flags name the program's default agent and home. The environment can override them.
func (o Options) flags() (out []string) {
	if !o.byWorktree {
		out = append(out, "--agent", o.Agent)
	}
	if o.Project != "" {
		out = append(out, "--project", o.Program)
	}
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

// claude installs a hook for every event that is used. PostToolUse without a matcher runs after every tool, so a message reaches a working
// agent whatever tool it uses. StopFailure replaces Stop when the model fails. The second hooks of both wait for an idle session.
func (o Options) claude() []target {
	line := func(event string) command {
		return command{Type: "command", Command: o.Vise, Args: o.hookArgs(event), Timeout: hookTimeout}
	}
	var hooks []entry
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure",
		"SubagentStop", "Stop", "SessionEnd"} {
		hooks = append(hooks, o.hook(event, event, group{Hooks: []command{line(event)}}))
	}
	ask := line(askEvent)
	ask.Timeout = int(askTimeout.Seconds())
	rest := line(restEvent)
	rest.Timeout, rest.Async, rest.AsyncRewake = int((restLimit + time.Minute).Seconds()), true, true
	hooks = append(hooks, o.hook(askEvent, askEvent, group{Hooks: []command{ask}}),
		o.hook("StopFailure", "StopFailure", group{Hooks: []command{line("StopFailure")}}),
		o.hook("Stop", restEvent, group{Hooks: []command{rest}}), o.hook("StopFailure", restEvent, group{Hooks: []command{rest}}),
		o.element("permissions", "allow", "mcp__vise"))
	server := o.server("stdio")
	server.AlwaysLoad = true
	return []target{
		jsonFile(o.file(projectHooks, "CLAUDE_CONFIG_DIR", ".claude", "settings.json"), hooks...),
		jsonFile(o.file(projectServer, "CLAUDE_CONFIG_DIR", "", ".claude.json"),
			entry{at: []string{"mcpServers", "vise"}, value: server}),
	}
}

func (o Options) crush() []target {
	entries := []entry{
		{at: []string{"mcp", "vise"}, value: o.server("stdio")},
		o.hook("PreToolUse", "PreToolUse", group{Name: "vise", Command: o.shellHook("PreToolUse"), Timeout: hookTimeout}),
	}
	for _, tool := range mcp.ToolNames(true) {
		e := o.element("permissions", "allowed_tools", "mcp_vise_"+tool)
		if o.Tools != allTools && !slices.Contains(mcp.ToolNames(false), tool) {
			e.when = toRemove
		}
		entries = append(entries, e)
	}
	return []target{jsonFile(o.file(projectCrush, "XDG_CONFIG_HOME", ".config", "crush", "crush.json"), entries...)}
}

func (o Options) openCode() []target {
	server := struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}{"local", append([]string{o.Vise}, o.serverArgs()...), true}
	plugin := strings.NewReplacer("@VISE@", strconv.Quote(o.Vise), "@FLAGS@", array(o.flags())).Replace(openCodePlugin)
	return []target{
		jsonFile(o.file("opencode.json", "XDG_CONFIG_HOME", ".config", "opencode", "opencode.json"),
			entry{at: []string{"mcp", "vise"}, value: server}),
		ownFile(o.file(projectPlugin, "XDG_CONFIG_HOME", ".config", "opencode", "plugin", "vise.ts"), plugin),
	}
}

// hook is the group of an event that calls vise with the event's name in as.
func (o Options) hook(event, as string, g group) entry {
	return entry{at: []string{"hooks", event}, value: g, ours: func(v hujson.Value) bool {
		var g group
		_ = decode(v, &g) // a value of another shape is not ours
		return o.calls(g, as)
	}}
}

// calls reports whether vise added a group: all its commands are this hook of vise.
func (o Options) calls(g group, as string) bool {
	if g.Command != "" {
		g.Hooks = append(g.Hooks, command{Command: g.Command})
	}
	return len(g.Hooks) > 0 && !slices.ContainsFunc(g.Hooks, func(c command) bool {
		line := c.Command + " " + strings.Join(c.Args, " ") + " "
		return !strings.Contains(line, " hook "+o.Program+" "+as+" ") || !strings.Contains(line, "vise")
	})
}

// array writes a list of strings in a form that is valid in TOML and in JavaScript.
func array(words []string) string {
	raw, _ := json.Marshal(words) // strings always marshal
	return strings.ReplaceAll(string(raw), `","`, `", "`)
}

// shellHook returns a hook as a command line for a POSIX shell.
func (o Options) shellHook(event string) string {
	return model.ShellLine(append([]string{o.Vise}, o.hookArgs(event)...))
}

// settings returns the files of a program's settings.
func (o Options) settings() ([]target, error) {
	if !model.ValidID(o.Agent) {
		return nil, model.Invalid("agent %q is not usable", model.Text(o.Agent)).At("agent",
			"use 1 to 64 of a-z, 0-9, - and _, beginning with a letter or digit")
	}
	p := programOf(o.Program)
	if p.settings == nil {
		return nil, model.Invalid("vise does not know the program %q", model.Text(o.Program)).At("program",
			"it knows %s; for any other MCP client: vise install --print --agent NAME", strings.Join(Programs, ", "))
	}
	return p.settings(o), nil
}
