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

// Gemini CLI and Copilot CLI have hooks like Claude Code's, with other names or fewer fields.

// geminiEvents pairs Gemini CLI's event names with Claude Code's.
var geminiEvents = []struct{ own, as string }{
	{"SessionStart", "SessionStart"}, {"BeforeAgent", "UserPromptSubmit"}, {"AfterTool", "PostToolUse"},
	{"AfterAgent", "Stop"}, {"SessionEnd", "SessionEnd"}, {noticeEvent, noticeEvent},
}

// copilotEvents are in Claude Code's spelling. Copilot CLI then also uses Claude Code's names for the input's fields.
var copilotEvents = []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"}

// permitEvent is the hook that answers Copilot CLI's question whether one of vise's tools may run. It is in the settings only if the
// operator permitted that, and only for vise's tools; permitTools is the beginning of their pattern. It is one of the permission hooks,
// since Copilot CLI ignores all other answers once it has permission hooks.
const (
	permitEvent = "PreToolUse"
	permitTools = "vise/("
)

func (o Options) gemini() []target {
	server := o.server("")
	server.Trust = o.permitted
	entries := []entry{{at: []string{"mcpServers", "vise"}, value: server}}
	for _, e := range geminiEvents {
		line := command{Type: "command", Command: o.shellHook(e.own), Timeout: hookTimeout * 1000}
		entries = append(entries, o.hook(e.own, e.own, group{Hooks: []command{line}}))
	}
	return []target{jsonFile(o.dir("GEMINI_CLI_HOME", "", ".gemini", "settings.json"), entries...)}
}

// copilot edits a hooks file of its own. Copilot CLI's tools are given by name.
func (o Options) copilot() []target {
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
	server := o.server("local")
	server.Tools = []string{"*"}
	return []target{
		jsonFile(o.dir("COPILOT_HOME", ".copilot", "mcp-config.json"), entry{at: []string{"mcpServers", "vise"}, value: server}),
		ownFile(o.dir("COPILOT_HOME", ".copilot", "hooks", "vise.json"),
			string(spell(map[string]any{"version": 1, "hooks": hooks}, "", "  "))+"\n"),
	}
}

// ownFile is a file that contains only vise's text.
func ownFile(path, text string) target {
	return target{path: path, edit: func(_ []byte, remove bool) ([]byte, string, error) {
		if remove {
			return nil, "", nil
		}
		return []byte(text), "", nil
	}}
}

// renamed replaces Gemini CLI's event name with Claude Code's. The original name is kept for the answer.
func (c *call) renamed() {
	c.own = c.event
	for _, e := range geminiEvents {
		if c.program == "gemini" && e.own == c.own {
			c.event = e.as
		}
	}
}

// complete fills in the fields that Copilot CLI leaves out or names differently.
func (c *call) complete(p *payload) {
	if c.program != "copilot" {
		return
	}
	if p.Response = p.Result; p.Tool == "" {
		p.Tool, p.Input = p.ToolName, p.ToolInput
	}
	if p.Transcript == "" && c.session != "" {
		p.Transcript = filepath.Join(c.transcripts(), "session-state", c.session, "events.jsonl")
	}
}

// permit answers that one of vise's tools may run.
func (c *call) permit(p payload) error {
	if c.program != "copilot" || !transcript.IsOurs(p.Tool) && !strings.HasPrefix(p.Tool, "vise/") {
		return nil
	}
	return c.give(map[string]string{"behavior": "allow", "permissionDecision": "allow"})
}

// copilotPrompt and geminiPrompt are the kinds of notice that report a waiting prompt.
const (
	copilotPrompt = "permission_prompt"
	geminiPrompt  = "ToolPermission"
)

// noticed reads a prompt from a notice; it returns false for any other notice. Gemini CLI sends the text that it shows, which for a tool of
// an MCP server is only its name. Copilot CLI sends one line.
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
		diff = diff[max(0, strings.Index(diff, "@@")):] // the head of the diff repeats the title
		input = cmp.Or(n.Details.Command, diff, n.Details.Prompt, n.Details.Tool)
	default:
		return false
	}
	if p.Input = nil; input != "" {
		p.Input, _ = json.Marshal(map[string]string{"command": input}) // a string always marshals
	}
	return true
}

// maxPermissions bounds the end of a transcript that is read for permissions.
const maxPermissions = 256 << 10

// permitted reports whether the end of a Copilot CLI transcript shows an answer after since and no waiting prompt.
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

// subject returns the subject of a tool's arguments: a command, or the file or address that they name.
func subject(raw json.RawMessage) model.Text {
	var about struct {
		Command string `json:"command"`
		Path    string `json:"path"`
		URL     string `json:"url"`
	}
	_ = json.Unmarshal(raw, &about) // arguments of another shape have no subject
	return model.Text(cmp.Or(about.Command, about.Path, about.URL))
}
