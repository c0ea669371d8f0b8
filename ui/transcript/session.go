package transcript

import (
	"encoding/json"
	"strings"

	"vise/model"
)

// message is one message of a session. The parts of one are one round.
type message struct {
	role string
	reply
	// ends: a turn ended with it.
	ends bool
}

// sessionRound is a completing round of a session.
type sessionRound struct {
	Round
	// Waits: it has no words of its own but what comes next, and its turn, whose last words it
	// would be offered, goes on.
	Waits bool
}

// rounds are the completing rounds of a session, all of whose calls have answers. One without
// words is offered those that its turn ended with.
func rounds(session []message) (out []sessionRound) {
	for i, m := range session {
		r := sessionRound{Round: m.round(model.ReportSameRound)}
		if m.role != "assistant" || !m.over() || len(r.Completed) == 0 {
			continue
		}
		if r.Text != "" && !r.announces() || len(r.Completed) > 1 {
			out = append(out, r)
			continue
		}
		over, last := turnEnd(session[i+1:])
		for _, x := range r.WithFinal(last) {
			out = append(out, sessionRound{Round: x, Waits: !over})
		}
	}
	return out
}

// turnEnd finds the end of a turn in what follows one of its messages. A turn that was
// broken off, so that the next prompt follows, has no last words.
func turnEnd(rest []message) (over bool, last model.Text) {
	for _, m := range rest {
		switch {
		case m.role == "user":
			return true, ""
		case m.ends:
			return true, Words(m.text...)
		}
	}
	return false, ""
}

// Crush finds the completing rounds in what `crush session show ID --json` writes. Rests: no
// turn runs.
func Crush(raw []byte) (out []sessionRound, rests bool, err error) {
	var session struct {
		Messages []struct {
			ID    string `json:"id"`
			Role  string `json:"role"`
			Parts []struct {
				Type    string `json:"type"`
				Text    string `json:"text"`
				CallID  string `json:"tool_call_id"`
				Name    string `json:"name"`
				Input   string `json:"input"`
				Content string `json:"content"`
				IsError bool   `json:"is_error"`
				// Reason is why a message was finished: tool_use, or what ended the turn.
				Reason string `json:"reason"`
			} `json:"parts"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(raw, &session); err != nil {
		return nil, false, err
	}
	list := make([]message, len(session.Messages))
	for i, m := range session.Messages {
		list[i] = message{role: m.Role, reply: reply{id: m.ID}}
		for _, p := range m.Parts {
			switch p.Type {
			case "text":
				list[i].text = append(list[i].text, p.Text)
			case "tool_call":
				list[i].call(p.CallID, p.Name, json.RawMessage(p.Input))
			case "tool_result": // of a message before
				for j := range list[:i] {
					list[j].answer(p.CallID, p.IsError, firstValue(p.Content))
				}
			case "finish":
				list[i].ends = m.Role == "assistant" && p.Reason != "tool_use"
			}
		}
	}
	return rounds(list), len(list) > 0 && list[len(list)-1].ends, nil
}

// firstValue is an answer without what hooks added to it.
func firstValue(answer string) (out json.RawMessage) {
	if json.NewDecoder(strings.NewReader(answer)).Decode(&out) != nil {
		return json.RawMessage(answer)
	}
	return out
}

// OpenCodeMessage is one message of a session of OpenCode's, with its parts.
type OpenCodeMessage struct {
	Info struct {
		ID   string `json:"id"`
		Role string `json:"role"`
	} `json:"info"`
	Parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
		openCodeCall
	} `json:"parts"`
}

// openCodeCall is a call of a tool with its answer.
type openCodeCall struct {
	Tool   string `json:"tool"`
	CallID string `json:"callID"`
	State  struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output json.RawMessage `json:"output"`
	} `json:"state"`
}

// on adds the call to its reply.
func (c openCodeCall) on(r *reply) {
	r.call(c.CallID, c.Tool, c.State.Input)
	r.answer(c.CallID, c.State.Status != "completed", c.State.Output)
}

// FinalText is what a session of OpenCode's ended with; empty where it was broken off.
func FinalText(session []OpenCodeMessage) model.Text {
	var said []string
	if n := len(session); n > 0 && session[n-1].Info.Role == "assistant" {
		for _, p := range session[n-1].Parts {
			if p.Type == "text" {
				said = append(said, p.Text)
			}
		}
	}
	return Words(said...)
}

// OpenCode finds the completing rounds among the messages of a session that rests: a turn ends
// with the last message before the next prompt.
func OpenCode(session []OpenCodeMessage) (out []Round) {
	list := make([]message, len(session))
	for i, m := range session {
		list[i] = message{role: m.Info.Role, reply: reply{id: m.Info.ID}}
		list[i].ends = i+1 == len(session) || session[i+1].Info.Role == "user"
		for _, p := range m.Parts {
			switch p.Type {
			case "text":
				list[i].text = append(list[i].text, p.Text)
			case "tool":
				p.on(&list[i].reply)
			}
		}
	}
	for _, r := range rounds(list) {
		out = append(out, r.Round)
	}
	return out
}
