package transcript

import "encoding/json"

// GeminiSession reads the file of a Gemini CLI session: one line for each message. A message is written again, with its calls, when they
// have answers.
type GeminiSession struct{ latest }

// Line returns the previous round when a line begins another message. It ignores a line of another shape.
func (g *GeminiSession) Line(raw []byte) (over []Round) {
	var l struct {
		ID      string `json:"id"`
		Type    string `json:"type"`
		Content string `json:"content"`
		Calls   []struct {
			ID     string          `json:"id"`
			Name   string          `json:"name"`
			Args   json.RawMessage `json:"args"`
			Result json.RawMessage `json:"result"`
			Status string          `json:"status"`
		} `json:"toolCalls"`
	}
	if json.Unmarshal(raw, &l) != nil || l.Type != "gemini" {
		return nil
	}
	if g.open != nil && g.open.id != l.ID {
		over = g.Open()
	}
	g.open = &reply{id: l.ID}
	if l.Content != "" {
		g.open.text = []string{l.Content}
	}
	for _, c := range l.Calls {
		g.open.call(c.ID, c.Name, c.Args)
		g.open.answer(c.ID, c.Status != "success", c.Result)
	}
	return over
}

// CopilotSession reads the events of a Copilot CLI session: one for each reply with its calls, and one for each answer.
type CopilotSession struct{ latest }

// Line returns the previous round when an event begins another reply. It ignores an event of another shape.
func (s *CopilotSession) Line(raw []byte) (over []Round) {
	var l struct {
		Type string `json:"type"`
		// Agent is set in a subagent's events.
		Agent string `json:"agentId"`
		Data  struct {
			ID      string `json:"messageId"`
			Content string `json:"content"`
			Calls   []struct {
				ID   string          `json:"toolCallId"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"arguments"`
			} `json:"toolRequests"`
			// Parent is set in a subagent's events too.
			Parent string `json:"parentToolCallId"`
			// Call and the next fields are in the event of an answer.
			Call    string          `json:"toolCallId"`
			Success bool            `json:"success"`
			Result  json.RawMessage `json:"result"`
		} `json:"data"`
	}
	if json.Unmarshal(raw, &l) != nil || l.Data.Parent != "" || l.Agent != "" {
		return nil
	}
	switch l.Type {
	case "assistant.message":
		over = s.Open()
		s.open = &reply{id: l.Data.ID}
		if l.Data.Content != "" {
			s.open.text = []string{l.Data.Content}
		}
		for _, c := range l.Data.Calls {
			s.open.call(c.ID, c.Name, c.Args)
		}
	case "tool.execution_complete":
		if s.open != nil {
			s.open.answer(l.Data.Call, !l.Data.Success, l.Data.Result)
		}
	}
	return over
}
