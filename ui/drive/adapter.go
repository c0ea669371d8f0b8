package drive

import (
	"strings"
	"unicode/utf8"

	"vise/model"
)

// Adapter names how a program talks.
type Adapter string

// The adapters. Rounds is our own; see docs/rounds.md.
const (
	Claude Adapter = "claude"
	Codex  Adapter = "codex"
	Rounds Adapter = "rounds"
	Text   Adapter = "text"
)

// Adapters are all of them.
var Adapters = []Adapter{Claude, Codex, Rounds, Text}

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
	case Claude:
		return &claude{}
	case Codex:
		return &codex{}
	case Rounds:
		return &rounds{}
	}
	return &plain{}
}

// completeTool is the tool whose round may bring a report.
const completeTool = "CompleteWorkItem"

// reference reads which item a tool's input names.
type reference struct {
	WorkItemID string `json:"work_item_id"`
	ID         string `json:"id"`
}

func (r reference) item() string {
	if r.WorkItemID != "" {
		return r.WorkItemID
	}
	return r.ID
}

// words are a program's words as they may be kept: valid UTF-8, within a report's bound.
func words(s string) model.Text {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "\uFFFD"))
	if utf8.RuneCountInString(s) <= model.MaxReport {
		return model.Text(s)
	}
	n := 0
	for i := range s {
		if n == model.MaxReport {
			return model.Text(s[:i])
		}
		n++
	}
	return model.Text(s)
}

func join(parts []string) string { return strings.Join(parts, "\n\n") }
