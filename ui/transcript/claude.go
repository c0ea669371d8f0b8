package transcript

import (
	"encoding/json"
	"slices"
)

// Claude reads the lines of Claude Code's transcripts: one for each content block. The blocks of one reply share their message's id.
type Claude struct {
	// Subagent makes it read a subagent's own transcript, in which all lines are marked as a subagent's.
	Subagent bool
	// Done holds the calls that succeeded according to their hooks. A program that was killed wrote no answer to them.
	Done []string

	latest
}

type claudeLine struct {
	Type    string `json:"type"`
	Message struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	// Sidechain marks a subagent's text, which is not the agent's own report.
	Sidechain bool `json:"isSidechain"`
}

type claudeBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
}

// Line returns the round that a line ends. It ignores a line of another shape.
func (c *Claude) Line(raw []byte) (over []Round) {
	var l claudeLine
	_ = json.Unmarshal(raw, &l) // a line of another shape has no type
	if l.Sidechain && !c.Subagent {
		return nil
	}
	switch l.Type {
	case "assistant":
		if c.open == nil || l.Message.ID != c.open.id {
			over = c.Open()
			c.open = &reply{id: l.Message.ID}
		}
		for _, b := range l.blocks() {
			switch b.Type {
			case "text":
				c.open.text = append(c.open.text, b.Text)
			case "tool_use":
				c.open.call(b.ID, b.Name, b.Input)
				if slices.Contains(c.Done, b.ID) {
					c.open.answer(b.ID, false, nil)
				}
			}
		}
	case "user":
		for _, b := range l.blocks() {
			if c.open != nil && b.Type == "tool_result" {
				c.open.answer(b.ToolUseID, b.IsError, b.Content)
			}
		}
	}
	return over
}

// blocks returns a line's blocks. It ignores blocks of another shape.
func (l claudeLine) blocks() []claudeBlock {
	var list []json.RawMessage
	if json.Unmarshal(l.Message.Content, &list) != nil {
		return nil
	}
	out := make([]claudeBlock, len(list))
	for i, raw := range list {
		_ = json.Unmarshal(raw, &out[i])
	}
	return out
}
