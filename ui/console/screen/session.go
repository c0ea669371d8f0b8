package screen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	sdk "github.com/coder/acp-go-sdk"

	"vise/model"
	"vise/store/home"
	"vise/ui/acp"
	"vise/ui/action"
	"vise/ui/text"
)

// Session is what a session of an agent's program said and did, and the place in it. Only the parts on screen are laid out.
type Session struct {
	home.Session
	Parts []acp.Part
	// Stands means that the screen does not follow the end: At is the line with the cursor, Top the first one on the screen, and Seen parts
	// were there when the end was left.
	Stands  bool
	At, Top Spot
	Seen    int
	// Turned are the parts that the operator folded or unfolded. Calls that failed are unfolded otherwise, other calls and thoughts folded.
	Turned map[int]bool
	// Laid keeps the lines of parts that change no more.
	Laid map[int]LaidPart
	// Sent are messages to the agent that it was not given yet.
	Sent []model.Text
	// Typed is the message being typed; nil if none is. Answers means that letters answer what is asked.
	Typed   *Field
	Answers bool
}

// Spot is a line of a part.
type Spot struct{ Part, Row int }

func (p Spot) before(q Spot) bool { return p.Part < q.Part || p.Part == q.Part && p.Row < q.Row }

// LaidPart are the lines of a part, in one form: of all of it, or of the first bytes of its text.
type LaidPart struct {
	form
	lines []string
	words int
}

type form struct {
	w     int
	style *Styles
	open  bool
}

// talk returns the lines of a session on screen, and below them the line to write.
func (v Detail) talk(w, h int) (out []string) {
	line := v.sayLine(w)
	h -= len(line)
	if len(v.Session.Parts) == 0 {
		out = []string{v.Note("Nothing was said yet.")}
	}
	for at := v.sessionTop(w, h); at.Part < len(v.Session.Parts) && len(out) < h; at = (Spot{at.Part + 1, 0}) {
		for _, l := range v.sessionPart(at.Part, w)[at.Row:] {
			if v.Focused && v.Cursor && at.Part == v.Session.Cursor() {
				l = v.Accent.Paint(v.Glyph.Gutter) + ansi.TruncateLeft(l, 1, "")
			}
			out = append(out, l)
		}
	}
	for out = out[:min(len(out), max(h, 0))]; len(out) < h; {
		out = append(out, "")
	}
	return append(out, line...)
}

// Cursor is the part under the cursor.
func (s Session) Cursor() int {
	if s.Stands {
		return s.At.Part
	}
	return len(s.Parts) - 1
}

// SayRows is the number of lines of a message that is typed.
const SayRows = 3

// sayLine returns the line to write, with the messages that the agent was not given yet.
func (v Detail) sayLine(w int) (out []string) {
	for _, t := range v.Session.Sent {
		out = append(out, v.Strip(w, false, v.Strong.Of(" you  "), v.Text.Of(v.Show(t)), v.Muted.Of("  it is given this next")))
	}
	mark := " " + v.Key.Paint(">") + " "
	if v.Session.Typed == nil {
		to := "say something to " + v.AgentName(v.Session.Agent) + v.Keyed("  {message}")
		return append(out, text.Cut(mark+v.Faint.Paint(to), w))
	}
	lines, _, _ := v.Session.Typed.Draw(v.SayW(), v.Styles)
	for _, l := range lines {
		out, mark = append(out, mark+l), "   "
	}
	return out
}

// SayW is the width of the field for a message, SayAt the place of its cursor on the screen.
func (v Detail) SayW() int {
	w, _ := v.Inner()
	return min(w-4, 74) // as wide as a dialog's
}

func (v Detail) SayAt() (x, y int) {
	_, x, y = v.Session.Typed.Draw(v.SayW(), v.Styles)
	return v.X + 4 + x, v.Y + v.H - 1 - SayRows + y
}

