package transcript

import (
	"encoding/json"
	"slices"
	"strings"

	"vise/model"
)

// CrushSession is a session as `crush session show ID --json` tells it.
type CrushSession struct {
	Messages []CrushMessage `json:"messages"`
}

// CrushMessage is one message of a session. The parts of one are one round.
type CrushMessage struct {
	ID    string      `json:"id"`
	Role  string      `json:"role"`
	Parts []CrushPart `json:"parts"`
}

// CrushPart is a text, a tool_call, a tool_result or a finish; each uses a few of the fields.
type CrushPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	CallID  string `json:"tool_call_id"`
	Name    string `json:"name"`
	Input   string `json:"input"`
	Content string `json:"content"`
	IsError bool   `json:"is_error"`
	// Reason is why a message was finished: tool_use, or what ended the turn.
	Reason string `json:"reason"`
}

// CrushRound is a completing round, and how its turn ended.
type CrushRound struct {
	Round
	// Over: the turn has ended. Last are the words that it ended with.
	Over bool
	Last model.Text
}

// Crush finds the completing rounds among a session's messages, all of whose tools have
// answered. Rests: no turn runs.
func Crush(messages []CrushMessage) (rounds []CrushRound, rests bool) {
	answers := crushAnswers(messages)
	for i, m := range messages {
		if r, ok := m.round(answers); ok {
			over, last := turnEnd(messages[i+1:])
			rounds = append(rounds, CrushRound{Round: r, Over: over, Last: last})
		}
	}
	if n := len(messages); n > 0 {
		rests = messages[n-1].ends()
	}
	return rounds, rests
}

func crushAnswers(messages []CrushMessage) map[string]CrushPart {
	out := map[string]CrushPart{}
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Type == "tool_result" {
				out[p.CallID] = p
			}
		}
	}
	return out
}

// round is what the message completed; not ok while a tool of it runs.
func (m CrushMessage) round(answers map[string]CrushPart) (Round, bool) {
	r := Round{ID: m.ID, Text: m.text(), Provenance: model.ReportSameRound}
	for _, p := range m.Parts {
		if p.Type != "tool_call" {
			continue
		}
		answer, ok := answers[p.CallID]
		if !ok {
			return r, false
		}
		ref := Reference(json.RawMessage(p.Input))
		if IsComplete(p.Name) && ref != "" && !answer.IsError && Succeeded(firstValue(answer.Content)) && !slices.Contains(r.Completed, ref) {
			r.Completed = append(r.Completed, ref)
			r.Tools = append(r.Tools, p.CallID)
		}
	}
	return r, m.Role == "assistant" && len(r.Completed) > 0
}

// firstValue is an answer without what hooks added to it.
func firstValue(answer string) (out json.RawMessage) {
	if json.NewDecoder(strings.NewReader(answer)).Decode(&out) != nil {
		return json.RawMessage(answer)
	}
	return out
}

func (m CrushMessage) text() model.Text {
	var parts []string
	for _, p := range m.Parts {
		if p.Type == "text" {
			parts = append(parts, p.Text)
		}
	}
	return Words(parts...)
}

// ends reports whether a turn ended with the message.
func (m CrushMessage) ends() bool {
	return m.Role == "assistant" && slices.ContainsFunc(m.Parts, func(p CrushPart) bool { return p.Type == "finish" && p.Reason != "tool_use" })
}

// turnEnd looks for the end of a turn in what follows one of its messages. A turn that was
// broken off, so that the next prompt follows, has no last words.
func turnEnd(rest []CrushMessage) (over bool, last model.Text) {
	for _, m := range rest {
		switch {
		case m.Role == "user":
			return true, ""
		case m.ends():
			return true, m.text()
		}
	}
	return false, ""
}
