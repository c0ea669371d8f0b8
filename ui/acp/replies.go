package acp

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	acp "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/ui/transcript"
)

// ReplyRule says to which reply of the model a tool call belongs that comes when all calls of a reply have ended, with no words before it:
// to the same reply, whose calls run one after the other, or to a new one without words.
type ReplyRule int

const (
	// ReplyUnknown: the program does not tell. This is the rule of OpenCode, and of programs that were not tried.
	ReplyUnknown ReplyRule = iota
	// ReplyByUsage: after an update of the usage, to a new reply; without one the program does not tell (Claude Code, Copilot CLI).
	ReplyByUsage
	// ReplyGoesOn: after an update of the usage, to a new reply; without one, to the same (Codex).
	ReplyGoesOn
	// ReplyBySuffix: the call's id ends with its number in its reply, from _0 (Gemini CLI).
	ReplyBySuffix
)

// Replies splits what a session sends in a turn into the model's replies, each with its words and the items that it completed. The zero
// value reads a program that was not tried.
//
// The SDK's types keep all that is needed here: raw inputs and outputs, and _meta.
type Replies struct {
	Program
	// parts are the parts of the reply that has not ended. Each but the first begins with a call of which the program does not tell
	// whether it belongs to the reply. called is how many calls the reply has, open how many of them have not ended.
	parts        []part
	called, open int
	// ids are the ids of the reply's words and thoughts.
	ids []string
	// failed means that the program says that the model failed, and notice is what it said of it.
	failed bool
	notice string
	// usage means that an update of the usage came since a call ended last.
	usage bool
	// calls are all calls of the turn.
	calls map[acp.ToolCallId]*toolCall
	over  []transcript.Round
	ran   []transcript.Ran
	final model.Text
}

// part is a part of a reply.
type part struct {
	texts []text
	calls []*toolCall
}

// text is a text without a break.
type text struct {
	id    string
	words []byte
	// pieces is in how many it came. isOver means that a call follows.
	pieces int
	isOver bool
}

// Tool returns the name of a call's tool.
func (r *Replies) Tool(id acp.ToolCallId) string {
	if c := r.calls[id]; c != nil {
		return c.name
	}
	return ""
}

// Update takes one update and returns the rounds that have ended.
func (r *Replies) Update(u acp.SessionUpdate) []transcript.Round {
	if c := u.AgentMessageChunk; c != nil && c.Content.Text != nil && !isSubagent(c.Meta) {
		r.says(c.MessageId, &c.Content.Text.Text)
	}
	if c := u.AgentThoughtChunk; c != nil && !isSubagent(c.Meta) {
		r.says(c.MessageId, nil)
	}
	if c := CallOf(u); c != nil {
		r.Asks(*c)
	}
	if x := u.SessionInfoUpdate; x != nil { // Codex
		if state := in(x.Meta, "codex", "threadStatus", "type"); state != nil {
			r.failed = state == "systemError"
		}
	}
	r.usage = r.usage || u.UsageUpdate != nil
	return r.taken()
}

// taken returns the rounds that have ended, once.
func (r *Replies) taken() (out []transcript.Round) {
	out, r.over = r.over, nil
	return out
}

// Ran returns the commands that ended, once, if the program tells their exit status.
func (r *Replies) Ran() (out []transcript.Ran) {
	out, r.ran = r.ran, nil
	return out
}

// Doing returns the title of a call that has not ended.
func (r *Replies) Doing() string {
	for _, c := range r.calls {
		if !c.hasEnded {
			return c.Title
		}
	}
	return ""
}

// Asks takes the call of a permission request, and returns what is known of the call. Gemini CLI announces a call in no other way.
func (r *Replies) Asks(u acp.ToolCallUpdate) Call {
	c := r.calls[u.ToolCallId]
	if c == nil {
		c = &toolCall{isApart: isSubagent(u.Meta)}
		if r.calls == nil {
			r.calls = map[acp.ToolCallId]*toolCall{}
		}
		if r.calls[u.ToolCallId] = c; !c.isApart {
			r.begin(c, string(u.ToolCallId))
		}
	}
	c.add(u)
	if now := (Call{}).With(u); now.Ended() {
		r.end(c, now.Status == acp.ToolCallStatusFailed)
	}
	return c.With(u)
}

// Refused ends a call whose permission was refused. Gemini CLI says nothing more about it.
func (r *Replies) Refused(id acp.ToolCallId) {
	if c := r.calls[id]; c != nil {
		r.end(c, true)
	}
}

// End ends the last reply, when the prompt is answered or the program is gone. It returns the rounds that have ended, and the last words
// unless they came with a completion. The last text of a failed prompt is dropped: it is the program's error message.
//
// A round names the item of a completion without an answer too. The ledger knows whether it was carried out.
func (r *Replies) End(failed bool) (rest []transcript.Round, final model.Text) {
	if failed && r.called == 0 {
		p := r.part()
		p.texts = p.texts[:max(0, len(p.texts)-1)]
	}
	r.close()
	rest, final = r.taken(), r.final
	*r = Replies{Program: r.Program, ran: r.ran}
	return rest, final
}

