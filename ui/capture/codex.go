package capture

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
}

// Line takes one line and returns the completion that it tells of.
func (c *Codex) Line(raw []byte) []Round {
	var l codexLine
	if json.Unmarshal(raw, &l) != nil {
		return nil
	}
	if l.Type == "thread.started" {
		c.thread = l.Thread
	}
	if l.Type != "item.completed" {
		return nil
	}
	switch l.Item.Type {
	case "agent_message":
		c.text = l.Item.Text
	case "mcp_tool_call":
		text := c.text
		c.text = ""
		failed := len(l.Item.Error) > 0 && string(l.Item.Error) != "null"
		ref := Reference(l.Item.Arguments)
		if l.Item.Server != "vise" || !IsComplete(l.Item.Server+"_"+l.Item.Tool) || l.Item.Status != "completed" || failed || ref == "" || !Succeeded(l.Item.Result) {
			return nil
		}
		c.n++
		return []Round{{ID: fmt.Sprintf("%s/%s/%d", c.thread, l.Item.ID, c.n), Text: Words(text), Completed: []string{ref}, Provenance: model.ReportNearRound}}
	case "command_execution", "file_change", "web_search":
		c.text = ""
	}
	return nil
}

// End returns nothing: a completion is told of at once.
func (c *Codex) End() []Round { return nil }
