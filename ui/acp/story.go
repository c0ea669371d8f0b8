package acp

import (
	"cmp"
	"path/filepath"
	"strings"
	"time"

	acp "github.com/coder/acp-go-sdk"
	"github.com/rogpeppe/go-internal/diff"

	"vise/model"
	"vise/ui/transcript"
)

// Part is what a session's log tells, as a person reads it: one text, one tool call, one question.
type Part struct {
	At   time.Time
	Kind PartKind
	// Text is what was said, the prompt, the answer, or how a turn ended.
	Text model.Text
	From model.Actor
	Turn int
	// Call is the tool call of a PartCall or PartAsk; Took is how long it ran.
	Call Call
	Took time.Duration
	// Plan are the entries of the program's own plan.
	Plan []acp.PlanEntry
}

// PartKind says what a part is.
type PartKind int

// The kinds of parts.
const (
	PartWords PartKind = iota
	PartThought
	// PartNotice is what the program itself says.
	PartNotice
	PartPrompt
	PartCall
	PartPlan
	PartAsk
	PartTurn
	PartEnded
)

// Story is a session's log as parts, in order. A call stays where it began, and changes there.
type Story struct {
	Parts  []Part
	hasIDs bool // words without an id are notices
	calls  map[acp.ToolCallId]int
	words  string // which text the last part is
}

// StoryOf begins the story of a session of the program with a name.
func StoryOf(program string) Story {
	p, _ := Named(program)
	return Story{hasIDs: p.HasIDs}
}

// Add adds an entry, and returns the index of the part that it made or changed; -1 if nothing is shown of it.
func (s *Story) Add(e Entry) int {
	p := Part{At: e.At}
	switch {
	case e.Update != nil:
		return s.update(p, *e.Update)
	case e.Answer != "":
		for i := len(s.Parts) - 1; i >= 0; i-- {
			if x := &s.Parts[i]; x.Kind == PartAsk && e.Ask != nil && x.Call.ID == e.Ask.ToolCallId {
				x.Text = e.Answer
				return i
			}
		}
		return -1
	case e.Ask != nil:
		p.Kind, p.Call = PartAsk, s.call(*e.Ask)
	case e.Prompt != "":
		p.Kind, p.Text, p.From = PartPrompt, e.Prompt, e.From
	case e.Turn > 0:
		p.Kind, p.Turn = PartTurn, e.Turn
	case e.Ended != "":
		p.Kind, p.Text = PartEnded, e.Ended
	}
	return s.put(p, "")
}

func (s *Story) put(p Part, words string) int {
	s.words = words
	s.Parts = append(s.Parts, p)
	return len(s.Parts) - 1
}

// call returns what is known of a call, with what an update adds.
func (s *Story) call(u acp.ToolCallUpdate) Call {
	if i, ok := s.calls[u.ToolCallId]; ok {
		return s.Parts[i].Call.With(u)
	}
	return Call{}.With(u)
}

func (s *Story) update(p Part, u acp.SessionUpdate) int {
	if text, of := textOf(u); text != nil {
		i := len(s.Parts) - 1
		if *text == "" {
			return -1
		}
		if s.words == of && i >= 0 {
			s.Parts[i].Text += model.Text(*text)
			return i
		}
		switch p.Text = model.Text(*text); {
		case u.AgentThoughtChunk != nil:
			p.Kind = PartThought
		case s.hasIDs && given(u.AgentMessageChunk.MessageId) == "":
			p.Kind = PartNotice
		}
		return s.put(p, of)
	}
	if c := CallOf(u); c != nil {
		p.Kind, p.Call = PartCall, s.call(*c)
		if i, ok := s.calls[c.ToolCallId]; ok {
			if x := &s.Parts[i]; !x.Call.Ended() && p.Call.Ended() {
				x.Took = p.At.Sub(x.At)
			}
			s.Parts[i].Call = p.Call
			return i
		}
		if s.calls == nil {
			s.calls = map[acp.ToolCallId]int{}
		}
		s.calls[c.ToolCallId] = len(s.Parts)
		return s.put(p, "")
	}
	if u.Plan != nil {
		p.Kind, p.Plan = PartPlan, u.Plan.Entries
		if i := len(s.Parts) - 1; i >= 0 && s.Parts[i].Kind == PartPlan {
			s.Parts[i] = p
			return i
		}
		return s.put(p, "")
	}
	return -1
}

// GoesOn reports whether the last part of a story may still change.
func (p Part) GoesOn() bool {
	return p.Kind <= PartNotice || p.Kind == PartCall && !p.Call.Ended() || p.Kind == PartAsk && p.Text == ""
}

// Ended reports whether a call has ended.
func (c Call) Ended() bool {
	return c.Status == acp.ToolCallStatusCompleted || c.Status == acp.ToolCallStatusFailed
}

// Line says in one line what a call does: a word for its kind, and what it is about.
func (c Call) Line() (verb, about model.Text) {
	tool, input := c.Words()
	verbs := map[acp.ToolKind]model.Text{acp.ToolKindRead: "read", acp.ToolKindEdit: "edit", acp.ToolKindDelete: "delete",
		acp.ToolKindMove: "move", acp.ToolKindSearch: "search", acp.ToolKindExecute: "run", acp.ToolKindThink: "think",
		acp.ToolKindFetch: "fetch"}
	if name, ours := transcript.OurTool(c.Title); ours {
		return "vise", model.Text(name)
	}
	about = model.Text(tool)
	switch {
	case c.Kind == acp.ToolKindExecute && in(c.Input, "command") != nil:
		about = model.Text(input)
	case len(c.Locations) > 0 && (c.Kind == acp.ToolKindEdit || c.Kind == acp.ToolKindRead):
		about = model.Text(filepath.Clean(c.Locations[0].Path))
	case strings.TrimSpace(c.Title) == "":
		about = model.Text(input)
	}
	return cmp.Or(verbs[c.Kind], "call"), about
}

// Doing is what a call does, as a session's state keeps it.
func (c Call) Doing() string {
	verb, about := c.Line()
	return verb.Raw() + " " + about.Raw() // raw: it is kept, and a text again when shown
}

// Outcome says how a call ended: empty while it runs.
func (c Call) Outcome() model.Text {
	added, removed := c.Changed()
	switch {
	case c.Status == acp.ToolCallStatusFailed:
		return "failed"
	case !c.Ended():
		return ""
	case added+removed > 0:
		return model.Textf("+%d -%d", added, removed)
	}
	return "done"
}

// Changed counts the lines that an edit adds and removes.
func (c Call) Changed() (added, removed int) {
	for _, x := range c.Content {
		if x.Diff != nil {
			changes := "\n" + Changes(*x.Diff).Raw() // raw: counted, not shown
			added += strings.Count(changes, "\n+")
			removed += strings.Count(changes, "\n-")
		}
	}
	return added, removed
}

// Changes is an edit as a unified diff, from the lines of its first part on.
func Changes(d acp.ToolCallContentDiff) model.Text {
	all := string(diff.Diff("", []byte(given(d.OldText)), "", []byte(d.NewText)))
	_, parts, _ := strings.Cut(all, "\n@@")
	_, lines, _ := strings.Cut(parts, "\n")
	return model.Text(lines)
}

// Result is the text that a call gave, without a fence around it.
func (c Call) Result() model.Text {
	output, _ := c.Output.(string)
	return model.Text(strings.Trim(cmp.Or(c.texts(), output), "`\n"))
}
