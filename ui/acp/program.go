package acp

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Program is what vise knows of a program that speaks the protocol. A program that is not in the table works with the zero value: what the
// protocol alone tells.
type Program struct {
	Name string
	// Command starts it.
	Command []string
	// Install is the command of npm that installs it for everybody; Size says how large that is (du, November 2026).
	Install, Size string
	// Login is the command that logs a person in.
	Login string
	// Env are variables that it needs, as NAME=value, and variables of the driver's environment that it may see, as NAME.
	Env []string
	// Runs names a variable, and a command whose path it gets unless it is set: an adapter is installed without the program that it runs.
	Runs [2]string
	// Mode is the mode in which it asks before it acts; empty: its own is that mode.
	Mode string
	// MCPFile means that it takes no MCP server from the session: its command gets the option and a file with the servers.
	MCPFile string
	// Steers means that it takes words while it works.
	Steers bool
	// Hangs means that a cancel while a permission waits never ends its turn.
	Hangs bool
	// TellsCost means that it tells dollars.
	TellsCost bool
	// Replies and Usage say how its messages are read. HasIDs means that it gives words an id, and notices of its own none.
	Replies ReplyRule
	Usage   UsageRule
	HasIDs  bool
	// Errors begins the words of its own that say, as a last reply in one piece, that the model failed in a turn that it ends as usual.
	Errors string
}

// Programs are the programs that were tried, by the names that agents' configurations use.
var Programs = []Program{
	{
		Name: "claude", Command: []string{"claude-agent-acp"}, // claude-agent-acp 0.101.0 was tried
		Install: "npm install -g --omit=optional @agentclientprotocol/claude-agent-acp", Size: "70 MB, beside Claude Code itself",
		Login: "claude /login", Runs: [2]string{"CLAUDE_CODE_EXECUTABLE", "claude"}, Steers: true, TellsCost: true, Mode: "default",
		// Newer versions defer the tools of MCP servers unless the search for tools is off.
		Env: []string{"ENABLE_TOOL_SEARCH=false", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL",
			"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "IS_SANDBOX"},
		Replies: ReplyByUsage, HasIDs: true,
	},
	{
		Name: "codex", Command: []string{"codex-acp"}, // codex-acp 2.6.0 was tried
		Install: "npm install -g --omit=optional @agentclientprotocol/codex-acp", Size: "22 MB, beside Codex itself",
		Login: "codex login", Runs: [2]string{"CODEX_PATH", "codex"}, Steers: true,
		// In its own mode a model reviews calls, and denies ours.
		Mode:    "workspace-write",
		Env:     []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME", "CODEX_API_KEY"},
		Replies: ReplyGoesOn, HasIDs: true,
	},
	{
		Name: "opencode", Command: []string{"opencode", "acp"}, // OpenCode 1.18.33 was tried
		Install: "npm install -g opencode-ai", Size: "150 MB", Login: "opencode auth login", Steers: true, TellsCost: true,
		Env:   []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "OPENCODE_CONFIG", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"},
		Usage: UsageOfReply, HasIDs: true,
	},
	{
		Name: "gemini", Command: []string{"gemini", "--acp"}, // Gemini CLI 0.61.0 was tried
		Install: "npm install -g @google/gemini-cli", Size: "100 MB", Login: "gemini", Hangs: true,
		Replies: ReplyBySuffix,
		Env: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_CLOUD_PROJECT",
			"GOOGLE_GENAI_USE_VERTEXAI", "GEMINI_CLI_TRUST_WORKSPACE", "GEMINI_CLI_TRUSTED_FOLDERS_PATH"},
	},
	{
		Name: "copilot", Command: []string{"copilot", "--acp"}, // Copilot CLI 1.0.102 was tried
		Install: "npm install -g @github/copilot", Size: "130 MB", Login: "copilot login", MCPFile: "--additional-mcp-config",
		Env: []string{"GH_TOKEN", "GITHUB_TOKEN", "COPILOT_GITHUB_TOKEN", "COPILOT_HOME", "COPILOT_MODEL", "COPILOT_PROVIDER_BASE_URL",
			"COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_TYPE"},
		Replies: ReplyByUsage, Usage: UsageOfProcess, Errors: "Error: ",
	},
}

// Named returns the program with a name.
func Named(name string) (p Program, ok bool) {
	i := slices.IndexFunc(Programs, func(p Program) bool { return p.Name == name })
	if i < 0 {
		return Program{}, false
	}
	return Programs[i], true
}

// Names are the names of the programs.
func Names() string {
	var all []string
	for _, p := range Programs {
		all = append(all, p.Name)
	}
	return strings.Join(all, ", ")
}

// Of returns what is known of the program that a command starts. One that is not in the table has its command's name.
func Of(command []string) Program {
	if len(command) == 0 {
		return Program{}
	}
	for _, p := range Programs {
		if slices.ContainsFunc(command, func(word string) bool { return filepath.Base(word) == p.Command[0] }) {
			return p
		}
	}
	return Program{Name: filepath.Base(command[0])}
}

// Environment returns the variables that the program needs: those with a value, and those of the driver that it may see.
func (p Program) Environment() (env []string) {
	if path, err := exec.LookPath(p.Runs[1]); err == nil {
		env = append(env, p.Runs[0]+"="+path)
	}
	return append(env, Variables(append(p.Env, p.Runs[0]))...)
}

// Variables returns those of this process's variables that are named, and those that are given as NAME=value.
func Variables(names []string) (env []string) {
	for _, x := range names {
		if v, ok := os.LookupEnv(x); ok {
			env = append(env, x+"="+v)
		} else if strings.Contains(x, "=") {
			env = append(env, x)
		}
	}
	return env
}

// Here returns the command that starts the program on this machine: from PATH, or else as Get installed it.
func (p Program) Here() []string {
	if _, err := exec.LookPath(p.Command[0]); err != nil {
		if own, err := exec.LookPath(filepath.Join(OwnDir(), "node_modules", ".bin", p.Command[0])); err == nil {
			return append([]string{own}, p.Command[1:]...)
		}
	}
	return p.Command
}

// OwnDir is where Get installs programs.
func OwnDir() string {
	cache, _ := os.UserCacheDir() // without a home, programs are looked for in the working directory's vise
	return filepath.Join(cache, "vise", "programs")
}

// NotInstalled is the error for a program that is not on this machine, and that Get installs.
type NotInstalled struct{ Program }

func (e NotInstalled) Error() string {
	return fmt.Sprintf("%s is not installed (%s): %s", e.Command[0], e.Size, e.Install)
}

// Missing returns NotInstalled if the program is not here. A command that vise does not know is not looked for: it can be relative to the
// session's directory.
func (p Program) Missing() error {
	if _, err := exec.LookPath(p.Here()[0]); err == nil || p.Install == "" {
		return nil
	}
	return NotInstalled{p}
}

// Get installs the program into OwnDir. npm runs there, so that no settings of a project's npm apply.
func (p Program) Get(ctx context.Context) error {
	dir := OwnDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	_, packages, _ := strings.Cut(p.Install, " -g ")
	c := exec.CommandContext(ctx, "npm",
		append([]string{"install", "--no-audit", "--no-fund", "--prefix", dir}, strings.Fields(packages)...)...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w %s", p.Install, err, out)
	}
	return nil
}
