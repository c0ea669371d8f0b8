package drive

import (
	"encoding/json"

	"vise/model"
)

// claudeTool is how Claude Code names the tool of our MCP server.
const claudeTool = "mcp__vise__" + completeTool

// claude reads `claude -p --verbose --output-format stream-json`: one line a content block;
// the blocks of one reply share their message's id. Its tools were carried out by the MCP
// server already, so that a round only brings text, and the items that it completed.
type claude struct {
	message string
	text    []string
	calls   []string
	// asked are completions without an answer yet, by tool use; done those that succeeded.
	asked map[string]string
	done  []string

	final  string
	failed string
}

type claudeLine struct {
	Type    string `json:"type"`
	Message struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	// Parent is set on what a subagent says, which is not the agent's own report.
	Parent  *string `json:"parent_tool_use_id"`
	Subtype string  `json:"subtype"`
	IsError bool    `json:"is_error"`
	Result  string  `json:"result"`
}

type claudeBlock struct {
	Type      string    `json:"type"`
	Text      string    `json:"text"`
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Input     reference `json:"input"`
	ToolUseID string    `json:"tool_use_id"`
	IsError   bool      `json:"is_error"`
}

func (c *claude) line(raw []byte) ([]said, error) {
	var l claudeLine
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, err
	}
	if l.Parent != nil && *l.Parent != "" {
		return nil, nil
	}
	switch l.Type {
	case "assistant":
		var out []said
		if l.Message.ID != c.message {
			out = c.flush()
			c.message = l.Message.ID
		}
		c.blocks(l.Message.Content)
		return out, nil
	case "user":
		c.blocks(l.Message.Content)
	case "result":
		c.final = l.Result
		if l.IsError || l.Subtype != "" && l.Subtype != "success" {
			c.failed = l.Subtype + ": " + l.Result
		}
		return c.flush(), nil
	}
	return nil, nil
}

// blocks reads the blocks of a message. A block of an unknown shape, or a message that is
// one string, holds nothing for us.
func (c *claude) blocks(raw json.RawMessage) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return
	}
	for _, one := range list {
		var b claudeBlock
		_ = json.Unmarshal(one, &b) // the input of foreign tools has other shapes
		switch b.Type {
		case "text":
			c.text = append(c.text, b.Text)
		case "tool_use":
			c.calls = append(c.calls, b.Name)
			if b.Name == claudeTool && b.Input.item() != "" {
				if c.asked == nil {
					c.asked = map[string]string{}
				}
				c.asked[b.ID] = b.Input.item()
			}
		case "tool_result":
			if item, ok := c.asked[b.ToolUseID]; ok && !b.IsError {
				c.done = append(c.done, item)
			}
			delete(c.asked, b.ToolUseID)
		}
	}
}

// flush ends the round of the current message.
func (c *claude) flush() []said {
	if len(c.text) == 0 && len(c.calls) == 0 {
		return nil
	}
	r := said{Round: model.Round{Text: words(join(c.text))}, done: c.done}
	c.text, c.calls, c.asked, c.done = nil, nil, nil, nil
	return []said{r}
}

func (c *claude) end() ([]said, model.Text, string) { return c.flush(), words(c.final), c.failed }
