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
	"vise/ui/console/screen"
	"vise/ui/console/widget"
	"vise/ui/text"
)

// From this width on the findings stand beside what one of them says.
const besideW, listW = 100, 46

// Draw is part of widget.Dialog.
func (d *triage) Draw(x widget.Context) widget.Drawn {
	k := x.Styles
	w, h := x.W, x.H
	out := x.Dialog("Triage  "+x.Show(d.shelf.Session), d.keys(w), nil)
	out.W, out.H = w, h
	out.Right = k.Muted.Paint(screen.StatusCounts(d.shelf.Todos))
	inner, room := w-2, h-2
	var ask []string
	if d.ask != nil {
		ask = d.asking(inner, x, &out)
		room -= len(ask)
	}
	switch {
	case d.shelf.Trouble != "":
		out.Lines = x.Warned(d.shelf.Trouble, inner)
	case d.board:
		out.Lines = d.boardLines(inner, room, x)
	case len(d.batch) == 0:
		out.Lines = x.Said(x.Keys.Keyed("Nothing waits for triage. {triage-board} shows all todos by status."), inner)
	case w >= besideW:
		out.Lines = d.sideBySide(inner, room, x)
	default:
		out.Lines = d.stacked(inner, room, x)
	}
	for len(out.Lines) < room {
		out.Lines = append(out.Lines, "")
	}
	out.Lines = append(out.Lines[:room], ask...)
	if out.Cursor != nil {
		out.Cursor.Y += room
	}
	return out
}

// keys says what can be pressed, as much of it as fits.
func (d *triage) keys(w int) string {
	switch {
	case d.ask != nil:
		return "{submit-line} close it · {close} cancel"
	case d.board:
		return "{triage-down} {triage-up} move · {triage-board} back to the findings · {triage-close} close"
	case w < 118 && w >= 72:
		return "{triage-approve} approve {triage-defer} defer {triage-false-positive} false {triage-duplicate} dup {triage-out-of-scope} scope {triage-superseded} supers. {triage-wont-fix} won't {triage-promote} promote {triage-undo} undo"
	case w < 72:
		return "{triage-approve} {triage-defer} {triage-false-positive} {triage-duplicate} {triage-out-of-scope} {triage-superseded} {triage-wont-fix} {triage-promote} · {triage-undo} undo · {triage-next} next · {triage-close}"
	}
	return "{triage-approve} approve · {triage-defer} defer · {triage-false-positive} false · {triage-duplicate} duplicate · {triage-out-of-scope} scope · {triage-superseded} superseded · {triage-wont-fix} won't fix · 1-3 rank · {triage-promote} promote · {triage-undo} undo"
}

// asking is the line on which a reason is typed.
func (d *triage) asking(w int, x widget.Context, out *widget.Drawn) []string {
	label := "Why " + resolutionWord(d.asked) + "?"
	if d.asked == todo.Duplicate {
		label = "Duplicate of which todo, and why?"
	}
	lines, at, _ := d.ask.Draw(max(w-4, 4), x.Styles)
	out.Cursor = &tea.Position{X: 3 + at, Y: 1}
	return []string{" " + x.Accent.Paint(d.at.String()+"  "+label), " " + x.Key.Paint(">") + " " + lines[0]}
}

func (d *triage) sideBySide(w, h int, x widget.Context) []string {
	k := x.Styles
	left := d.list(listW-1, h, x)
	right := d.finding(w-listW-2, h, x)
	out := make([]string, h)
	for i := range out {
		l, r := "", ""
		if i < len(left) {
			l = left[i]
		}
		if i < len(right) {
			r = right[i]
		}
		out[i] = text.Pad(l, listW) + k.Border.Paint(x.Glyph.Light.Left) + " " + r
	}
	return out
}

func (d *triage) stacked(w, h int, x widget.Context) []string {
	rows := min(len(d.batch)+1, max(h/3, 3))
	out := d.list(w, rows, x)
	out = append(out, " "+x.Faint.Paint(strings.Repeat(x.Glyph.Rule, max(w-2, 0))))
	return append(out, d.finding(w, h-len(out), x)...)
}

// list is the batch, a line each, in at most h lines; the last says how much is left.
func (d *triage) list(w, h int, x widget.Context) []string {
	index := todo.NewIndex(d.shelf.Todos)
	at := max(slices.Index(d.batch, d.at), 0)
	room := max(h-1, 1)
	top := min(max(at-room+1, 0), max(len(d.batch)-room, 0))
	var out []string
	for i, r := range d.batch {
		if i >= top && i < top+room {
			out = append(out, d.row(r, index, w, x))
		}
	}
	return append(out, d.tally(x))
}

func (d *triage) row(r todo.Ref, index *todo.Index, w int, x widget.Context) string {
	k := x.Styles
	t, ok := index.Find(r)
	mark, ink := onScreen(x).FileMark(t.Status)
	note, decided := "", false
	switch v, mine := d.verdicts[r]; {
	case mine:
		note, decided = v.word, true
	case !ok:
		mark, note, decided = k.Glyph.Warning, "gone", true
	case t.Status != todo.Pending:
		note, decided = screen.FileWord(t.Status)+" elsewhere", true
	}
	title := k.Text
	if decided {
		title = k.Faint
	}
	cursor := " "
	if r == d.at {
		cursor = k.Glyph.Cursor
	}
	room := max(w-screen.RefCells-9-text.Width(note), 4)
	return k.Strip(w, r == d.at, ink.Of(cursor+mark+" "), k.Muted.Of(text.Pad(r.String(), screen.RefCells)+" "),
		k.Accent.Of(string(t.Priority)+" "), title.Of(text.Pad(x.Show(t.Title), room)), k.Done.Of(" "+note))
}

