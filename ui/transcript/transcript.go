// Package transcript reads what agents' programs say of themselves, in transcripts, streams and
// messages, for the words of a completion and the commands that were run. What belongs to one
// reply is separated exactly where the program's format allows it, and never guessed where it does not.
//
// Reading order: transcript.go (a round, a stream, a reply and its calls), then a program's formats:
// claude.go, codex.go, gemini.go, gemini_copilot.go, opencode_stream.go, session.go (Crush and OpenCode);
// command.go (commands and how they ended); edit.go (files that a call changed); limit.go (when a usage limit is over).
package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
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
	// Others are the tools that it called and that are not ours, by name, each once.
	Others []model.Text
	// Unanswered: some of its calls have no answer yet, so that it may complete more.
	Unanswered bool
}

// Stream makes rounds of what a program says, line by line.
type Stream interface {
	// Line takes one line without its end, and returns the rounds that are over with it. An
	// error means that the line was not understood; reading goes on.
	Line([]byte) ([]Round, error)
	// End returns the rounds that nothing ended yet.
	End() []Round
	// Ran returns the commands that ended since it was last called.
	Ran() []ran
	// Last are the words that the program ended with, and what it itself says went wrong.
	Last() (words model.Text, failed string)
	// Used is what the program says that it has used so far.
	Used() model.Usage
	// Limit is until when the program says that its usage limit holds; zero where it says none.
	Limit(now time.Time) time.Time
}

// ending is what a stream keeps for its caller beside rounds.
type ending struct {
	last string
	// failed is what the program says went wrong.
	failed string
	ran    []ran
	usage  model.Usage
	limit  time.Time
}

// Ran is part of Stream.
func (e *ending) Ran() (out []ran) {
	out, e.ran = e.ran, nil
	return out
}

// Limit is part of Stream.
func (e *ending) Limit(now time.Time) time.Time {
	if e.limit.IsZero() {
		return LimitIn(e.failed, now)
	}
	return e.limit
}

// Used is part of Stream.
func (e *ending) Used() model.Usage { return e.usage }

// Last is part of Stream.
func (e *ending) Last() (model.Text, string) { return Words(e.last), e.failed }

// Completing are the rounds that completed something.
func Completing(all []Round) []Round {
	return slices.DeleteFunc(all, func(r Round) bool { return len(r.Completed) == 0 })
}

// isComplete reports whether a tool's name is that of our server's CompleteWorkItem, in
// any of the spellings of the agents: mcp__vise__X, mcp_vise_X, vise_X, vise-X.
func isComplete(tool string) bool {
	name, ours := ourTool(tool)
	return ours && strings.TrimPrefix(name, "_") == "CompleteWorkItem"
}

// Picks reports whether a tool is our server's PickWorkItem.
func Picks(tool string) bool {
	name, ours := ourTool(tool)
	return ours && strings.TrimPrefix(name, "_") == "PickWorkItem"
}

// IsOurs reports whether a tool is one of our server's.
func IsOurs(tool string) bool {
	_, ours := ourTool(tool)
	return ours
}

func ourTool(tool string) (name string, ours bool) {
	if name, ours = strings.CutPrefix(tool, "vise-"); ours {
		return name, true
	}
	return strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(tool, "mcp__"), "mcp_"), "vise_")
}

// Completes is which item a call of a tool asks to complete; empty for none.
func Completes(tool string, input json.RawMessage) string {
	if !isComplete(tool) {
		return ""
	}
	return WorkItem(tool, input)
}

// WorkItem is which item a call of one of our tools names; empty for none.
func WorkItem(tool string, input json.RawMessage) string {
	var in struct {
		WorkItemID string `json:"work_item_id"`
		ID         string `json:"id"`
	}
	if !IsOurs(tool) {
		return ""
	}
	_ = json.Unmarshal(input, &in) // another shape names nothing
	return cmp.Or(in.WorkItemID, in.ID)
}

// Succeeded reports whether the answer of a completion says that it completed something:
// not an error, and not the repetition of an earlier one.
func Succeeded(answer json.RawMessage) bool {
	s := strings.NewReplacer(" ", "", `\`, "").Replace(string(answer))
	return !slices.ContainsFunc([]string{`"completed_transition":false`, `"isError":true`, `"error":{"code"`}, func(sign string) bool {
		return strings.Contains(s, sign)
	})
}

// Words are a program's words as they may be kept: valid UTF-8, within the bound of one reply. What
// is cut is said to be.
func Words(parts ...string) model.Text {
	s := strings.TrimSpace(strings.ToValidUTF8(strings.Join(parts, "\n\n"), "\uFFFD"))
	if n := utf8.RuneCountInString(s); n > model.MaxWords {
		mark := fmt.Sprintf("\n\n[Cut here: there were %d characters.]", n)
		s = string([]rune(s)[:model.MaxWords-len(mark)]) + mark
	}
	return model.Text(s)
}

// reply is one reply of a model: its words and its calls of tools.
type reply struct {
	id    string
	text  []string
	calls []call
}

// call is a call of a tool. item is what it asks to complete; empty for any other.
type call struct {
	id, tool, item      string
	answered, completed bool
}

func (r *reply) call(id, tool string, input json.RawMessage) {
	r.calls = append(r.calls, call{id: id, tool: tool, item: Completes(tool, input)})
}

// answer notes how a call ended. An answer to a call of another reply is none here.
func (r *reply) answer(id string, failed bool, content json.RawMessage) {
	for i := range r.calls {
		if c := &r.calls[i]; c.id == id && !c.answered {
			c.answered, c.completed = true, c.item != "" && !failed && Succeeded(content)
		}
	}
}

// ends: it calls nothing, which ends a turn.
func (r *reply) ends() bool { return r != nil && len(r.calls) == 0 }

// over: all calls have answers.
func (r *reply) over() bool {
	return !slices.ContainsFunc(r.calls, func(c call) bool { return !c.answered })
}

// Waits: the round has no words of its own but what comes next.
func (r Round) Waits() bool {
	return r.announces() || r.Text == "" && len(r.Completed) == 1
}

// announces: the round completes one item, and has no words for it but what comes next.
func (r Round) announces() bool {
	return len(r.Completed) == 1 && r.Provenance == model.ReportSameRound && model.LooksLikePreamble(r.Text)
}

// WithFinal are a completing round and, where its own words are no report, the last words of its
// turn as an offer: in their place, or beside an announcement.
func (r Round) WithFinal(final model.Text) []Round {
	offer := r
	offer.Text, offer.Provenance = final, model.ReportTurnFinal
	switch {
	case final == "" || len(r.Completed) != 1:
		return []Round{r}
	case r.Text == "":
		return []Round{offer}
	case r.announces():
		offer.ID += "/final"
		return []Round{r, offer}
	}
	return []Round{r}
}

// said is the reply as a round; nothing is none.
func (r *reply) said(of model.ReportOf) []Round {
	if r == nil || len(r.text) == 0 && len(r.calls) == 0 {
		return nil
	}
	return []Round{r.round(of)}
}

func (r *reply) round(of model.ReportOf) Round {
	out := Round{ID: r.id, Text: Words(r.text...), Provenance: of, Unanswered: !r.over()}
	for _, c := range r.calls {
		if name := model.Text(c.tool); !IsOurs(c.tool) && !slices.Contains(out.Others, name) {
			out.Others = append(out.Others, name)
		}
		if c.completed && !slices.Contains(out.Completed, c.item) {
			out.Completed, out.Tools = append(out.Completed, c.item), append(out.Tools, c.id)
		}
	}
	return out
}
