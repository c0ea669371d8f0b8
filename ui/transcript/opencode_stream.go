package transcript

import (
	"encoding/json"
)

// OpenCodeStream reads the lines of `opencode run --format json`: one line for each part of a reply, with the id of its message. A call and
// its answer are in one part.
type OpenCodeStream struct {
	ending
	latest
}

type openCodeLine struct {
	Type string `json:"type"`
	Part struct {
		MessageID string `json:"messageID"`
		Text      string `json:"text"`
		openCodeCall
		Cost   float64 `json:"cost"`
		Tokens struct {
			Input     int64 `json:"input"`
			Output    int64 `json:"output"`
			Reasoning int64 `json:"reasoning"`
			Cache     struct {
				Read  int64 `json:"read"`
				Write int64 `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"part"`
	Error struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

// Line is part of Stream. It ignores a line of another shape.
func (o *OpenCodeStream) Line(raw []byte) (over []Round, err error) {
	var l openCodeLine
	if err := json.Unmarshal(raw, &l); err != nil && l.Type == "" {
		return nil, err
	}
	p := l.Part
	if l.Type == "error" {
		o.failed = l.Error.Name + ": " + l.Error.Data.Message
		return nil, nil
	}
	if o.open == nil || p.MessageID != o.open.id {
		over = o.End()
		o.open = &reply{id: p.MessageID}
	}
	switch l.Type {
	case "text":
		o.open.text = append(o.open.text, p.Text)
		o.last = p.Text
	case "tool_use":
		p.on(o.open)
	case "step_finish":
		o.usage.CostUSD += p.Cost
		o.usage.InputTokens += p.Tokens.Input + p.Tokens.Cache.Read + p.Tokens.Cache.Write
		o.usage.OutputTokens += p.Tokens.Output + p.Tokens.Reasoning
	}
	return over, nil
}
