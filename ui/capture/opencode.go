package capture

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

// OpenCode finds the completing rounds among a session's messages.
func OpenCode(messages []OpenCodeMessage) []Round {
	var out []Round
	for _, m := range messages {
		r := Round{ID: m.Info.ID, Provenance: model.ReportSameRound}
		var text []string
		for _, p := range m.Parts {
			ref := Reference(p.State.Input)
			switch {
			case p.Type == "text":
				text = append(text, p.Text)
			case p.Type == "tool" && IsComplete(p.Tool) && p.State.Status == "completed" && ref != "" && Succeeded(p.State.Output):
				r.Completed = append(r.Completed, ref)
				r.Tools = append(r.Tools, p.CallID)
			}
		}
		if r.Text = Words(text...); m.Info.Role == "assistant" && len(r.Completed) > 0 {
			out = append(out, r)
		}
	}
	return out
}
