package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"vise/model"
)

// codexLine reads a line of Codex's rollouts: its messages, tool calls and events.
func codexLine(raw []byte) (out Line) {
	var l rolloutLine
	_ = json.Unmarshal(raw, &l) // a line of another shape has no type
	p := l.Payload
	text := ""
	for _, b := range p.Content {
		text += b.Text
	}
	switch out.At = l.At; l.Type + " " + p.Type {
	case "response_item message":
		if out.Texts = []string{text}; p.Role != "assistant" { // it parts what was said before from what is said after it
			out.Texts[0] = ""
		}
		out.Reply = p.ID
	case "response_item reasoning":
		for _, b := range p.Summary {
			out.Thought += b.Text
		}
	case "response_item function_call":
		out.Calls = []ToolUse{{p.CallID, p.Namespace + "__" + p.Name, json.RawMessage(p.Arguments)}}
	case "response_item custom_tool_call":
		input, _ := json.Marshal(map[string]string{"input": p.Input}) // strings marshal
		out.Calls = []ToolUse{{p.CallID, p.Name, input}}
	case "response_item function_call_output", "response_item custom_tool_call_output":
		out.Answers = []ToolAnswer{{p.CallID, false, p.Output}}
	case "event_msg user_message":
		out.Prompt = p.Message
	case "event_msg item_completed":
		switch i := p.Item; i.Type {
		case "UserMessage":
			for _, b := range i.Content {
				out.Prompt += b.Text
			}
		case "McpToolCall":
			out.Calls = []ToolUse{{i.ID, i.Server + "_" + i.Tool, i.Arguments}}
			out.Answers = []ToolAnswer{{i.ID, i.Status != "completed", i.Result}}
		}
	case "token_usage_record ":
		out.Ends, out.Usage = p.ResponseID, p.Usage
	}
	return out
}

type rolloutLine struct {
	At      time.Time `json:"timestamp"`
	Type    string
	Payload struct {
		Type      string
		ID        string
		Role      string
		Content   []rolloutText
		Summary   []rolloutText
		Message   string
		Name      string
		Namespace string
		Arguments string
		Input     string
		CallID    string `json:"call_id"`
		Output    json.RawMessage
		Item      struct {
			Type      string
			ID        string
			Content   []rolloutText
			Server    string
			Tool      string
			Arguments json.RawMessage
			Status    string
			Result    json.RawMessage
			ExitCode  *int32 `json:"exit_code"`
		} `json:"item"`
		// ResponseID and Usage are in the record that newer versions write after each reply.
		ResponseID string `json:"response_id"`
		Usage      model.Usage
	} `json:"payload"`
}

type rolloutText struct {
	Text string
}

// Rollout reads Codex's transcripts. Newer versions write a record with the reply's id after each reply, before its calls have answers.
// Older ones do not: the text is then the last one before the reply's first call, and calls without an answer between them belong to one
// reply, because the program writes the answers after the reply's last call. In code mode a reply calls only the tool exec. Its script
// calls the other tools, which appear in events of their own.
type Rollout struct {
	open reply
	// last is the last text before the first call; whole means that the reply's record was read.
	last  []string
	whole bool
}

// Line returns the rounds that a line ends. It ignores lines that are not part of a reply.
func (c *Rollout) Line(raw []byte) (over []Round) {
	var head struct {
		Type string
	}
	_ = json.Unmarshal(raw, &head)
	l := codexLine(raw)
	if isItem := head.Type == "response_item"; isItem && len(l.Answers) == 0 && (c.whole || len(c.open.calls) > 0 && c.open.over()) {
		over = c.Open() // this line belongs to another reply
		*c = Rollout{}
	}
	if len(l.Calls) > 0 && slices.ContainsFunc(c.open.calls, func(x call) bool { return x.id == l.Calls[0].ID }) {
		return over // the event of a call that the reply made itself
	}
	if len(c.open.calls) == 0 && l.Texts != nil {
		c.last = l.Texts
	}
	if c.open.add(l, nil); l.Ends != "" {
		c.open.id, c.whole = l.Ends, true
	}
	return over
}

// Open returns the rounds that have not ended, as they are so far. A call without an answer has completed nothing.
func (c *Rollout) Open() []Round {
	r := c.open.round(model.ReportSameRound)
	switch {
	case len(r.Completed) == 0:
		return nil
	case !c.whole:
		r.ID, r.Text, r.Provenance = r.Tools[0], Words(c.last...), model.ReportNearRound
	}
	return []Round{r}
}

// CodexStatus finds in the lines of Codex's transcript the exit status of the command that a call ran.
func CodexStatus(lines []byte, id string) (status int, ok bool) {
	for line := range bytes.Lines(lines) {
		var l rolloutLine
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