// tally says how far this batch is, and how many findings wait behind it.
func (d *triage) tally(x widget.Context) string {
	left, behind := 0, 0
	for _, t := range d.shelf.Pending() {
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
		words += fmt.Sprintf(" · %s: the next of %d", x.Keys.KeyOf(action.TriageNext), behind)
	case behind > 0:
		words += fmt.Sprintf(" · %d more behind", behind)
	case left == 0:
		words = x.Keys.Keyed("All decided. {triage-close} closes, {triage-undo} takes back.")
	}
	return " " + x.Muted.Paint(words)
}

// finding is what the finding at the cursor says, and the code as it is now, from the line
// that it was scrolled to.
func (d *triage) finding(w, h int, x widget.Context) []string {
	t, ok := todo.NewIndex(d.shelf.Todos).Find(d.at)
	if !ok {
		return x.Said(d.at.String()+" is gone.", w)
	}
	lines := append(d.head(t, w, x), d.exhibit(w, x)...)
	d.scroll = min(d.scroll, max(len(lines)-h, 0))
	return lines[d.scroll:min(d.scroll+max(h, 0), len(lines))]
}

func (d *triage) head(t todo.Todo, w int, x widget.Context) []string {
	k := x.Styles
	var out []string
	for _, l := range text.Wrap(x.Show(t.Title), max(w-2, 8)) {
		out = append(out, " "+k.Strong.Paint(l))
	}
	facts := t.Ref().String() + "  " + string(t.Priority)
	for _, f := range []model.Text{t.FindingSeverity, t.FindingID, t.SourceRef} {
		if f != "" {
			facts += " · " + x.Show(f)
		}
	}
	out = append(out, " "+k.Muted.Paint(text.Cut(facts, w-2)))
	for _, p := range todo.FindSimilar(todo.Near(d.shelf.Todos, t)) {
		if p.Keep == t.Ref() || p.Other == t.Ref() {
			other := p.Keep
			if other == t.Ref() {
				other = p.Other
			}
			out = append(out, x.Warned(fmt.Sprintf("Looks like %s (%d%%): %s closes it as a duplicate.", other, int(p.Score*100), x.Keys.KeyOf(action.TriageDuplicate)), w)...)
			break
		}
	}
	return out
}

func (d *triage) exhibit(w int, f widget.Context) []string {
	k, x := f.Styles, d.shelf.exhibit
	if d.shelf.shown.ref != d.at {
		return []string{"", " " + k.Muted.Paint("reading…")}
	}
	out := append(dismissedLines(f.Frame, x.Before, w), "")
	out = append(out, f.Wrapped(x.Problem, w, k.Text)...)
	if x.File == "" {
		return append(out, "", " "+k.Muted.Paint("It names no file."))
	}
	place := f.Show(x.File)
	if x.Place.Line > 0 {
		place += fmt.Sprintf(":%d", x.Place.Line)
	}
	out = append(out, "", text.Sides(" "+k.Accent.Paint(place), k.Muted.Paint(cmp.Or(codeWord(x), "as quoted"))+" ", w))
	switch {
	case x.Trouble != "":
		return append(out, f.Warned(x.Trouble, w)...)
	case x.Changed && x.Snippet != "":
		out = append(out, f.Warned("The code has changed since: "+lostWord(x), w)...)
	}
	return append(append(out, codeLines(f.Frame, x, w)...), quoteLines(f.Frame, x, w)...)
}

// dismissedLines tell that the same finding was dismissed earlier, and why.
func dismissedLines(f widget.Frame, b *todo.Dismissed, w int) []string {
	if b == nil {
		return nil
	}
	day, _, _ := strings.Cut(f.Show(b.ResolvedAt), "T")
	where := b.Ref().String()
	if b.Session != "" {
		where = f.Safe(b.Session) + " " + where
	}
	return f.Warned(fmt.Sprintf("Dismissed before, %s as %s (%s): %s", day, resolutionWord(b.Resolution), where, f.Show(b.Reason)), w)
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
	return fmt.Sprintf("of the quote only %d %s left.", x.Place.Lines, screen.Plural(x.Place.Lines, "line is", "lines are"))
}

// codeLines are the code as it is now, with a mark beside what the finding quotes.
func codeLines(f widget.Frame, x Exhibit, w int) []string {
	k := f.Styles
	var out []string
	for i, l := range x.Excerpt.Lines {
		n := x.First + i
		mark, ink := " ", k.Muted
		if x.Place.Line > 0 && n >= x.Place.Line && n < x.Place.Line+max(x.Place.Lines, 1) {
			mark, ink = k.Glyph.Gutter, k.Text
		}
		out = append(out, k.Strip(w, false, k.Faint.Of(fmt.Sprintf("%5d ", n)), k.NeedsYou.Of(mark+" "), ink.Of(f.Show(l))))
	}
	return out
}

// quoteLines are the quote itself, where the code no longer has it.
func quoteLines(f widget.Frame, x Exhibit, w int) []string {
	if !x.Changed || x.Snippet == "" {
		return nil
	}
	out := []string{"", " " + f.Muted.Paint("The finding quotes:")}
	for _, l := range x.Snippet.Lines() {
		out = append(out, f.Strip(w, false, f.Blocked.Of("   "+f.Safe(l))))
	}
	return out
}
