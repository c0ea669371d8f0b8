package acp

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"vise/ui/transcript"
)

// CallOf returns what an update tells of a call, or nil.
func CallOf(u acp.SessionUpdate) *acp.ToolCallUpdate {
	if c := u.ToolCall; c != nil {
		return &acp.ToolCallUpdate{ToolCallId: c.ToolCallId, Title: &c.Title, Kind: &c.Kind, Status: &c.Status, RawInput: c.RawInput,
			RawOutput: c.RawOutput, Content: c.Content, Locations: c.Locations, Meta: c.Meta}
	}
	if c := u.ToolCallUpdate; c != nil {
		return &acp.ToolCallUpdate{ToolCallId: c.ToolCallId, Title: c.Title, Kind: c.Kind, Status: c.Status, RawInput: c.RawInput,
			RawOutput: c.RawOutput, Content: c.Content, Locations: c.Locations, Meta: c.Meta}
	}
	return nil
}

// toolCall is a call of the turn.
type toolCall struct {
	Call
	meta map[string]any
	// name is the tool's. item is the item that the call asks to complete, or "".
	name, item string
	hasEnded   bool
	// isApart means that a subagent called.
	isApart bool
}

// add adds what an update tells.
func (c *toolCall) add(u acp.ToolCallUpdate) {
	if c.hasEnded {
		return
	}
	c.Call = c.With(u)
	if c.meta == nil {
		c.meta = map[string]any{}
	}
	maps.Copy(c.meta, u.Meta)
	if name := c.tool(); c.name == "" || transcript.IsOurs(name) {
		c.name = name
	}
	input := c.Input
	if arguments := in(input, "arguments"); arguments != nil { // Codex
		input = arguments
	}
	if input == nil { // Gemini CLI
		input = json.RawMessage(cmp.Or(c.texts(), "null"))
	}
	raw, _ := json.Marshal(input) // text that is no JSON names no item
	c.item = cmp.Or(c.item, transcript.Completes(c.name, raw))
}

// tool is the tool's name, else the kind of the call. The title of a call of another kind is its name; others have titles for people.
// Copilot CLI gives our tools the kinds of others, but never that of a command, whose title can be anything.
func (c *toolCall) tool() string {
	if name, ok := in(c.meta, "claudeCode", "toolName").(string); ok {
		return name
	}
	server, _ := in(c.Input, "server").(string)
	tool, _ := in(c.Input, "tool").(string)
	switch {
	case c.meta["is_mcp_tool_call"] == true: // Codex
		return "mcp__" + server + "__" + tool
	case c.Kind != acp.ToolKindOther && c.Kind != "" && (c.Kind == acp.ToolKindExecute || !transcript.IsOurs(c.Title)):
		return string(c.Kind)
	}
	return c.Title
}

// end notes how the call ended, and forgets what may be large.
func (c *toolCall) end(failed bool) {
	if transcript.IsOurs(c.name) {
		answer, _ := json.Marshal([]any{c.Output, c.Content}) // what was decoded marshals
		if failed || !transcript.Succeeded(answer) {
			c.item = ""
		} else if c.item == "" { // Gemini CLI tells no arguments of a call for which it need not ask
			var v any
			_ = json.Unmarshal([]byte(c.texts()), &v) // text that is no JSON names no item
			done, _ := json.Marshal(in(v, "work_item"))
			c.item = transcript.Completes(c.name, done)
		}
	}
	c.hasEnded, c.Call, c.meta = true, Call{ID: c.ID}, nil
}

// ran returns the command of a call that ends, if the program tells its exit status: Codex and OpenCode as a number, Claude Code and
// Copilot CLI in its output. Gemini CLI does not.
func (c *toolCall) ran(failed bool) (x transcript.Ran, ok bool) {
	if in(c.Input, "command") == nil {
		return x, false
	}
	output, _ := c.Output.(string)
	content, _ := in(c.Output, "content").(string)
	output = cmp.Or(output, content, c.texts())
	status := cmp.Or(in(c.Output, "exit_code"), in(c.Output, "metadata", "exit"),
		in(c.meta, "terminal_exit", "exit_code"))
	if in(c.meta, "claudeCode") != nil && !failed {
		status = 0
	}
	input, _ := json.Marshal(c.Input)
	answer, _ := json.Marshal(map[string]any{"exit_code": status, "text_result_for_llm": output})
	x, ok = transcript.ToolCall{Program: "copilot", Tool: "shell", Input: input, Response: answer, Failed: failed && status == nil,
		Error: strings.TrimLeft(output, "`\n")}.Ran()
	return x, ok && !x.NoStatus
}

// in returns what v has under some names, each in the one before, or nil.
func in(v any, names ...string) any {
	for _, name := range names {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}
