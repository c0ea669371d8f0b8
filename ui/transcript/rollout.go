package transcript

import (
	"encoding/json"

	"vise/model"
)

// Rollout reads the lines of Codex's own transcripts: its messages, and the tools that it
// calls. A reply has no id there; as in Codex, its words are the last before its first call.
// Calls without an answer between them are of one reply: the program writes the answers
// after the reply's last call.
type Rollout struct {
	reply rolloutReply
	last  string
}

type rolloutReply struct {
	text     string
	calls    []rolloutCall
	answered int
}

// rolloutCall is a call; item is empty for one that completes nothing.
type rolloutCall struct {
	id, item       string
	answered, done bool
}

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
	} `json:"payload"`
}

// Line is part of Stream. What is no item of a reply holds nothing.
func (c *Rollout) Line(raw []byte) ([]Round, error) {
	var l rolloutLine
	if err := json.Unmarshal(raw, &l); err != nil && l.Type == "" {
		return nil, err // other lines have other shapes
	}
	if l.Type != "response_item" {
		return nil, nil
	}
	switch p := l.Payload; p.Type {
	case "message":
		return c.said(l), nil
	case "function_call":
		call := rolloutCall{id: p.CallID}
		if IsComplete(p.Namespace + "__" + p.Name) {
			call.item = Reference(json.RawMessage(p.Arguments))
		}
		over := c.over()
		c.reply.calls = append(c.reply.calls, call)
		return over, nil
	case "function_call_output":
		c.answered(p.CallID, p.Output)
	}
	return nil, nil
}

// over ends a reply all of whose calls were answered: what follows is another one's.
func (c *Rollout) over() []Round {
	if len(c.reply.calls) == 0 || c.reply.answered < len(c.reply.calls) {
		return nil
	}
	return c.End()
}

func (c *Rollout) said(l rolloutLine) []Round {
	over := c.over()
	text := ""
	for _, b := range l.Payload.Content {
		if b.Type == "output_text" && l.Payload.Role == "assistant" {
			text += b.Text
		}
	}
	if text != "" {
		c.last = text
	}
	if len(c.reply.calls) == 0 {
		c.reply.text = text
	}
	return over
}

func (c *Rollout) answered(id string, output json.RawMessage) {
	for i, call := range c.reply.calls {
		if call.id == id && !call.answered {
			c.reply.calls[i].answered, c.reply.calls[i].done = true, Succeeded(output)
			c.reply.answered++
		}
	}
}

// Open are the rounds that nothing ended yet, as they are so far. A call that was not
// answered completed nothing.
func (c *Rollout) Open() []Round {
	r := Round{Text: Words(c.reply.text), Provenance: model.ReportNearRound}
	for _, call := range c.reply.calls {
		if call.done && call.item != "" {
			r.Completed, r.Tools = append(r.Completed, call.item), append(r.Tools, call.id)
		}
	}
	if len(r.Completed) == 0 {
		return nil
	}
	r.ID = r.Tools[0]
	return []Round{r}
}

// End is part of Stream.
func (c *Rollout) End() []Round {
	out := c.Open()
	c.reply = rolloutReply{}
	return out
}

// Last is part of Stream.
func (c *Rollout) Last() (model.Text, string) { return Words(c.last), "" }
