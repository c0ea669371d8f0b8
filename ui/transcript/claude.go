package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"vise/model"
)

// Claude reads the lines of Claude Code's stream (`-p --output-format stream-json`) and of its transcripts, which have the same form: one
// line for each content block. The blocks of one reply share their message's id.
type Claude struct {
	// Subagent makes it read a subagent's own transcript, in which all lines are marked as a subagent's.
	Subagent bool
	// Done holds the calls that succeeded according to their hooks. A program that was killed wrote no answer to them.
	Done []string

	ending
	latest
	// asked holds the commands without an answer, by the id of their call.
	asked map[string]string
	// calls counts the calls of the agent and its subagents.
	calls int
}

type claudeLine struct {
	Type    string `json:"type"`
	Message struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	// Parent and Sidechain mark a subagent's text, which is not the agent's own report.
	Parent    string `json:"parent_tool_use_id"`
	Sidechain bool   `json:"isSidechain"`
	// Subtype and the next fields are in the last line: how the turn ended.
	Subtype string `json:"subtype"`
	IsError bool   `json:"is_error"`
	Result  string `json:"result"`
	// Denials are the calls that were not permitted.
	Denials []struct {
		Tool string `json:"tool_name"`
	} `json:"permission_denials"`
	// Limit describes the usage limit, with the time of its end in seconds since 1970.
	Limit struct {
		Status   string `json:"status"`
		ResetsAt int64  `json:"resetsAt"`
	} `json:"rate_limit_info"`
	// Cost and Usage are for the whole run so far.
	Cost  float64 `json:"total_cost_usd"`
	Usage struct {
		Input      int64 `json:"input_tokens"`
		CacheWrite int64 `json:"cache_creation_input_tokens"`
		CacheRead  int64 `json:"cache_read_input_tokens"`
		Output     int64 `json:"output_tokens"`
	} `json:"usage"`
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

// Line is part of Stream. It ignores a line of another shape.
func (c *Claude) Line(raw []byte) (over []Round, err error) {
	var l claudeLine
	if err := json.Unmarshal(raw, &l); err != nil && l.Type == "" {
		return nil, err
	}
	blocks := l.blocks()
	c.commands(l.Type, blocks)
	if !c.Subagent && (l.Parent != "" || l.Sidechain) {
		return nil, nil
	}
	switch l.Type {
	case "assistant":
		if c.open == nil || l.Message.ID != c.open.id {
			over = c.End()
			c.open = &reply{id: l.Message.ID}
		}
		for _, b := range blocks {
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
		for _, b := range blocks {
			if c.open != nil && b.Type == "tool_result" {
				c.open.answer(b.ToolUseID, b.IsError, b.Content)
			}
		}
	case "rate_limit_event":
		c.limit = time.Time{}
		if l.Limit.Status == "rejected" && l.Limit.ResetsAt > 0 {
			c.limit = time.Unix(l.Limit.ResetsAt, 0)
		}
	case "result":
		over = c.End()
		c.last = l.Result
		c.usage = model.Usage{
			CostUSD:      max(c.usage.CostUSD, l.Cost),
			InputTokens:  max(c.usage.InputTokens, l.Usage.Input+l.Usage.CacheWrite+l.Usage.CacheRead),
			OutputTokens: max(c.usage.OutputTokens, l.Usage.Output),
		}
		if l.IsError || l.Subtype != "" && l.Subtype != "success" {
			c.failed = l.Subtype + ": " + l.Result
		}
		if n := len(l.Denials); c.failed == "" && n > 0 && n >= c.calls {
			c.failed = fmt.Sprintf("nobody permitted any of its %d calls (%s): permit them in its settings", n, l.Denials[0].Tool)
		}
	}
	return over, nil
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

// maxAsked bounds the commands that are remembered until their answers arrive.
const maxAsked = 1000

// commands finds the commands that ended, including a subagent's, and counts all calls. If the program does not say how a command ended,
// the command is left out; its end is never guessed.
func (c *Claude) commands(line string, blocks []claudeBlock) {
	for _, b := range blocks {
		if line == "assistant" && b.Type == "tool_use" {
			c.calls++
		}
		switch {
		case line == "assistant" && b.Type == "tool_use" && b.Name == "Bash" && len(c.asked) < maxAsked:
			if in := shellInputOf(b.Input); in.command != "" && !in.background {
				if c.asked == nil {
					c.asked = map[string]string{}
				}
				c.asked[b.ID] = in.command
			}
		case line == "user" && b.Type == "tool_result" && c.asked[b.ToolUseID] != "":
			status, isTold := 0, true
			if b.IsError {
				status, isTold = exitStatus(textOf(b.Content))
			}
			if isTold {
				c.ran = append(c.ran, Ran{Command: c.asked[b.ToolUseID], ExitStatus: status})
			}
			delete(c.asked, b.ToolUseID)
		}
	}
}
