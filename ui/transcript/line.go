package transcript

import (
	"encoding/json"
	"time"

	"vise/model"
)

// Line is what a line of a transcript tells. Everything in it comes from outside.
type Line struct {
	At time.Time
	// Reply is the id of the model's reply that the line belongs to. Whole means that the line tells all of that reply again.
	Reply string
	Whole bool
	// Ends is the id of the reply that ends with the line, if the program tells that apart (Codex).
	Ends string
	// Apart marks a subagent's line, which is not part of the session's own conversation.
	Apart bool
	// Prompt is what the model was told, Texts and Thought what it said.
	Prompt, Thought string
	Texts           []string
	Calls           []ToolUse
	Answers         []ToolAnswer
	// Usage is what the reply used, if the line tells it. It is told again with each line of the reply, or once.
	Usage model.Usage
}

// ToolUse is a call of a tool.
type ToolUse struct {
	ID, Tool string
	Input    json.RawMessage
}

// ToolAnswer is how a call ended.
type ToolAnswer struct {
	ID      string
	Failed  bool
	Content json.RawMessage
}

// Text is the text of an answer, in any of the programs' forms.
func (a ToolAnswer) Text() (out string) {
	var parts []struct {
		Text string
		// Function is Gemini CLI's.
		Function struct {
			Response struct {
				Output string
			} `json:"response"`
		} `json:"functionResponse"`
	}
	var whole struct { // Copilot CLI, and MCP
		Content json.RawMessage
	}
	if json.Unmarshal(a.Content, &out) == nil {
		return out
	}
	if json.Unmarshal(a.Content, &whole) == nil && whole.Content != nil {
		return ToolAnswer{Content: whole.Content}.Text()
	}
	_ = json.Unmarshal(a.Content, &parts) // an answer of another shape has no text
	for _, p := range parts {
		out += p.Text + p.Function.Response.Output
	}
	return out
}

// formats read a line of the programs' transcripts. A line of another shape tells nothing.
var formats = map[string]func(raw []byte) Line{"claude": claudeLine, "codex": codexLine, "gemini": geminiLine, "copilot": copilotLine}

// Read reads a line of a program's transcript. A line in a format that is not known tells nothing.
func Read(program string, raw []byte) (l Line) {
	if read := formats[program]; read != nil {
		l = read(raw)
	}
	return l
}

// claudeLine reads a line of Claude Code: one for each content block. The blocks of one reply share their message's id.
func claudeLine(raw []byte) (out Line) {
	type block struct {
		Type      string
		Text      string
		Thinking  string
		ID        string
		Name      string
		Input     json.RawMessage
		ToolUseID string `json:"tool_use_id"`
		IsError   bool   `json:"is_error"`
		Content   json.RawMessage
	}
	var l struct {
		Type    string
		At      time.Time `json:"timestamp"`
		Message struct {
			ID      string
			Content json.RawMessage
			Usage   struct {
				Input      int64 `json:"input_tokens"`
				CacheRead  int64 `json:"cache_read_input_tokens"`
				CacheWrite int64 `json:"cache_creation_input_tokens"`
				Output     int64 `json:"output_tokens"`
			} `json:"usage"`
		} `json:"message"`
		Sidechain bool `json:"isSidechain"`
		Meta      bool `json:"isMeta"`
	}
	_ = json.Unmarshal(raw, &l)
	out.At, out.Apart = l.At, l.Sidechain
	if l.Type == "assistant" {
		u := l.Message.Usage
		out.Reply, out.Usage = l.Message.ID, model.Usage{InputTokens: u.Input + u.CacheRead + u.CacheWrite, OutputTokens: u.Output}
	} else if l.Type != "user" {
		return out
	}
	if json.Unmarshal(l.Message.Content, &out.Prompt) == nil {
		return out.unless(l.Meta)
	}
	var blocks []json.RawMessage
	_ = json.Unmarshal(l.Message.Content, &blocks)
	for _, raw := range blocks {
		var b block
		_ = json.Unmarshal(raw, &b)
		switch {
		case b.Type == "tool_result":
			out.Answers = append(out.Answers, ToolAnswer{b.ToolUseID, b.IsError, b.Content})
		case b.Type == "tool_use":
			out.Calls = append(out.Calls, ToolUse{b.ID, b.Name, b.Input})
		case b.Type == "text" && l.Type == "user":
			out.Prompt += b.Text
		case b.Type == "text":
			out.Texts = append(out.Texts, b.Text)
		default:
			out.Thought += b.Thinking
		}
	}
	return out.unless(l.Meta)
}

