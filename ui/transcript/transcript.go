// Package transcript reads the transcripts and messages of agents' programs. It finds the text of a completion and the commands that were
// run. It separates one reply from the next exactly where the program's format allows that, and never guesses.
//
// Reading order: transcript.go (a round, a reply and its calls), then the programs' formats: line.go (what a line tells), codex.go,
// session.go (Crush and OpenCode); command.go (commands and how they ended); edit.go (files that a call changed); limit.go (when a usage
// limit ends).
package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vise/model"
)

// Round is one reply: its text, and the work items that it completed, if any.
type Round struct {
	// ID is the reply's id, unique within its session.
	ID   string
	Text model.Text
	// Completed are references to the items, as the agent wrote them.
	Completed  []string
	Provenance model.ReportOf
	// Tools are the ids of the calls that completed the items.
	Tools []string
	// Others are the names of the tools that it called and that are not ours, each once.
	Others []model.Text
	// Ours are the names of our tools that it called, in their order.
	Ours []model.Text
	// Unanswered means that some of its calls have no answer yet, so it may complete more.
	Unanswered bool
}

// Calls adds a call of a tool, and the item that it completed, if any.
func (r *Round) Calls(id, tool, item string, answered bool) {
	if name, ours := OurTool(tool); ours {
		r.Ours = append(r.Ours, model.Text(name))
	} else if !slices.Contains(r.Others, model.Text(tool)) {
		r.Others = append(r.Others, model.Text(tool))
	}
	if item != "" && !slices.Contains(r.Completed, item) {
		r.Completed, r.Tools = append(r.Completed, item), append(r.Tools, id)
	}
	r.Unanswered = r.Unanswered || !answered
}

// Completing returns the rounds that completed something.
func Completing(all []Round) []Round {
	return slices.DeleteFunc(all, func(r Round) bool { return len(r.Completed) == 0 })
}

// Picks reports whether a tool is our server's PickWorkItem.
func Picks(tool string) bool {
	name, ours := OurTool(tool)
	return ours && name == "PickWorkItem"
}

// IsOurs reports whether a tool belongs to our server.
func IsOurs(tool string) bool {
	_, ours := OurTool(tool)
	return ours
}

// OurTool returns the name of a tool of our server, in any of the programs' spellings.
func OurTool(tool string) (name string, ours bool) {
	for _, before := range []string{"mcp__vise__", "mcp.vise.", "mcp_vise_", "vise__", "vise_", "vise-"} {
		if name, ours = strings.CutPrefix(tool, before); ours {
			return name, true
		}
	}
	return strings.CutSuffix(tool, " (vise MCP Server)")
}

// Completes returns the item that a tool call asks to complete, or "".
func Completes(tool string, input json.RawMessage) string {
	if name, ours := OurTool(tool); !ours || name != "CompleteWorkItem" {
		return ""
	}
	return WorkItem(tool, input)
}

// WorkItem returns the item that a call of one of our tools names, or "".
func WorkItem(tool string, input json.RawMessage) string {
	var in struct {
		WorkItemID string `json:"work_item_id"`
		ID         string
	}
	if !IsOurs(tool) {
		return ""
	}
	_ = json.Unmarshal(input, &in) // input of another shape names no item
	return cmp.Or(in.WorkItemID, in.ID)
}

// Succeeded reports whether the answer of a completion says that it completed something: not an error, and not the repetition of an earlier
// completion.
func Succeeded(answer json.RawMessage) bool {
	s := strings.NewReplacer(" ", "", `\`, "").Replace(string(answer))
	return !slices.ContainsFunc([]string{`"completed_transition":false`, `"isError":true`, `"error":{"code"`}, func(sign string) bool {
		return strings.Contains(s, sign)
	})
}

// Words returns a program's text as it may be stored: valid UTF-8, within the bound of one reply. A text that is cut says so.
func Words(parts ...string) model.Text {
	s := strings.TrimSpace(strings.ToValidUTF8(strings.Join(parts, "\n\n"), "\uFFFD"))
	if n := utf8.RuneCountInString(s); n > model.MaxWords {
		mark := fmt.Sprintf("\n\n[Cut here: there were %d characters.]", n)
		s = string([]rune(s)[:model.MaxWords-len(mark)]) + mark
	}
	return model.Text(s)
}

// reply is one reply of a model: its text and its tool calls.
type reply struct {
	id    string
	text  []string
	calls []call
}

// call is a tool call. item is the item that it asks to complete, and done the one that it completed, or "".
type call struct {
	id, tool, item, done string
	answered             bool
}

func (r *reply) call(id, tool string, input json.RawMessage) {
	r.calls = append(r.calls, call{id: id, tool: tool, item: Completes(tool, input)})
}

// add adds what a line tells. The calls in done succeeded.
func (r *reply) add(l Line, done []string) {
	r.text = append(r.text, l.Texts...)
	for _, c := range l.Calls {
		if r.call(c.ID, c.Tool, c.Input); slices.Contains(done, c.ID) {
			r.answer(c.ID, false, nil)
		}
	}
	for _, a := range l.Answers {
		r.answer(a.ID, a.Failed, a.Content)
	}
}

// answer records how a call ended. It ignores an answer to a call of another reply.
func (r *reply) answer(id string, failed bool, content json.RawMessage) {
	for i := range r.calls {
		if c := &r.calls[i]; c.id == id && !c.answered {
			if c.answered = true; !failed && Succeeded(content) {
				c.done = c.item
			}
		}
	}
}

// over reports whether all calls have answers.
func (r *reply) over() bool {
	return !slices.ContainsFunc(r.calls, func(c call) bool { return !c.answered })
}

// Waits reports whether the round has no report of its own: no text, or only an announcement.
func (r Round) Waits() bool {
	return r.announces() || r.Text == "" && len(r.Completed) == 1
}

// announces reports whether the round completes one item and its text only announces what follows.
func (r Round) announces() bool {
	return len(r.Completed) == 1 && r.Provenance == model.ReportSameRound && model.LooksLikePreamble(r.Text)
}

// WithFinal returns a completing round. If its own text is no report, the turn's final text is returned as an offer: in place of a missing
// text, or beside an announcement.
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

// said returns the reply as a round, or none if the reply is empty.
func (r *reply) said() []Round {
	if r == nil || len(r.text) == 0 && len(r.calls) == 0 {
		return nil
	}
	return []Round{r.round(model.ReportSameRound)}
}

func (r *reply) round(of model.ReportOf) Round {
	out := Round{ID: r.id, Text: Words(r.text...), Provenance: of}
	for _, c := range r.calls {
		out.Calls(c.id, c.tool, c.done, c.answered)
	}
	return out
}
