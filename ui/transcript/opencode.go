package transcript

import (
	"encoding/json"

	"vise/model"
)

// OpenCodeMessage is one message of a session with its parts. Parts of one message are one
// round.
type OpenCodeMessage struct {
	Info struct {
		ID   string `json:"id"`
		Role string `json:"role"`
	} `json:"info"`
	Parts []struct {
		Type   string `json:"type"`
		Text   string `json:"text"`
		Tool   string `json:"tool"`
		CallID string `json:"callID"`
		State  struct {
			Status string          `json:"status"`
			Input  json.RawMessage `json:"input"`
			Output json.RawMessage `json:"output"`
		} `json:"state"`
	} `json:"parts"`
}

// OpenCode finds the completing rounds among the messages of a session that rests. One
// without words has those that its turn ended with.
func OpenCode(messages []OpenCodeMessage) []Round {
	var out []Round
	for i, m := range messages {
		r := Round{ID: m.Info.ID, Text: m.text(), Provenance: model.ReportSameRound}
		for _, p := range m.Parts {
			ref := Reference(p.State.Input)
			if p.Type == "tool" && IsComplete(p.Tool) && p.State.Status == "completed" && ref != "" && Succeeded(p.State.Output) {
				r.Completed = append(r.Completed, ref)
				r.Tools = append(r.Tools, p.CallID)
			}
		}
		if m.Info.Role != "assistant" || len(r.Completed) == 0 {
			continue
		}
		if last := lastOf(messages[i+1:]); r.Text == "" && len(r.Completed) == 1 && last != "" {
			r.Text, r.Provenance = last, model.ReportTurnFinal
		}
		out = append(out, r)
	}
	return out
}

func (m OpenCodeMessage) text() model.Text {
	var text []string
	for _, p := range m.Parts {
		if p.Type == "text" {
			text = append(text, p.Text)
		}
	}
	return Words(text...)
}

// lastOf are the words of the last reply before the next prompt.
func lastOf(rest []OpenCodeMessage) (last model.Text) {
	for _, m := range rest {
		if m.Info.Role == "user" {
			break
		}
		last = m.text()
	}
	return last
}