// unless returns the line, without a prompt that the program wrote itself.
func (l Line) unless(meta bool) Line {
	if meta {
		l.Prompt = ""
	}
	return l
}

// geminiLine reads a line of Gemini CLI: one for each message. A message is written again, with its calls, when they have answers.
func geminiLine(raw []byte) (out Line) {
	var l struct {
		ID      string
		At      time.Time `json:"timestamp"`
		Type    string
		Content json.RawMessage
		Calls   []struct {
			ID     string
			Name   string
			Args   json.RawMessage
			Result json.RawMessage
			Status string
		} `json:"toolCalls"`
		Tokens struct {
			Input  int64
			Output int64
		} `json:"tokens"`
	}
	_ = json.Unmarshal(raw, &l)
	text := ToolAnswer{Content: l.Content}.Text()
	switch out.At = l.At; {
	case l.Type == "user":
		out.Prompt = text
		return out
	case l.Type != "gemini":
		return out
	case text != "":
		out.Texts = []string{text}
	}
	out.Reply, out.Whole, out.Usage = l.ID, true, model.Usage{InputTokens: l.Tokens.Input, OutputTokens: l.Tokens.Output}
	for _, c := range l.Calls {
		out.Calls = append(out.Calls, ToolUse{c.ID, c.Name, c.Args})
		out.Answers = append(out.Answers, ToolAnswer{c.ID, c.Status != "success", c.Result})
	}
	return out
}

// copilotLine reads an event of Copilot CLI: one for each reply with its calls, and one for each answer.
func copilotLine(raw []byte) (out Line) {
	var l struct {
		Type  string
		ID    string
		At    time.Time `json:"timestamp"`
		Agent string    `json:"agentId"`
		Data  struct {
			ID      string `json:"messageId"`
			Content string
			Calls   []struct {
				ID   string `json:"toolCallId"`
				Name string
				Args json.RawMessage `json:"arguments"`
			} `json:"toolRequests"`
			Parent string `json:"parentToolCallId"`
			// Call and the next fields are in the event of an answer.
			Call    string `json:"toolCallId"`
			Success bool
			Result  json.RawMessage
			// Usage is in an event of its own, before that of the reply.
			Usage struct {
				Input  int64 `json:"inputTokens"`
				Output int64 `json:"outputTokens"`
			} `json:"usage"`
		} `json:"data"`
	}
	_ = json.Unmarshal(raw, &l)
	d := l.Data
	switch out.At, out.Apart = l.At, d.Parent != "" || l.Agent != ""; l.Type {
	case "user.message":
		out.Prompt = d.Content
	case "assistant.message":
		if out.Reply = d.ID; d.Content != "" {
			out.Texts = []string{d.Content}
		}
		for _, c := range d.Calls {
			out.Calls = append(out.Calls, ToolUse{c.ID, c.Name, c.Args})
		}
	case "tool.execution_complete":
		out.Answers = []ToolAnswer{{d.Call, !d.Success, d.Result}}
	case "session.usage_record":
		out.Usage = model.Usage{InputTokens: d.Usage.Input, OutputTokens: d.Usage.Output}
	}
	return out
}

// Replies reads the lines of a transcript whose replies have ids.
type Replies struct {
	Program string
	// Subagent makes it read a subagent's own transcript, in which all lines are marked as a subagent's.
	Subagent bool
	// Done holds the calls that succeeded according to their hooks. A program that was killed wrote no answer to them.
	Done []string

	// open is the reply that has not ended, or nil.
	open *reply
}

// Open returns the rounds that have not ended, as they are so far.
func (r *Replies) Open() []Round { return r.open.said() }

// Ends reports whether the reply calls nothing, which ends a turn.
func (r *Replies) Ends() bool { return r.open != nil && len(r.open.calls) == 0 }

// Line returns the round that a line ends.
func (r *Replies) Line(raw []byte) (over []Round) {
	l := Read(r.Program, raw)
	if l.Apart && !r.Subagent {
		return nil
	}
	if begins := r.open == nil || r.open.id != l.Reply; l.Reply != "" && (begins || l.Whole) {
		if begins {
			over = r.Open()
		}
		r.open = &reply{id: l.Reply}
	}
	if r.open != nil {
		r.open.add(l, r.Done)
	}
	return over
}
