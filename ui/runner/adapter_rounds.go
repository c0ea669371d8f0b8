package runner

import (
	"bytes"
	"encoding/json"

	"vise/model"
	"vise/ui/transcript"
)

// rounds reads our own form: one model.Round a line, whose calls the driver carries out
// (docs/rounds.md).
type rounds struct{ final model.Text }

// roundLine is what a program may say of a round. Where its words come from is not its to say.
type roundLine struct {
	Text       model.Text   `json:"text"`
	Calls      []model.Call `json:"calls"`
	WorkItemID model.ItemID `json:"work_item_id"`
}

func (r *rounds) line(raw []byte) ([]said, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, nil
	}
	if raw[0] != '{' || !json.Valid(raw) {
		return nil, model.Refuse(model.CodeInvalid, "not a round").WithHint(`a round is {"text": "…", "calls": [{"tool": "…", "input": {…}}]} on one line`)
	}
	var l roundLine
	if err := model.DecodeStrict(raw, &l); err != nil {
		var text struct{ Text model.Text }
		_ = json.Unmarshal(raw, &text)                                                                // whatever else is wrong with it
		return []said{{Round: model.Round{Text: transcript.Words(text.Text.Raw())}, wrong: err}}, nil // raw: kept, not shown
	}
	r.final = transcript.Words(l.Text.Raw()) // raw: kept, not shown
	return []said{{Round: model.Round{Text: r.final, Calls: l.Calls, WorkItemID: l.WorkItemID}}}, nil
}

func (r *rounds) end() ([]said, model.Text, string) { return nil, r.final, "" }
