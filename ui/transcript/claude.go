package transcript

import (
	"encoding/json"
	"slices"

	"vise/model"
)

// Claude reads the lines of Claude Code's stream (`-p --output-format stream-json`) and of
// its transcripts, which have the same shape: one line a content block; the blocks of one
// reply share their message's id.
type Claude struct {
	// Subagent reads a subagent's own transcript, all of whose lines are marked as its.
	Subagent bool

	open    *claudeRound
	message string
	last    string
	failed  string
}

type claudeRound struct {
	id    string
	text  []string
	calls int
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
	// Of the last line: how the turn ended.
	Subtype string `json:"subtype"`
	IsError bool   `json:"is_error"`
	Result  string `json:"result"`
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

// Line is part of Stream. A line of another shape holds nothing.
func (c *Claude) Line(raw []byte) ([]Round, error) {
	var l claudeLine
	if err := json.Unmarshal(raw, &l); err != nil && l.Type == "" {
		return nil, err
	}
	if !c.Subagent && (l.Parent != "" || l.Sidechain) {
		return nil, nil
	}
	var over []Round
	switch l.Type {
	case "assistant":
		if l.Message.ID != c.message {
			over = c.End()
			c.message = l.Message.ID
		}
		c.blocks(l.Message.Content, c.round())
	case "user":
		c.blocks(l.Message.Content, nil)
	case "result":
		over = c.End()
		c.last = l.Result
		if l.IsError || l.Subtype != "" && l.Subtype != "success" {
			c.failed = l.Subtype + ": " + l.Result
		}
	}
	return over, nil
}

// Open are the rounds that nothing ended yet, as they are so far.
func (c *Claude) Open() []Round {
	if c.open == nil || len(c.open.text) == 0 && c.open.calls == 0 {
		return nil
	}
	return []Round{c.open.settled()}
}

// End is part of Stream.
func (c *Claude) End() []Round {
	out := c.Open()
	c.open, c.message = nil, ""
	return out
}

// Last is part of Stream.
func (c *Claude) Last() (model.Text, string) { return Words(c.last), c.failed }

func (c *Claude) round() *claudeRound {
	if c.open == nil {
		c.open = &claudeRound{id: c.message, asked: map[string]string{}, done: map[string]bool{}}
	}
	return c.open
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
		case b.Type == "tool_use" && r != nil:
			r.called(b)
		case b.Type == "tool_result":
			c.answered(b)
		}
	}
}

func (r *claudeRound) called(b claudeBlock) {
	r.calls++
	if ref := Reference(b.Input); IsComplete(b.Name) && ref != "" {
		r.asked[b.ID] = ref
		r.order = append(r.order, b.ID)
	}
}

func (c *Claude) answered(b claudeBlock) {
	if c.open == nil {
		return
	}
	if _, ok := c.open.asked[b.ToolUseID]; ok && !b.IsError && Succeeded(b.Content) {
		c.open.done[b.ToolUseID] = true
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
