package capture

import (
	"encoding/json"

	"vise/model"
)

// Rollout reads the lines of Codex's own transcripts: its messages, and the tools that it
// calls. A reply has no id there; as in Codex, its words are the last before the call.
type Rollout struct {
	text string
	open []rolloutCall
	last string
}

type rolloutCall struct {
	id, item, text string
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
		c.said(l)
	case "function_call":
		if ref := Reference(json.RawMessage(p.Arguments)); IsComplete(p.Namespace+"__"+p.Name) && ref != "" {
			c.open = append(c.open, rolloutCall{p.CallID, ref, c.text})
		}
		c.text = ""
	case "function_call_output":
		return c.answered(p.CallID, p.Output), nil
	}
	return nil, nil
}

func (c *Rollout) said(l rolloutLine) {
	c.text = ""
	if l.Payload.Role != "assistant" {
		return
	}
	for _, b := range l.Payload.Content {
		if b.Type == "output_text" {
			c.text += b.Text
		}
	}
	c.last = c.text
}

func (c *Rollout) answered(id string, output json.RawMessage) []Round {
	for i, call := range c.open {
		if call.id != id {
			continue
		}
		c.open = append(c.open[:i:i], c.open[i+1:]...)
		if !Succeeded(output) {
			return nil
		}
		return []Round{{ID: id, Text: Words(call.text), Completed: []string{call.item}, Provenance: model.ReportNearRound, Tools: []string{id}}}
	}
	return nil
}

// End is part of Stream: a call that was never answered completed nothing.
func (c *Rollout) End() []Round { return nil }

// Last is part of Stream.
func (c *Rollout) Last() (model.Text, string) { return Words(c.last), "" }
