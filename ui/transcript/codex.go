package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"vise/model"
)

// Codex reads `codex exec --json`. Its lines give no id of a reply. The best match for a completing round is the last message after the
// previous tool, so its words are recorded as near.
type Codex struct {
	ending
	thread, text string
	others       []model.Text
	n            int
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
		Command   string          `json:"command"`
		ExitCode  *int            `json:"exit_code"`
	} `json:"item"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
	Message string `json:"message"`
	// Usage is that of a turn. Input tokens include those read from a cache.
	Usage struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
}

// Line is part of Stream.
func (c *Codex) Line(raw []byte) ([]Round, error) {
	var l codexLine
	if err := json.Unmarshal(raw, &l); err != nil && l.Type == "" {
		return nil, err // fields of other tools have other shapes
	}
	switch l.Type {
	case "thread.started":
		c.thread = l.Thread
	case "item.completed":
		return c.item(l), nil
	case "turn.completed":
		c.usage = c.usage.Plus(model.Usage{InputTokens: l.Usage.Input, OutputTokens: l.Usage.Output})
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
	case "command_execution":
		if l.Item.ExitCode != nil && l.Item.Command != "" {
			c.ran = append(c.ran, Ran{Command: bare(l.Item.Command), ExitStatus: *l.Item.ExitCode})
		}
		return c.other(l.Item.Type)
	case "file_change", "web_search":
		return c.other(l.Item.Type)
	}
	return nil
}

// other ends the text with a tool that is not ours.
func (c *Codex) other(tool string) []Round {
	if c.text == "" {
		return nil
	}
	c.others = append(c.others, model.Text(tool))
	return c.End()
}

// called ends the round with a tool of an MCP server, which may be our completion.
func (c *Codex) called(l codexLine) []Round {
	ref := Completes(l.Item.Server+"_"+l.Item.Tool, l.Item.Arguments)
	failed := len(l.Item.Error) > 0 && string(l.Item.Error) != "null"
	if l.Item.Server != "vise" || ref == "" || l.Item.Status != "completed" || failed || !Succeeded(l.Item.Result) {
		return c.End()
	}
	c.n++
	id := fmt.Sprintf("%s/%s/%d", c.thread, l.Item.ID, c.n)
	r := Round{ID: id, Text: Words(c.text), Completed: []string{ref}, Provenance: model.ReportNearRound}
	c.text = ""
	return []Round{r}
}

// End is part of Stream. It returns the text that no tool followed.
func (c *Codex) End() []Round {
	if c.text == "" {
		return nil
	}
	r := Round{Text: Words(c.text), Provenance: model.ReportNearRound, Others: c.others}
	c.text, c.others = "", nil
	return []Round{r}
}

// Rollout reads the lines of Codex's own transcripts: its messages and tool calls. A reply has no id there. As in Codex, its text is the
// last text before its first call. Calls without an answer between them belong to one reply, because the program writes the answers after
// the reply's last call. In code mode a reply calls only the tool exec. Its script calls the other tools, which appear in events of their
// own.
type Rollout struct{ open reply }

type rolloutLine struct {
	Type    string `json:"type"`
	Payload struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		Name      string          `json:"name"`
		Namespace string          `json:"namespace"`
		Arguments string          `json:"arguments"`
		CallID    string          `json:"call_id"`
		Output    json.RawMessage `json:"output"`
		Item      rolloutItem     `json:"item"`
	} `json:"payload"`
}

// rolloutItem is the event of an MCP tool call that ended.
type rolloutItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Status    string          `json:"status"`
	Result    json.RawMessage `json:"result"`
}

// Line returns the rounds that a line ends. It ignores lines that are not part of a reply.
func (c *Rollout) Line(raw []byte) (over []Round, err error) {
	var l rolloutLine
	if err := json.Unmarshal(raw, &l); err != nil && l.Type == "" {
		return nil, err // other lines have other shapes
	}
	p := l.Payload
	if l.Type == "event_msg" {
		c.ended(p.Item)
	}
	if l.Type != "response_item" {
		return nil, nil
	}
	if p.Type == "function_call_output" || p.Type == "custom_tool_call_output" {
		c.open.answer(p.CallID, false, p.Output)
		return nil, nil
	}
	if len(c.open.calls) > 0 && c.open.over() { // this line belongs to another reply
		over = c.Open()
		c.open = reply{}
	}
	switch p.Type {
	case "message":
		text := ""
		for _, b := range p.Content {
			if b.Type == "output_text" && p.Role == "assistant" {
				text += b.Text
			}
		}
		if len(c.open.calls) == 0 {
			c.open.text = []string{text}
		}
	case "function_call":
		c.open.call(p.CallID, p.Namespace+"__"+p.Name, json.RawMessage(p.Arguments))
	case "custom_tool_call":
		c.open.call(p.CallID, p.Name, nil)
	}
	return over, nil
}

// ended adds a call that the script of an exec made to the reply of that exec. A call that the reply made itself is already there.
func (c *Rollout) ended(i rolloutItem) {
	if i.Type != "McpToolCall" || slices.ContainsFunc(c.open.calls, func(x call) bool { return x.id == i.ID }) {
		return
	}
	c.open.call(i.ID, i.Server+"_"+i.Tool, i.Arguments)
	c.open.answer(i.ID, i.Status != "completed", i.Result)
}

// Open returns the rounds that have not ended, as they are so far. A call without an answer has completed nothing.
func (c *Rollout) Open() []Round {
	r := c.open.round(model.ReportNearRound)
	if len(r.Completed) == 0 {
		return nil
	}
	r.ID = r.Tools[0]
	return []Round{r}
}

// CodexStatus finds in the lines of Codex's transcript the exit status of the command that a call ran.
func CodexStatus(lines []byte, id string) (status int, ok bool) {
	for line := range bytes.Lines(lines) {
		var l struct {
			Type    string `json:"type"`
			Payload struct {
				Type string `json:"type"`
				Item struct {
					Type     string `json:"type"`
					ID       string `json:"id"`
					ExitCode *int32 `json:"exit_code"`
				} `json:"item"`
			} `json:"payload"`
		}
		if !bytes.Contains(line, []byte(`"CommandExecution"`)) || json.Unmarshal(line, &l) != nil {
			continue
		}
		i := l.Payload.Item
		if l.Type == "event_msg" && l.Payload.Type == "item_completed" && i.Type == "CommandExecution" && i.ID == id && id != "" &&
			i.ExitCode != nil && *i.ExitCode >= 0 {
			status, ok = int(*i.ExitCode), true
		}
	}
	return status, ok
}