// sessionRoom is the size of the part of the page that shows the session.
func (v Detail) sessionRoom() (w, h int) {
	w, h = v.room()
	return w, h - len(v.sayLine(w))
}

// sessionTop returns the first line on the screen.
func (v Detail) sessionTop(w, h int) Spot {
	if s := v.Session; s.Stands {
		return v.walked(s.Top, 0, w)
	}
	return v.walked(Spot{len(v.Session.Parts), 0}, -h, w)
}

// walked returns the line n lines further down, or up.
func (v Detail) walked(at Spot, n, w int) Spot {
	for at.Row += n; at.Row < 0 && at.Part > 0; {
		at.Part--
		at.Row += len(v.sessionPart(at.Part, w))
	}
	for at.Row = max(at.Row, 0); at.Part < len(v.Session.Parts) && at.Row >= len(v.sessionPart(at.Part, w)); at.Part++ {
		at.Row -= len(v.sessionPart(at.Part, w))
	}
	if at.Part == len(v.Session.Parts) {
		at.Row = 0
	}
	return at
}

// MoveSession moves the cursor n lines down a session, and the screen with it. At the end it follows. A page that has not the keys has no
// cursor to be seen: there the screen moves.
func (v Detail) MoveSession(n int) Session {
	s := *v.Session
	v.Session = &s
	w, h := v.sessionRoom()
	end := Spot{len(s.Parts), 0}
	top, last := v.sessionTop(w, h), v.walked(end, -1, w)
	at := s.At
	switch {
	case !v.Focused && n < 0:
		at = top
	case !v.Focused:
		at = v.walked(top, h-1, w)
	case !s.Stands:
		at = last
	}
	switch {
	case n <= -farAway:
		at = Spot{}
	case n >= farAway:
		at = last
	default:
		at = v.walked(at, n, w)
	}
	stood := s.Stands
	if s.Stands = at.before(last); s.Stands && !stood {
		s.Seen = len(s.Parts)
	}
	if at.before(top) {
		top = at
	} else if low := v.walked(at, 1-h, w); top.before(low) {
		top = low
	}
	s.At, s.Top = at, top
	return s
}

// UnfoldPart unfolds the part under the cursor, or folds it. Its first line stays on the screen.
func (v Detail) UnfoldPart() Session {
	s := *v.Session
	i := s.Cursor()
	w, h := v.sessionRoom()
	s.Top = v.sessionTop(w, h)
	if !s.Stands {
		s.Seen = len(s.Parts)
	}
	s.Turned = maps.Clone(s.Turned)
	if s.Turned == nil {
		s.Turned = map[int]bool{}
	}
	s.Stands, s.At, s.Turned[i] = true, Spot{i, 0}, !s.Turned[i]
	v.Session = &s
	return v.MoveSession(0)
}

// Show moves the cursor and the screen to a part.
func (s Session) Show(i int) Session {
	s.Stands, s.At, s.Top, s.Seen = true, Spot{i, 0}, Spot{i, 0}, len(s.Parts)
	return s
}

// Shifted keeps the place where n parts came before it.
func (s Session) Shifted(n int) Session {
	if s.Stands {
		s.At.Part, s.Top.Part, s.Seen, s.Turned = s.At.Part+n, s.Top.Part+n, s.Seen+n, nil
	}
	return s
}

const farAway = 1 << 16

