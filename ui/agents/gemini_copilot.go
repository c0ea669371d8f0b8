package agents

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/ui/mcp"
	"vise/ui/transcript"
)

// Gemini CLI and Copilot CLI have hooks like Claude Code's, under names of their own or with less in them.

// geminiEvents are Gemini CLI's names of events, and Claude Code's for the same.
var geminiEvents = []struct{ own, as string }{
	{"SessionStart", "SessionStart"}, {"BeforeAgent", "UserPromptSubmit"}, {"AfterTool", "PostToolUse"},
	{"AfterAgent", "Stop"}, {"SessionEnd", "SessionEnd"}, {noticeEvent, noticeEvent},
}

// copilotEvents are spelt as Claude Code spells them: Copilot CLI then names the input's fields so too.
var copilotEvents = []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"}

// permitEvent is the hook that answers Copilot's question whether one of vise's tools may run. It
// stands in the settings where that was permitted, and for vise's tools alone, which permitTools begins to name: among
// the hooks for permissions, as Copilot CLI heeds no other answer once there are such. Earlier it stood before tools.
const (
	permitEvent = "PreToolUse"
	permitTools = "vise/("
)

// copilotPermits reports whether Copilot CLI runs vise's tools without asking.
func copilotPermits(raw []byte) bool { return says(permitTools)(raw) || says(`"`+permitEvent+`"`)(raw) }

func (o Options) gemini(support) []target {
	server := struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Trust   bool     `json:"trust,omitempty"`
	}{o.Vise, o.serverArgs(), o.permitted}
	entries := []entry{{at: []string{"mcpServers", "vise"}, value: server}}
	for _, e := range geminiEvents {
		line := command{Type: "command", Command: o.shellHook(e.own), Timeout: hookTimeout * 1000}
		entries = append(entries, o.hook(e.own, e.own, group{Hooks: []command{line}}))
	}
	return []target{jsonFile(o.dir("GEMINI_CLI_HOME", "", ".gemini", "settings.json"), entries...)}
}

// copilot has a file of hooks for itself; its tools are asked for by name.
func (o Options) copilot(support) []target {
	type hook struct {
		Type    string `json:"type"`
		Matcher string `json:"matcher,omitempty"`
		Bash    string `json:"bash"`
		Timeout int    `json:"timeoutSec"`
	}
	hooks := map[string][]hook{}
	for _, event := range copilotEvents {
		hooks[event] = []hook{{Type: "command", Bash: o.shellHook(event), Timeout: hookTimeout}}
	}
	hooks[noticeEvent] = []hook{{Type: "command", Matcher: copilotPrompt, Bash: o.shellHook(noticeEvent), Timeout: hookTimeout}}
	hooks[askEvent] = []hook{{Type: "command", Bash: o.shellHook(askEvent), Timeout: int(askTimeout.Seconds())}}
	if o.permitted {
		hooks[askEvent] = append(hooks[askEvent], hook{Type: "command", Bash: o.shellHook(permitEvent), Timeout: hookTimeout,
			Matcher: permitTools + strings.Join(mcp.ToolNames(o.Tools == allTools), "|") + ")"})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(map[string]any{"version": 1, "hooks": hooks}) // our own values marshal
	server := struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Tools   []string `json:"tools"`
	}{"local", o.Vise, o.serverArgs(), []string{"*"}}
	return []target{
		jsonFile(o.dir("COPILOT_HOME", ".copilot", "mcp-config.json"), entry{at: []string{"mcpServers", "vise"}, value: server}),
		ownFile(o.dir("COPILOT_HOME", ".copilot", "hooks", "vise.json"), b.String()),
	}
}

// ownFile is a file that is all vise's.
func ownFile(path, text string) target {
	return target{path: path, edit: func(_ []byte, remove bool) ([]byte, string, error) {
		if remove {
			return nil, "", nil
		}
		return []byte(text), "", nil
	}}
}

// renamed gives Gemini CLI's event Claude Code's name; its own stays for what it is told.
func (c *call) renamed() {
	c.own = c.event
	for _, e := range geminiEvents {
		if c.program == "gemini" && e.own == c.own {
			c.event = e.as
		}
	}
}

