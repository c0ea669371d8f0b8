package transcript

import (
	"encoding/json"

	"vise/model"
)

// Gemini reads the lines of `gemini -p --output-format stream-json`. A reply has no id. Its text and calls come first, then the answers to
// all its calls. Text or calls after an answer belong to the next reply.
type Gemini struct {
	ending
	open     *reply
	session  string
	words    string
	answered bool
}

type geminiLine struct {
	Type    string `json:"type"`
	Session string `json:"session_id"`
	Role    string `json:"role"`
	Content string `json:"content"`

	Tool       string          `json:"tool_name"`
	ID         string          `json:"tool_id"`
	Parameters json.RawMessage `json:"parameters"`
	Status     string          `json:"status"`
	Output     json.RawMessage `json:"output"`
	Error      struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
	Stats struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"stats"`
}

// Line is part of Stream. It ignores a line of another shape.
func (g *Gemini) Line(raw []byte) (over []Round, err error) {
	var l geminiLine
	if err := json.Unmarshal(raw, &l); err != nil && l.Type == "" {
		return nil, err
	}
	isReply := l.Type == "message" && l.Role == "assistant" || l.Type == "tool_use"
	if isReply && (g.open == nil || g.answered) {
		over = g.End()
		g.open = &reply{}
	}
	switch {
	case l.Type == "init":
		g.session = l.Session
	case l.Type == "tool_use":
		g.open.call(l.ID, l.Tool, l.Parameters)
	case isReply:
		g.words += l.Content
	case l.Type == "tool_result" && g.open != nil:
		g.answered = true
		g.open.answer(l.ID, l.Status != "success", l.Output)
	case l.Type == "result":
		over = g.End()
		g.usage = model.Usage{InputTokens: l.Stats.Input, OutputTokens: l.Stats.Output}
		if l.Status != "success" {
			g.failed = l.Error.Type + ": " + l.Error.Message
		}
	}
	return over, nil
}

// End is part of Stream. A reply with calls gets the id of its first call.
func (g *Gemini) End() []Round {
	r := g.open
	if r != nil && g.words != "" {
		r.text, g.last = []string{g.words}, g.words
	}
	if r != nil && len(r.calls) > 0 {
		r.id = g.session + "/" + r.calls[0].id
	}
	g.open, g.words, g.answered = nil, "", false
	return r.said()
}
