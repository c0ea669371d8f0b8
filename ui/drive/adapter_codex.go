package drive

import (
	"encoding/json"

	"vise/model"
)

// codex reads `codex exec --json`. It has no id of a reply, so that "the same round" is the
// last message since the tool before: near, and offered, never promoted by itself.
type codex struct {
	text   string
	final  string
	failed string
}

type codexLine struct {
	Type string `json:"type"`
	Item struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Server    string          `json:"server"`
		Tool      string          `json:"tool"`
		Status    string          `json:"status"`
		Arguments reference       `json:"arguments"`
		Error     json.RawMessage `json:"error"`
	} `json:"item"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
	Message string `json:"message"`
}

func (c *codex) line(raw []byte) ([]said, error) {
	var l codexLine
	err := json.Unmarshal(raw, &l)
	if l.Type == "" && err != nil {
		return nil, err // the arguments of foreign tools have other shapes
	}
	switch l.Type {
	case "item.completed":
		return c.item(l), nil
	case "turn.failed":
		c.failed = l.Error.Message
	case "error":
		c.failed = l.Message
	}
	return nil, nil
}

func (c *codex) item(l codexLine) []said {
	switch l.Item.Type {
	case "agent_message":
		out := c.flush(nil)
		c.text, c.final = l.Item.Text, l.Item.Text
		return out
	case "mcp_tool_call":
		if l.Item.Server == "vise" && l.Item.Tool == completeTool && l.Item.Status == "completed" && none(l.Item.Error) {
			return c.flush([]string{l.Item.Arguments.item()})
		}
		return c.flush(nil)
	case "command_execution", "file_change", "web_search":
		return c.flush(nil)
	}
	return nil
}

// none: a field that is absent or null.
func none(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

func (c *codex) flush(done []string) []said {
	if c.text == "" && done == nil {
		return nil
	}
	r := said{Round: model.Round{Text: words(c.text), Provenance: model.ReportNearRound}, done: done}
	c.text = ""
	return []said{r}
}

func (c *codex) end() ([]said, model.Text, string) { return c.flush(nil), words(c.final), c.failed }
