package transcript

import (
	"encoding/json"
	"strings"

	"vise/model"
)

// message is one message of a session. Its parts form one round.
type message struct {
	role string
	reply
	// ends means that a turn ended with it.
	ends bool
}

// sessionRound is a completing round of a session.
type sessionRound struct {
	Round
	// Waits means that the round has no report of its own and its turn has not ended. It will be offered the turn's final text.
	Waits bool
}

// rounds returns the completing rounds of a session whose calls all have answers. A round without text is offered the final text of its
// turn.
func rounds(session []message) (out []sessionRound) {
	for i, m := range session {
		r := sessionRound{Round: m.round(model.ReportSameRound)}
		if m.role != "assistant" || !m.over() || len(r.Completed) == 0 {
			continue
		}
		if !r.Round.Waits() {
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

// turnEnd finds the end of a turn in the messages after one of its messages. A turn that was interrupted, so that the next prompt follows,
// has no final text.
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

// Crush finds the completing rounds in the output of `crush session show ID --json`. rests means that no turn is running.
func Crush(raw []byte) (out []sessionRound, rests bool, err error) {
	var session struct {
		Messages []struct {
			ID    string
			Role  string
			Parts []struct {
				Type    string
				Text    string
				CallID  string `json:"tool_call_id"`
				Name    string
				Input   string
				Content string
				IsError bool `json:"is_error"`
				// Reason says why a message was finished: tool_use, or the reason why the turn ended.
				Reason string
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
			case "tool_result": // belongs to an earlier message
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

// firstValue returns an answer without the text that hooks added to it.
func firstValue(answer string) (out json.RawMessage) {
	if json.NewDecoder(strings.NewReader(answer)).Decode(&out) != nil {
		return json.RawMessage(answer)
	}
	return out
}

// OpenCodeMessage is one message of an OpenCode session, with its parts.
type OpenCodeMessage struct {
	Info struct {
		ID   string
		Role string
	} `json:"info"`
	Parts []struct {
		Type string
		Text string
		// Tool and the next fields are those of a call and its answer.
		Tool   string
		CallID string
		State  struct {
			Status string
			Input  json.RawMessage
			Output json.RawMessage
		} `json:"state"`
	} `json:"parts"`
}

// FinalText returns the final text of an OpenCode session, or "" if it was interrupted.
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

// OpenCode finds the completing rounds in the messages of an idle session. A turn ends with the last message before the next prompt.
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
				list[i].call(p.CallID, p.Tool, p.State.Input)
				list[i].answer(p.CallID, p.State.Status != "completed", p.State.Output)
			}
		}
	}
	for _, r := range rounds(list) {
		out = append(out, r.Round)
	}
	return out
}
