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
	told acp.ToolCallUpdate
	// name is the tool's. item is the item that the call asks to complete, or "".
	name, item string
	hasEnded   bool
	// isApart means that a subagent called.
	isApart bool
}

// with adds what an update tells.
func (c *toolCall) with(u acp.ToolCallUpdate) {
	if c.hasEnded {
		return
	}
	c.told.ToolCallId = u.ToolCallId
	c.told.Title, c.told.Kind = cmp.Or(u.Title, c.told.Title), cmp.Or(u.Kind, c.told.Kind)
	if m, isMap := u.RawInput.(map[string]any); u.RawInput != nil && !(isMap && len(m) == 0) {
		c.told.RawInput = u.RawInput
	}
	if u.RawOutput != nil {
		c.told.RawOutput = u.RawOutput
	}
	if len(u.Content) > 0 {
		c.told.Content = u.Content
	}
	if c.told.Meta == nil {
		c.told.Meta = map[string]any{}
	}
	maps.Copy(c.told.Meta, u.Meta)
	if name := c.tool(); c.name == "" || transcript.IsOurs(name) {
		c.name = name
	}
	input := c.told.RawInput
	if given := in(input, "arguments"); given != nil { // Codex
		input = given
	}
	if input == nil { // Gemini CLI
		input = json.RawMessage(cmp.Or(c.said(), "null"))
	}
	raw, _ := json.Marshal(input) // text that is no JSON names no item
	c.item = cmp.Or(c.item, transcript.Completes(c.name, raw))
}

// tool is the tool's name, else the kind of the call. The title of a call of another kind is its name; others have titles for people.
func (c *toolCall) tool() string {
	if name, ok := in(c.told.Meta, "claudeCode", "toolName").(string); ok {
		return name
	}
	server, _ := in(c.told.RawInput, "server").(string)
	tool, _ := in(c.told.RawInput, "tool").(string)
	switch {
	case c.told.Meta["is_mcp_tool_call"] == true: // Codex
		return "mcp__" + server + "__" + tool
	case c.told.Kind != nil && *c.told.Kind != acp.ToolKindOther && *c.told.Kind != "":
		return string(*c.told.Kind)
	case c.told.Title != nil:
		return *c.told.Title
	}
	return ""
}

// said is the first text of the call's content.
func (c *toolCall) said() string {
	for _, x := range c.told.Content {
		if x.Content != nil && x.Content.Content.Text != nil {
			return x.Content.Content.Text.Text
		}
	}
	return ""
}

// end notes how the call ended, and forgets what may be large.
func (c *toolCall) end(failed bool) {
	if transcript.IsOurs(c.name) {
		answer, _ := json.Marshal([]any{c.told.RawOutput, c.told.Content}) // what was decoded marshals
		if failed || !transcript.Succeeded(answer) {
			c.item = ""
		} else if c.item == "" { // Gemini CLI tells no arguments of a call for which it need not ask
			var v any
			_ = json.Unmarshal([]byte(c.said()), &v) // text that is no JSON names no item
			done, _ := json.Marshal(in(v, "work_item"))
			c.item = transcript.Completes(c.name, done)
		}
	}
	c.hasEnded, c.told = true, acp.ToolCallUpdate{ToolCallId: c.told.ToolCallId}
}

// ran returns the command of a call that ends, if the program tells its exit status: Codex and OpenCode as a number, Claude Code and
// Copilot CLI in its output. Gemini CLI does not.
func (c *toolCall) ran(failed bool) (x transcript.Ran, ok bool) {
	if in(c.told.RawInput, "command") == nil {
		return x, false
	}
	output, _ := c.told.RawOutput.(string)
	content, _ := in(c.told.RawOutput, "content").(string)
	output = cmp.Or(output, content, c.said())
	status := cmp.Or(in(c.told.RawOutput, "exit_code"), in(c.told.RawOutput, "metadata", "exit"),
		in(c.told.Meta, "terminal_exit", "exit_code"))
	if in(c.told.Meta, "claudeCode") != nil && !failed {
		status = 0
	}
	input, _ := json.Marshal(c.told.RawInput)
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
