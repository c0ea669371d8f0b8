// Package transcript reads what agents' programs say of themselves, in transcripts, streams and
// messages, for the words beside a completion and the commands that were run. What belongs to one
// reply is separated exactly where the program's format allows it, and never guessed where it does not.
//
// Reading order: transcript.go (a round, a stream), reply.go (a reply and its calls), then a program's
// formats: claude.go, codex.go, session.go (Crush and OpenCode); command.go (commands and how they ended).
package transcript

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"vise/model"
)

// Round is one reply: its words, and the work items that it completed, which may be none.
type Round struct {
	// ID is the reply's, unique within its session.
	ID   string
	Text model.Text
	// Completed are references to the items, as the agent wrote them.
	Completed  []string
	Provenance model.ReportOf
	// Tools are the ids of the calls that completed them.
	Tools []string
}

// Stream makes rounds of what a program says, line by line.
type Stream interface {
	// Line takes one line without its end, and returns the rounds that are over with it. An
	// error means that the line was not understood; reading goes on.
	Line([]byte) ([]Round, error)
	// End returns the rounds that nothing ended yet.
	End() []Round
	// Ran returns the commands that ended since it was last called.
	Ran() []Ran
	// Last are the words that the program ended with, and what it itself says went wrong.
	Last() (words model.Text, failed string)
}

// Completing are the rounds that completed something.
func Completing(all []Round) []Round {
	return slices.DeleteFunc(all, func(r Round) bool { return len(r.Completed) == 0 })
}

// IsComplete reports whether a tool's name is that of our server's CompleteWorkItem, in
// any of the spellings of the agents: mcp__vise__X, mcp_vise_X, vise_X.
func isComplete(tool string) bool {
	return strings.HasSuffix(tool, "CompleteWorkItem") && strings.Contains(tool, "vise")
}

// IsOurs reports whether a tool is one of our server's.
func IsOurs(tool string) bool {
	return strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(tool, "mcp__"), "mcp_"), "vise_")
}

// Completes is which item a call of a tool asks to complete; empty for none.
func Completes(tool string, input json.RawMessage) string {
	var in struct {
		WorkItemID string `json:"work_item_id"`
		ID         string `json:"id"`
	}
	if !isComplete(tool) {
		return ""
	}
	_ = json.Unmarshal(input, &in) // another shape names nothing
	if in.WorkItemID != "" {
		return in.WorkItemID
	}
	return in.ID
}

// Succeeded reports whether the answer of a completion says that it completed something:
// not an error, and not the repetition of an earlier one.
func Succeeded(answer json.RawMessage) bool {
	s := strings.NewReplacer(" ", "", `\`, "").Replace(string(answer))
	return !strings.Contains(s, `"completed_transition":false`) && !strings.Contains(s, `"isError":true`) && !strings.Contains(s, `"error":{"code"`)
}

// Words are a program's words as they may be kept: valid UTF-8, within a report's bound.
func Words(parts ...string) model.Text {
	s := strings.TrimSpace(strings.ToValidUTF8(strings.Join(parts, "\n\n"), "\uFFFD"))
	if utf8.RuneCountInString(s) > model.MaxReport {
		s = string([]rune(s)[:model.MaxReport])
	}
	return model.Text(s)
}