// Failure takes out what the program said of a failure of the model after which it ended the turn as usual.
func (r *Replies) Failure() string {
	if r.failed {
		return cmp.Or(strings.TrimSpace(r.notice), "the model failed")
	}
	if r.Errors == "" || r.called > 0 {
		return ""
	}
	p := r.part()
	if len(p.texts) != 1 || p.texts[0].pieces != 1 || !strings.HasPrefix(string(p.texts[0].words), r.Errors) {
		return ""
	}
	said := string(p.texts[0].words)
	p.texts = nil
	return said
}

// isSubagent reports whether something comes from a subagent, whose words are not the agent's.
func isSubagent(meta map[string]any) bool { return in(meta, "claudeCode", "parentToolUseId") != nil }

// says takes a piece of the model's words, or of its thoughts if words is nil. Words without an id, from a program that gives ids, are a
// notice of the program.
func (r *Replies) says(message *string, words *string) {
	id := given(message)
	r.HasIDs = r.HasIDs || id != ""
	if r.HasIDs && id == "" && words != nil {
		if r.failed {
			r.notice += *words
		}
		return
	}
	if r.called > 0 && r.open == 0 && (id == "" || !slices.Contains(r.ids, id)) {
		r.close()
	}
	if !slices.Contains(r.ids, id) {
		r.ids = append(r.ids, id)
	}
	p := r.part()
	if words == nil {
		return
	}
	if n := len(p.texts) - 1; n < 0 || p.texts[n].id != id || p.texts[n].isOver {
		p.texts = append(p.texts, text{id: id})
	}
	last := &p.texts[len(p.texts)-1]
	last.words = append(last.words, *words...)
	last.pieces++
}

// part is the part of the reply that is being said.
func (r *Replies) part() *part {
	if len(r.parts) == 0 {
		r.parts = []part{{}}
	}
	return &r.parts[len(r.parts)-1]
}

// begin adds a new call to the reply to which it belongs.
func (r *Replies) begin(c *toolCall, id string) {
	if r.called > 0 && r.open == 0 {
		isNew, isTold := r.usage, r.usage || r.Program.Replies == ReplyGoesOn
		switch r.Program.Replies {
		case ReplyUnknown:
			isTold = false
		case ReplyBySuffix:
			n, err := strconv.Atoi(id[strings.LastIndexByte(id, '_')+1:])
			isNew, isTold = n == 0, err == nil
		}
		switch {
		case !isTold:
			r.parts = append(r.parts, part{})
		case isNew:
			r.close()
		}
	}
	p := r.part()
	if n := len(p.texts) - 1; n >= 0 {
		p.texts[n].isOver = true
	}
	p.calls = append(p.calls, c)
	r.called++
	r.open++
}

func (r *Replies) end(c *toolCall, failed bool) {
	r.usage = r.usage && c.isApart
	if c.hasEnded {
		return
	}
	if x, ok := c.ran(failed); ok {
		r.ran = append(r.ran, x)
	}
	if c.end(failed); !c.isApart {
		r.open--
	}
}

// close ends the reply. It is one round, unless it cannot be told which of several replies completed something: then each of them is a
// round, and no words are certain to be a report, so that they are offered. A silent completion after another one gets none.
func (r *Replies) close() {
	of := model.ReportSameRound
	var all []part
	for i, p := range r.parts {
		if i > 0 && p.completes() {
			of = model.ReportNearRound
		}
		if n := len(all) - 1; n < 0 || p.completes() && all[n].completes() {
			all = append(all, p)
		} else {
			all[n] = part{append(all[n].texts, p.texts...), append(all[n].calls, p.calls...)}
		}
	}
	for _, p := range all {
		x := transcript.Round{Provenance: of}
		p.tell(&x, r.HasIDs)
		if x.Text != "" {
			r.final = x.Text
		}
		if len(x.Completed) > 0 && x.Text != "" {
			r.final = ""
		}
		if len(p.calls) > 0 || x.Text != "" {
			r.over = append(r.over, x)
		}
	}
	r.parts, r.ids, r.called, r.open, r.usage = nil, nil, 0, 0, false
}

func (p part) completes() bool {
	return slices.ContainsFunc(p.calls, func(c *toolCall) bool { return c.item != "" })
}

// tell writes the part into a round. The round's id is that of its first call, else of its words.
func (p part) tell(x *transcript.Round, hasIDs bool) {
	var words []string
	for _, t := range p.texts {
		if len(t.words) > 0 && (t.id != "" || !hasIDs) {
			words = append(words, string(t.words))
			x.ID = cmp.Or(x.ID, t.id)
		}
	}
	x.Text = transcript.Words(words...)
	for i, c := range p.calls {
		if i == 0 {
			x.ID = string(c.ID)
		}
		x.Calls(string(c.ID), c.name, c.item, c.hasEnded)
	}
}
