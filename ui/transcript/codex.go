package transcript

import (
	"bytes"
	"encoding/json"
	"slices"

	"vise/model"
)

// Rollout reads the lines of Codex's own transcripts: its messages and tool calls. A reply has no id there. Its text is the last text
// before its first call. Calls without an answer between them belong to one reply, because the program writes the answers after the
// reply's last call. In code mode a reply calls only the tool exec. Its script calls the other tools, which appear in events of their
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
func (c *Rollout) Line(raw []byte) (over []Round) {
	var l rolloutLine
	_ = json.Unmarshal(raw, &l) // a line of another shape has no type
	p := l.Payload
	if l.Type == "event_msg" {
		c.ended(p.Item)
	}
	if l.Type != "response_item" {
		return nil
	}
	if p.Type == "function_call_output" || p.Type == "custom_tool_call_output" {
		c.open.answer(p.CallID, false, p.Output)
		return nil
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
	return over
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
