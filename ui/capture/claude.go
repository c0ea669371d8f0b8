package capture

import (
	"encoding/json"
	"slices"

	"vise/model"
)

// Claude reads the lines of Claude Code's stream (`-p --output-format stream-json`) and of
// its transcripts, which have the same shape: one line a content block; the blocks of one
// reply share their message's id.
type Claude struct {
	open    []*claudeRound
	message string
}

type claudeRound struct {
	id    string
	text  []string
	asked map[string]string // references by tool use
	done  map[string]bool
	order []string
}

type claudeLine struct {
	Type    string `json:"type"`
	Message struct {
		ID      string          `json:"id"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	// Parent and Sidechain mark what a subagent says, which is not the agent's own report.
	Parent    string `json:"parent_tool_use_id"`
	Sidechain bool   `json:"isSidechain"`
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

// Line takes one line and returns the completing rounds that are over with it. A line of
// another shape holds nothing.
func (c *Claude) Line(raw []byte) []Round {
	var l claudeLine
	if json.Unmarshal(raw, &l) != nil || l.Parent != "" || l.Sidechain {
		return nil
	}
	var over []Round
	switch l.Type {
	case "assistant":
		if l.Message.ID != c.message {
			over = c.End()
			c.message = l.Message.ID
		}
		c.blocks(l.Message.Content, c.round(l.Message.ID))
	case "user":
		c.blocks(l.Message.Content, nil)
	case "result":
		over = c.End()
	}
	return over
}

// End returns the completing rounds that nothing ended yet.
func (c *Claude) End() []Round {
	var out []Round
	for _, r := range c.open {
		if x := r.settled(); len(x.Completed) > 0 {
			out = append(out, x)
		}
	}
	c.open, c.message = nil, ""
	return out
}

func (c *Claude) round(id string) *claudeRound {
	for _, r := range c.open {
		if r.id == id {
			return r
		}
	}
	r := &claudeRound{id: id, asked: map[string]string{}, done: map[string]bool{}}
	c.open = append(c.open, r)
	return r
}

func (c *Claude) blocks(raw json.RawMessage, r *claudeRound) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return
	}
	for _, one := range list {
		var b claudeBlock
		_ = json.Unmarshal(one, &b) // a block of another shape holds nothing
		switch {
		case b.Type == "text" && r != nil:
			r.text = append(r.text, b.Text)
		case b.Type == "tool_use" && r != nil && IsComplete(b.Name) && Reference(b.Input) != "":
			r.asked[b.ID] = Reference(b.Input)
			r.order = append(r.order, b.ID)
		case b.Type == "tool_result":
			c.answered(b)
		}
	}
}

func (c *Claude) answered(b claudeBlock) {
	for _, r := range c.open {
		if _, ok := r.asked[b.ToolUseID]; ok && !b.IsError && Succeeded(b.Content) {
			r.done[b.ToolUseID] = true
		}
	}
}

func (r *claudeRound) settled() Round {
	out := Round{ID: r.id, Text: Words(r.text...), Provenance: model.ReportSameRound}
	for _, id := range r.order {
		if ref := r.asked[id]; r.done[id] && !slices.Contains(out.Completed, ref) {
			out.Completed = append(out.Completed, ref)
			out.Tools = append(out.Tools, id)
		}
	}
	return out
}
