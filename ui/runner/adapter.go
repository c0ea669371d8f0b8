package runner

import (
	"bytes"
	"encoding/json"
	"strings"

	"vise/model"
	"vise/ui/transcript"
)

// Adapter names how a program talks.
type Adapter string

// The adapters. Rounds is our own; see docs/rounds.md.
const (
	adapterClaude Adapter = "claude"
	adapterCodex  Adapter = "codex"
	adapterRounds Adapter = "rounds"
	adapterText   Adapter = "text"
)

// said is a round as a program said it.
type said struct {
	model.Round
	// done are references to items that the program completed itself in this round.
	done []string
	// wrong is why the round could not be read; its text is kept all the same.
	wrong error
}

// listener makes rounds of a program's output.
type listener interface {
	// line takes one line without its end, and returns the rounds that it completes.
	// An error means that the line was not understood; listening goes on.
	line([]byte) ([]said, error)
	// end returns what is left when the output ended, the turn's final text, and what the
	// program itself says went wrong.
	end() (rest []said, final model.Text, failed string)
}

// adapters make the listener of each.
var adapters = map[Adapter]func() listener{
	adapterClaude: func() listener { return &stream{&transcript.Claude{}} },
	adapterCodex:  func() listener { return &stream{&transcript.Codex{}} },
	adapterRounds: func() listener { return &rounds{} },
	adapterText:   func() listener { return &plain{} },
}

// stream listens to a program whose tools were carried out by the MCP server already, so that
// a round only brings words, and the items that it completed.
type stream struct{ transcript.Stream }

func (s *stream) line(raw []byte) ([]said, error) {
	rounds, err := s.Line(raw)
	return saidOf(rounds), err
}

func (s *stream) end() ([]said, model.Text, string) {
	rest := saidOf(s.End())
	final, failed := s.Last()
	return rest, final, failed
}

func saidOf(rounds []transcript.Round) []said {
	out := make([]said, len(rounds))
	for i, r := range rounds {
		out[i] = said{Round: model.Round{Text: r.Text, Provenance: r.Provenance}, done: r.Completed}
	}
	return out
}

// rounds reads our own form: one model.Round a line, whose calls the driver carries out
// (docs/rounds.md).
type rounds struct{ final model.Text }

func (r *rounds) line(raw []byte) ([]said, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, nil
	}
	if raw[0] != '{' || !json.Valid(raw) {
		return nil, model.Refuse(model.CodeInvalid, "not a round").WithHint(`a round is {"text": "…", "calls": [{"tool": "…", "input": {…}}]} on one line`)
	}
	// Where its words come from is not the program's to say.
	var l struct {
		Text       model.Text   `json:"text"`
		Calls      []model.Call `json:"calls"`
		WorkItemID model.ItemID `json:"work_item_id"`
	}
	if err := model.DecodeStrict(raw, &l); err != nil {
		var text struct{ Text model.Text }
		_ = json.Unmarshal(raw, &text)                                                                // whatever else is wrong with it
		return []said{{Round: model.Round{Text: transcript.Words(text.Text.Raw())}, wrong: err}}, nil // raw: kept, not shown
	}
	r.final = transcript.Words(l.Text.Raw()) // raw: kept, not shown
	return []said{{Round: model.Round{Text: r.final, Calls: l.Calls, WorkItemID: l.WorkItemID}}}, nil
}

func (r *rounds) end() ([]said, model.Text, string) { return nil, r.final, "" }

// plain takes all that a program writes as the words of one round without calls.
type plain struct{ text strings.Builder }

// maxPlain bounds the words that are kept, in bytes; a trace keeps far less.
const maxPlain = 1 << 20

func (p *plain) line(raw []byte) ([]said, error) {
	if p.text.Len()+len(raw) < maxPlain {
		p.text.Write(raw)
		p.text.WriteByte('\n')
	}
	return nil, nil
}

func (p *plain) end() ([]said, model.Text, string) {
	text := transcript.Words(p.text.String())
	if text == "" {
		return nil, "", ""
	}
	return []said{{Round: model.Round{Text: text}}}, text, ""
}
