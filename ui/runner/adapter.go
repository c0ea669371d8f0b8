package runner

import (
	"vise/model"
	"vise/ui/transcript"
)

// Adapter names how a program talks.
type Adapter string

// The adapters. Rounds is our own; see docs/rounds.md.
const (
	AdapterClaude Adapter = "claude"
	AdapterCodex  Adapter = "codex"
	AdapterRounds Adapter = "rounds"
	AdapterText   Adapter = "text"
)

// Adapters are all of them.
var Adapters = []Adapter{AdapterClaude, AdapterCodex, AdapterRounds, AdapterText}

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
	// end returns what is left when the output ended, the turn's last words, and what the
	// program itself says went wrong.
	end() (rest []said, final model.Text, failed string)
}

func listenerFor(a Adapter) listener {
	switch a {
	case AdapterClaude:
		return &stream{&transcript.Claude{}}
	case AdapterCodex:
		return &stream{&transcript.Codex{}}
	case AdapterRounds:
		return &rounds{}
	}
	return &plain{}
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
