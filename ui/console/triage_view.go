package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/model/todo"
	"vise/ui/action"
	"vise/ui/text"
)

// From this width on the findings stand beside what one of them says.
const besideW, listW = 100, 46

func (d *triage) draw(w, h int, s surroundings) drawn {
	k := s.styles
	out := drawn{w: w, h: h}
	out.Title, out.Focused = k.Strong.Paint("Triage  "+s.show(s.shelf.Session)), true
	out.Right = k.Muted.Paint(statusCounts(s.shelf.Todos))
	inner, room := w-2, h-2
	var ask []string
	if d.ask != nil {
		ask = d.asking(inner, s, &out)
		room -= len(ask)
	}
	switch {
	case s.shelf.Trouble != "":
		out.Lines = s.warned(s.shelf.Trouble, inner)
	case d.board:
		out.Lines = d.boardLines(inner, room, s)
	case len(d.batch) == 0:
		out.Lines = s.said(action.Keyed("Nothing waits for triage. {triage-board} shows all todos by status."), inner)
	case w >= besideW:
		out.Lines = d.sideBySide(inner, room, s)
	default:
		out.Lines = d.stacked(inner, room, s)
	}
	for len(out.Lines) < room {
		out.Lines = append(out.Lines, "")
	}
	out.Lines = append(out.Lines[:room], ask...)
	if out.cursor != nil {
		out.cursor.Y += room
	}
	out.Foot = k.Muted.Paint(d.keys(w, s))
	return out
}

// keys says what can be pressed, as much of it as fits.
func (d *triage) keys(w int, s surroundings) string {
	switch {
	case d.ask != nil:
		return action.Keyed("{submit-line} close it · {close} cancel")
	case d.board:
		return action.Keyed("{triage-down} {triage-up} move · {triage-board} back to the findings · {triage-close} close")
	case w < 118 && w >= 72:
		return action.Keyed("{triage-approve} approve {triage-defer} defer {triage-false-positive} false {triage-duplicate} dup {triage-out-of-scope} scope {triage-superseded} supers. {triage-wont-fix} won't {triage-promote} promote {triage-undo} undo")
	case w < 72:
		return "a d f m o s w p · u undo · n next · esc"
	}
	return action.Keyed("{triage-approve} approve · {triage-defer} defer · {triage-false-positive} false · {triage-duplicate} duplicate · {triage-out-of-scope} scope · {triage-superseded} superseded · {triage-wont-fix} won't fix · 1-3 rank · {triage-promote} promote · {triage-undo} undo")
}

// asking is the line on which a reason is typed.
func (d *triage) asking(w int, s surroundings, out *drawn) []string {
	label := "Why " + resolutionWord(d.asked) + "?"
	if d.asked == todo.Duplicate {
		label = "Duplicate of which todo, and why?"
	}
	lines, x, _ := d.ask.Draw(max(w-4, 4), s.styles)
	out.cursor = &tea.Position{X: 3 + x, Y: 1}
	return []string{" " + s.styles.Accent.Paint(d.at.String()+"  "+label), " " + s.styles.Key.Paint(">") + " " + lines[0]}
}

func (d *triage) sideBySide(w, h int, s surroundings) []string {
	k := s.styles
	left := d.list(listW-1, h, s)
	right := d.finding(w-listW-2, h, s)
	out := make([]string, h)
	for i := range out {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		out[i] = text.Pad(l, listW) + k.Border.Paint(s.styles.Glyph.Light.Left) + " " + r
	}
	return out
}

func (d *triage) stacked(w, h int, s surroundings) []string {
	rows := min(len(d.batch)+1, max(h/3, 3))
	out := d.list(w, rows, s)
	out = append(out, " "+s.styles.Faint.Paint(strings.Repeat(s.styles.Glyph.Rule, max(w-2, 0))))
	return append(out, d.finding(w, h-len(out), s)...)
}

// list is the batch, a line each, in at most h lines; the last says how much is left.
func (d *triage) list(w, h int, s surroundings) []string {
	index := todo.NewIndex(s.shelf.Todos)
	at := max(slices.Index(d.batch, d.at), 0)
	room := max(h-1, 1)
	top := min(max(at-room+1, 0), max(len(d.batch)-room, 0))
	var out []string
	for i, r := range d.batch {
		if i >= top && i < top+room {
			out = append(out, d.row(r, index, w, s))
		}
	}
	return append(out, d.tally(s))
}

func (d *triage) row(r todo.Ref, index *todo.Index, w int, s surroundings) string {
	k := s.styles
	t, ok := index.Find(r)
	mark, ink := s.fileMark(t.Status)
	note, decided := "", false
	switch v, mine := d.verdicts[r]; {
	case mine:
		note, decided = v.word, true
	case !ok:
		mark, note, decided = k.Glyph.Warning, "gone", true
	case t.Status != todo.Pending:
		note, decided = fileWord(t.Status)+" elsewhere", true
	}
	title := k.Text
	if decided {
		title = k.Faint
	}
	cursor := " "
	if r == d.at {
		cursor = k.Glyph.Cursor
	}
	room := max(w-refCells-9-text.Width(note), 4)
	return k.Strip(w, r == d.at, ink.Of(cursor+mark+" "), k.Muted.Of(text.Pad(r.String(), refCells)+" "),
		k.Accent.Of(string(t.Priority)+" "), title.Of(text.Pad(s.show(t.Title), room)), k.Done.Of(" "+note))
}