// complete gives Copilot CLI's input what it leaves out or names otherwise.
func (c *call) complete(p *payload) {
	if c.program != "copilot" {
		return
	}
	p.Response = p.Result
	if p.Transcript == "" && p.Session != "" {
		p.Transcript = filepath.Join(c.transcripts(), "session-state", p.Session, "events.jsonl")
	}
}

// permit answers that one of vise's tools may run.
func (c *call) permit(p payload) error {
	var asked struct {
		Tool string `json:"toolName"`
	}
	_ = json.Unmarshal(c.payload, &asked) // before a tool it is named otherwise
	if c.program != "copilot" || !transcript.IsOurs(p.Tool) && !strings.HasPrefix(asked.Tool, "vise/") {
		return nil
	}
	return json.NewEncoder(c.Out).Encode(map[string]string{"behavior": "allow", "permissionDecision": "allow"})
}

// copilotPrompt and geminiPrompt are the kinds of a notice that say that a prompt waits.
const (
	copilotPrompt = "permission_prompt"
	geminiPrompt  = "ToolPermission"
)

// noticed takes what is asked from a notice of a prompt; false where it is of something else. Gemini CLI tells what it
// shows, which of an MCP server's tool is the name alone; Copilot CLI tells one line.
func (c *call) noticed(p *payload) bool {
	var n struct {
		Kind    string `json:"notification_type"`
		Message string `json:"message"`
		Details struct {
			Title   string `json:"title"`
			Command string `json:"command"`
			Diff    string `json:"fileDiff"`
			Prompt  string `json:"prompt"`
			Tool    string `json:"toolDisplayName"`
		} `json:"details"`
	}
	if json.Unmarshal(c.payload, &n) != nil {
		return false
	}
	var input string
	switch n.Kind {
	case copilotPrompt:
		p.Tool, input, _ = strings.Cut(n.Message, ": ")
	case geminiPrompt:
		p.Tool = strings.TrimPrefix(n.Details.Title, "Confirm ")
		diff := n.Details.Diff
		diff = diff[max(0, strings.Index(diff, "@@")):] // its head repeats the title
		input = cmp.Or(n.Details.Command, diff, n.Details.Prompt, n.Details.Tool)
	default:
		return false
	}
	if p.Input = nil; input != "" {
		p.Input, _ = json.Marshal(map[string]string{"command": input}) // a string marshals
	}
	return true
}

// asksBefore reports whether the operator is to answer what Copilot CLI asks this hook: before its own rules, and so also
// about what it would permit itself. Of vise's tools install has asked.
func (c *call) asksBefore(p *payload) bool {
	var asked struct {
		Tool  string          `json:"toolName"`
		Input json.RawMessage `json:"toolInput"`
	}
	if json.Unmarshal(c.payload, &asked) != nil || !c.asksHere() || strings.HasPrefix(asked.Tool, "vise/") {
		return false
	}
	p.Tool, p.Input = asked.Tool, asked.Input
	return true
}

// maxPermissions bounds what is read of a transcript's end for the permissions in it.
const maxPermissions = 256 << 10

// permitted reports whether Copilot CLI, as the end of its transcript says, has had an answer since a time, and waits for none.
func permitted(end []byte, since time.Time) bool {
	waiting, answered := map[string]bool{}, false
	for line := range bytes.Lines(end) {
		var l struct {
			Type string    `json:"type"`
			At   time.Time `json:"timestamp"`
			Data struct {
				ID     string `json:"requestId"`
				ByHook bool   `json:"resolvedByHook"`
			} `json:"data"`
		}
		if !bytes.Contains(line, []byte(`"permission.`)) || json.Unmarshal(line, &l) != nil {
			continue
		}
		switch l.Type {
		case "permission.requested":
			waiting[l.Data.ID] = !l.Data.ByHook
		case "permission.completed":
			waiting[l.Data.ID], answered = false, answered || l.At.After(since)
		}
	}
	for _, waits := range waiting {
		answered = answered && !waits
	}
	return answered
}

// subject is what a tool's arguments are about: a command, or the file or address that they name.
func subject(raw json.RawMessage) model.Text {
	var about struct {
		Command string `json:"command"`
		Path    string `json:"path"`
		URL     string `json:"url"`
	}
	_ = json.Unmarshal(raw, &about) // another shape is about nothing
	return model.Text(cmp.Or(about.Command, about.Path, about.URL))
}