// sessionPart returns the lines of a part.
func (v Detail) sessionPart(i, w int) []string {
	s := v.Session
	p, kept := s.Parts[i], s.Laid[i]
	open := (p.Call.Status == sdk.ToolCallStatusFailed) != s.Turned[i]
	now := form{w, v.Styles, open}
	if kept.words < 0 && kept.form == now {
		return kept.lines
	}
	var lines []string
	last := i == len(s.Parts)-1 && s.State != home.SessionGone
	done := !p.GoesOn() || !last && p.Text != ""
	switch p.Kind {
	case acp.PartWords:
		if lines, done = v.said(i, p.Text, now, last); done {
			break
		}
		return lines
	case acp.PartCall:
		lines = v.call(p, w, open)
	case acp.PartAsk:
		lines = v.askedFor(p, w)
	case acp.PartPlan:
		for _, x := range p.Plan {
			mark, ink := v.TodoMark(model.TodoState(x.Status))
			lines = append(lines, v.Hang("   "+ink.Paint(mark)+" ", ink, v.Show(model.Text(x.Content)), w-6)...)
		}
	case acp.PartTurn, acp.PartEnded:
		said := v.Show(p.Text)
		if p.Turn > 0 {
			said = fmt.Sprintf("turn %d · %s", p.Turn, v.Clock(p.At))
		}
		lines = v.Said(v.Glyph.Rule+v.Glyph.Rule+" "+said, w)
	default:
		lines = v.prompt(p, w, open)
	}
	if done {
		s.Laid[i] = LaidPart{now, lines, -1}
	}
	return lines
}

// prompt returns what the agent thought, or what it was told. Of what it was told, the operator's words are always shown.
func (v Detail) prompt(p acp.Part, w int, open bool) []string {
	lines := p.Text.Lines()
	said := quoted(lines)
	switch {
	case p.Kind == acp.PartThought:
		return v.told("thinks", v.Faint, lines, w, open)
	case p.From == model.Scheduler:
		out := v.told("vise", v.Faint, append([]string{"the context of the turn"}, lines...), w, open)
		if len(said) > 0 && !open {
			out = append(out, v.told("you", v.Strong, said, w, true)...)
		}
		return out
	case p.From != model.Operator:
		return v.told(v.Show(model.Text(p.From)), v.Strong, lines, w, true)
	case len(said) > 0 && !open:
		lines = said
	}
	return v.told("you", v.Strong, lines, w, true)
}

// quoted returns the operator's messages in what an agent was told: the lines with a bar.
func quoted(lines []string) (out []string) {
	for _, l := range lines[max(slices.Index(lines, "Messages for you:"), 0):] {
		if said, ok := strings.CutPrefix(l, "| "); ok {
			out = append(out, said)
		}
	}
	return out
}

// told returns lines beside a label: only the first if they are folded.
func (v Detail) told(label string, ink Ink, lines []string, w int, open bool) (out []string) {
	head := " " + v.Muted.Paint(label) + "  "
	room := w - text.Width(head) - 1
	if !open {
		return []string{head + ink.Paint(text.Cut(v.Show(model.Text(lines[0])), room))}
	}
	for _, l := range lines {
		out = append(out, v.Hang(head, ink, v.Safe(l), room)...)
		head = text.Pad("", text.Width(head))
	}
	return out
}

// segment is about how many bytes of a text are laid out as one.
const segment = 4 << 10

// said returns the lines of what the agent said: as Markdown up to its last whole paragraph, if it grows. done: they will not change.
func (v Detail) said(i int, t model.Text, now form, grows bool) (out []string, done bool) {
	end := len(t)
	if grows {
		for end = 0; paragraph(t, end) < len(t); {
			end = paragraph(t, end)
		}
	}
	done = true
	for from := 0; from < end; {
		to := from
		for to < end && to-from < segment {
			to = min(paragraph(t, to), end)
		}
		lines, laid := v.prose(model.Text(strings.TrimRight(string(t[from:to]), "\n")), now.w, v.Text) // raw: it stays a text
		out, done, from = append(append(out, lines...), ""), done && laid, to
	}
	switch kept := v.Session.Laid[i]; {
	case done:
		v.Session.Laid[i] = LaidPart{now, out, end}
	case kept.form == now:
		out, end = kept.lines, kept.words
	}
	if end < len(t) {
		out = append(append(slices.Clip(out), v.Wrapped(t[end:], now.w, v.Text)...), "")
	}
	return out, done && !grows
}