// tally says how far this batch is, and how many findings wait behind it.
func (d *triage) tally(s surroundings) string {
	left, behind := 0, 0
	for _, t := range s.shelf.pending() {
		_, decided := d.verdicts[t.Ref()]
		switch {
		case decided:
		case slices.Contains(d.batch, t.Ref()):
			left++
		default:
			behind++
		}
	}
	words := fmt.Sprintf("%d of %d left", left, len(d.batch))
	switch {
	case behind > 0 && left == 0:
		words += fmt.Sprintf(" · n: the next of %d", behind)
	case behind > 0:
		words += fmt.Sprintf(" · %d more behind", behind)
	case left == 0:
		words = action.Keyed("All decided. {triage-close} closes, {triage-undo} takes back.")
	}
	return " " + s.styles.Muted.Paint(words)
}

// finding is what the finding at the cursor says, and the code as it is now, from the line
// that it was scrolled to.
func (d *triage) finding(w, h int, s surroundings) []string {
	t, ok := todo.NewIndex(s.shelf.Todos).Find(d.at)
	if !ok {
		return s.said(d.at.String()+" is gone.", w)
	}
	lines := append(d.head(t, w, s), d.exhibit(w, s)...)
	d.scroll = min(d.scroll, max(len(lines)-h, 0))
	return lines[d.scroll:min(d.scroll+max(h, 0), len(lines))]
}

func (d *triage) head(t todo.Todo, w int, s surroundings) []string {
	k := s.styles
	var out []string
	for _, l := range text.Wrap(s.show(t.Title), max(w-2, 8)) {
		out = append(out, " "+k.Strong.Paint(l))
	}
	facts := t.Ref().String() + "  " + string(t.Priority)
	for _, f := range []model.Text{t.FindingSeverity, t.FindingID, t.SourceRef} {
		if f != "" {
			facts += " · " + s.show(f)
		}
	}
	out = append(out, " "+k.Muted.Paint(text.Cut(facts, w-2)))
	for _, p := range todo.FindSimilar(todo.Near(s.shelf.Todos, t)) {
		if p.Keep == t.Ref() || p.Other == t.Ref() {
			other := p.Keep
			if other == t.Ref() {
				other = p.Other
			}
			out = append(out, s.warned(fmt.Sprintf("Looks like %s (%d%%): m closes it as a duplicate.", other, int(p.Score*100)), w)...)
			break
		}
	}
	return out
}

func (d *triage) exhibit(w int, s surroundings) []string {
	k, x := s.styles, s.shelf.exhibit
	if s.shelf.shown.ref != d.at {
		return []string{"", " " + k.Muted.Paint("reading…")}
	}
	out := append(s.dismissedLines(x.Before, w), "")
	out = append(out, s.wrapped(x.Problem, w, k.Text)...)
	if x.File == "" {
		return append(out, "", " "+k.Muted.Paint("It names no file."))
	}
	place := s.show(x.File)
	if x.Place.Line > 0 {
		place += fmt.Sprintf(":%d", x.Place.Line)
	}
	out = append(out, "", text.Sides(" "+k.Accent.Paint(place), k.Muted.Paint(cmp.Or(codeWord(x), "as quoted"))+" ", w))
	switch {
	case x.Trouble != "":
		return append(out, s.warned(x.Trouble, w)...)
	case x.Changed && x.Snippet != "":
		out = append(out, s.warned("The code has changed since: "+lostWord(x), w)...)
	}
	return append(append(out, s.codeLines(x, w)...), s.quoteLines(x, w)...)
}

// dismissedLines tell that the same finding was dismissed earlier, and why.
func (c Console) dismissedLines(b *todo.Dismissed, w int) []string {
	if b == nil {
		return nil
	}
	day, _, _ := strings.Cut(c.show(b.ResolvedAt), "T")
	where := b.Ref().String()
	if b.Session != "" {
		where = c.styles.Safe(b.Session) + " " + where
	}
	return c.warned(fmt.Sprintf("Dismissed before, %s as %s (%s): %s", day, resolutionWord(b.Resolution), where, c.show(b.Reason)), w)
}

// codeWord says how the place was found.
func codeWord(x Exhibit) string {
	switch {
	case x.Trouble != "":
		return "not shown"
	case x.Snippet == "":
		return "by line number alone"
	case x.Changed:
		return "changed"
	case x.Copies > 1:
		return fmt.Sprintf("the nearest of %d copies", x.Copies)
	case x.Parts.Line > 0 && x.Parts.Line != x.Place.Line:
		return fmt.Sprintf("moved from line %d", x.Parts.Line)
	}
	return ""
}

func lostWord(x Exhibit) string {
	if x.Place.Line == 0 {
		return "nothing of the quote is left."
	}
	return fmt.Sprintf("of the quote only %d %s left.", x.Place.Lines, plural(x.Place.Lines, "line is", "lines are"))
}

// codeLines are the code as it is now, with a mark beside what the finding quotes.
func (c Console) codeLines(x Exhibit, w int) []string {
	k := c.styles
	var out []string
	for i, l := range x.Excerpt.Lines {
		n := x.First + i
		mark, ink := " ", k.Muted
		if x.Place.Line > 0 && n >= x.Place.Line && n < x.Place.Line+max(x.Place.Lines, 1) {
			mark, ink = k.Glyph.Gutter, k.Text
		}
		out = append(out, k.Strip(w, false, k.Faint.Of(fmt.Sprintf("%5d ", n)), k.NeedsYou.Of(mark+" "), ink.Of(c.show(l))))
	}
	return out
}

// quoteLines are the quote itself, where the code no longer has it.
func (c Console) quoteLines(x Exhibit, w int) []string {
	if !x.Changed || x.Snippet == "" {
		return nil
	}
	out := []string{"", " " + c.styles.Muted.Paint("The finding quotes:")}
	for _, l := range x.Snippet.Lines() {
		out = append(out, c.styles.Strip(w, false, c.styles.Blocked.Of("   "+c.styles.Safe(l))))
	}
	return out
}
