package transcript

import (
	"encoding/json"
	"fmt"

	"vise/model"
)

// Codex reads `codex exec --json`. It has no id of a reply: the nearest it comes to the
// completing round is the last message since the tool before, which is therefore near.
type Codex struct {
	thread string
	text   string
	last   string
	failed string
	n      int
}

type codexLine struct {
	Type   string `json:"type"`
	Thread string `json:"thread_id"`
	Item   struct {
		ID        string          `json:"id"`
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Server    string          `json:"server"`
		Tool      string          `json:"tool"`
		Status    string          `json:"status"`
		Arguments json.RawMessage `json:"arguments"`
		Result    json.RawMessage `json:"result"`
		Error     json.RawMessage `json:"error"`
	} `json:"item"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
	Message string `json:"message"`
}

// Line is part of Stream.
func (c *Codex) Line(raw []byte) ([]Round, error) {
	var l codexLine
	if err := json.Unmarshal(raw, &l); err != nil && l.Type == "" {
		return nil, err // the fields of foreign tools have other shapes
	}
	switch l.Type {
	case "thread.started":
		c.thread = l.Thread
	case "item.completed":
		return c.item(l), nil
	case "turn.failed":
		c.failed = l.Error.Message
	case "error":
		c.failed = l.Message
	}
	return nil, nil
}

func (c *Codex) item(l codexLine) []Round {
	switch l.Item.Type {
	case "agent_message":
		out := c.End()
		c.text, c.last = l.Item.Text, l.Item.Text
		return out
	case "mcp_tool_call":
		return c.called(l)
	case "command_execution", "file_change", "web_search":
		return c.End()
	}
	return nil
}

// called ends the round with a tool of an MCP server, which may be our completion.
func (c *Codex) called(l codexLine) []Round {
	failed := len(l.Item.Error) > 0 && string(l.Item.Error) != "null"
	ref := Reference(l.Item.Arguments)
	if l.Item.Server != "vise" || !IsComplete(l.Item.Server+"_"+l.Item.Tool) || l.Item.Status != "completed" || failed || ref == "" || !Succeeded(l.Item.Result) {
		return c.End()
	}
	c.n++
	r := Round{ID: fmt.Sprintf("%s/%s/%d", c.thread, l.Item.ID, c.n), Text: Words(c.text), Completed: []string{ref}, Provenance: model.ReportNearRound}
	c.text = ""
	return []Round{r}
}

// End is part of Stream: the words that no tool followed.
func (c *Codex) End() []Round {
	if c.text == "" {
		return nil
	}
	r := Round{Text: Words(c.text), Provenance: model.ReportNearRound}
	c.text = ""
	return []Round{r}
}

// Last is part of Stream.
func (c *Codex) Last() (model.Text, string) { return Words(c.last), c.failed }