// paragraph returns where the paragraph at from ends, with the blank line after it. A block of code is one with what is before it.
func paragraph(t model.Text, from int) int {
	at := from
	for {
		n := strings.Index(string(t[at:]), "\n\n") // raw: looked through, not shown
		if n < 0 {
			return len(t)
		}
		if at += n + 2; strings.Count(string(t[from:at]), "```")%2 == 0 { // raw: looked through, not shown
			return at
		}
	}
}

// call returns a tool call: a line with how it ended, and unfolded the lines that it changed, or the last that it gave.
func (v Detail) call(p acp.Part, w int, open bool) []string {
	fold := "▸ "
	if open {
		fold = "▾ "
	}
	verb, about := p.Call.Line()
	outcome, ink := v.Show(p.Call.Outcome()), v.Accent
	switch {
	case p.Call.Status == sdk.ToolCallStatusFailed:
		ink = v.Blocked
	case outcome == "":
		outcome, ink = v.Age(p.At), v.Current
	}
	if p.Took >= time.Second {
		outcome += " · " + text.Age(p.Took)
	}
	does := []Piece{v.Strong.Of(text.Pad(v.Show(verb), 8))}
	out := []string{v.item(w, false, ink.Of(fold), does, v.Text.Of(v.Show(about)), "  "+outcome+" ")}
	if !open {
		return out
	}
	for _, x := range p.Call.Content {
		if x.Diff != nil {
			out = append(out, v.edit(*x.Diff, w)...)
		}
	}
	var result []string
	for _, l := range p.Call.Result().Lines() {
		result = append(result, v.Hang("        ", v.Muted, v.Safe(l), w-9)...)
	}
	return append(out, result[max(len(result)-resultShown, 0):]...)
}

// edit returns the lines that an edit changed, with some around them.
func (v Detail) edit(d sdk.ToolCallContentDiff, w int) (out []string) {
	for _, l := range acp.Changes(d).Lines() {
		if l == "" || l[0] == '\\' {
			continue
		}
		ink, sign := v.Muted, l[:1]
		switch sign {
		case "+":
			ink = v.Added
		case "-":
			ink, sign = v.Removed, "−"
		case "@":
			l, sign = "@", "…"
		}
		out = append(out, v.Hang("      "+ink.Paint(sign+" "), ink, v.Safe(l[1:]), w-9)...)
	}
	return out
}

// resultShown is how many of the last lines of a call's result are shown.
const resultShown = 20

// askedFor returns a permission that the program asked for, and the answer.
func (v Detail) askedFor(p acp.Part, w int) []string {
	verb, about := p.Call.Line()
	ink, asks, tail := v.NeedsYou, "asks to ", v.Age(p.At)
	if p.Text != "" {
		ink, asks, tail = v.Muted, "asked to ", v.Show(p.Text)
	}
	asked := []Piece{v.Text.Of(asks + v.Show(verb) + " ")}
	out := []string{v.item(w, false, ink.Of(v.Glyph.NeedsYou+" "), asked, v.Strong.Of(v.Show(about)), "  "+tail+" ")}
	if p.Text == "" && v.Session.State == home.SessionAsks {
		how := "  {do} answers: once, always in this session, or no"
		if v.Session.Answers {
			how = "  y once · a always in this session · n no · N no, and why"
		}
		out = append(out, v.Note(v.Keyed(how)))
	}
	return out
}

// sessionFoot says whether the screen follows the end, or what is new below.
func (v Detail) sessionFoot() string {
	if s := v.Session; s.Stands {
		follow := v.KeyOf(action.Bottom) + " follows"
		if n := len(s.Parts) - s.Seen; n > 0 {
			follow = fmt.Sprintf("%d new below · %s", n, follow)
		}
		return v.NeedsYou.Paint(follow)
	}
	words := v.Glyph.Following + " following"
	if v.Session.ID == "" {
		return v.Muted.Paint("finished replies, from the ledger: not live")
	}
	if steer := v.Session.Steered(); steer != "" {
		words = v.Show(model.Text(steer)) + " · " + words
	}
	return v.Muted.Paint(words)
}
