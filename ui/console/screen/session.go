package screen

import (
	"fmt"
	"slices"
	"strings"

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
	// Stands means that the screen does not follow the end: line Row of part At is the first on it, and Seen parts were there when it was
	// left.
	Stands        bool
	At, Row, Seen int
	// Open means that all parts are unfolded. A call that failed always is.
	Open bool
	// Laid keeps the lines of parts that change no more.
	Laid map[int]LaidPart
}

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

// talk returns the lines of a session on screen.
func (v Detail) talk(w, h int) (out []string) {
	if v.Session == nil || len(v.Session.Parts) == 0 {
		return []string{v.Note("Nothing was said yet.")}
	}
	at, row := v.sessionTop(w, h)
	for ; at < len(v.Session.Parts) && len(out) < h+row; at++ {
		out = append(out, v.sessionPart(at, w)...)
	}
	return out[min(row, len(out)):min(len(out), h+row)]
}

// sessionTop returns the part and the line of it that are at the top of the screen.
func (v Detail) sessionTop(w, h int) (at, row int) {
	if s := v.Session; s.Stands {
		return s.At, s.Row
	}
	at = len(v.Session.Parts)
	for n := 0; at > 0 && n < h; {
		at--
		n += len(v.sessionPart(at, w))
		row = max(n-h, 0)
	}
	return at, row
}

// MoveSession moves the screen n lines down a session. At its end it follows.
func (v Detail) MoveSession(n int) Session {
	s, was := *v.Session, v.Session.Stands
	w, h := v.room()
	at, row := v.sessionTop(w, h)
	if row += n; n <= -farAway {
		at, row = 0, 0
	}
	for row < 0 && at > 0 {
		at--
		row += len(v.sessionPart(at, w))
	}
	for row = max(row, 0); at < len(s.Parts) && row >= len(v.sessionPart(at, w)); at++ {
		row -= len(v.sessionPart(at, w))
	}
	v.Session = &s
	s.Stands = false
	endAt, endRow := v.sessionTop(w, h)
	if s.Stands = at < endAt || at == endAt && row < endRow; s.Stands && !was {
		s.Seen = len(s.Parts)
	}
	s.At, s.Row = at, row
	return s
}

const farAway = 1 << 16

// sessionPart returns the lines of a part.
func (v Detail) sessionPart(i, w int) []string {
	s := v.Session
	p, kept := s.Parts[i], s.Laid[i]
	now := form{w, v.Styles, s.Open}
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
		lines = v.call(p, w)
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
		lines = v.prompt(p, w)
	}
	if done {
		s.Laid[i] = LaidPart{now, lines, -1}
	}
	return lines
}

// prompt returns what the agent thought, or what it was told.
func (v Detail) prompt(p acp.Part, w int) (out []string) {
	label, ink, lines := v.Show(model.Text(p.From)), v.Strong, p.Text.Lines()
	switch {
	case p.Kind == acp.PartThought:
		label, ink = "thinks", v.Faint
	case p.Kind == acp.PartNotice:
		label, ink = "notice", v.Muted
	case p.From == model.Operator:
		label = "you"
	case p.From == model.Scheduler:
		label, ink, lines = "vise", v.Faint, append([]string{"the context of the turn"}, lines...)
	}
	head := " " + v.Muted.Paint(label) + "  "
	room := w - text.Width(head) - 1
	if ink == v.Faint && !v.Session.Open {
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
		lines, laid := v.laidOut(t[from:to], now.w)
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

// laidOut returns a text as Markdown, or as written if that is not laid out yet.
func (v Detail) laidOut(t model.Text, w int) (lines []string, done bool) {
	t = model.Text(strings.TrimRight(string(t), "\n"))                    // raw: it stays a text
	if v.Pages == nil || !strings.ContainsAny(string(t), "\n*_`[#<|\\") { // raw: looked through, not shown
		return v.Wrapped(t, w, v.Text), true
	}
	for _, l := range v.Pages.Written(t, w-2, v.Page) {
		lines = append(lines, " "+l)
	}
	if lines == nil {
		return v.Wrapped(t, w, v.Text), false
	}
	return lines, true
}

// call returns a tool call: a line with how it ended, and unfolded what it was about and gave.
func (v Detail) call(p acp.Part, w int) []string {
	failed, fold := p.Call.Status == sdk.ToolCallStatusFailed, "▸ "
	open := v.Session.Open || failed
	if open {
		fold = "▾ "
	}
	verb, about := p.Call.Line()
	outcome, ink := v.Show(p.Call.Outcome()), v.Accent
	switch {
	case failed:
		ink = v.Blocked
	case outcome == "":
		outcome, ink = v.Age(p.At), v.Current
	}
	does := []Piece{v.Strong.Of(v.Show(verb)).Pad(8)}
	out := []string{v.item(w, false, ink.Of(fold), does, v.Text.Of(v.Show(about)), "  "+outcome+" ")}
	if !open {
		return out
	}
	add := func(sign string, ink Ink, t model.Text, most int) {
		lines := t.Lines()
		for _, l := range lines[max(len(lines)-most, 0):] {
			out = append(out, v.Strip(w, false, ink.Of("        "+sign+v.Safe(l))))
		}
	}
	for _, x := range p.Call.Content {
		if x.Diff == nil {
			continue
		}
		if x.Diff.OldText != nil {
			add("− ", v.Removed, model.Text(*x.Diff.OldText), farAway)
		}
		add("+ ", v.Added, model.Text(x.Diff.NewText), farAway)
	}
	add("", v.Muted, p.Call.Result(), resultShown)
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
		out = append(out, v.Note(v.Keyed("  {do} answers: once, always in this session, or no")))
	}
	return out
}

// sessionFoot says whether the screen follows the end, or what is new below.
func (v Detail) sessionFoot() string {
	if s := v.Session; s.Stands {
		return v.NeedsYou.Paint(fmt.Sprintf("%d new below · %s follows", len(s.Parts)-s.Seen, v.KeyOf(action.Bottom)))
	}
	words := v.Glyph.Following + " following"
	if steer := v.Session.Steered(); steer != "" {
		words = v.Show(model.Text(steer)) + " · " + words
	}
	return v.Muted.Paint(words)
}
