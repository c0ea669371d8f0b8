package screen

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/themes"
	"vise/ui/markdown"
	"vise/ui/text"
)

// Ink is a style, Piece a text in one.
type (
	Ink   = themes.Ink
	Piece = themes.Piece
)

// Styles are the styles of everything. They are made when the palette is chosen, and passed to everything that is drawn.
type Styles struct {
	*themes.Styles
	Glyph themes.Glyphs
	// Page is the style of plans.
	Page *markdown.Style
	// Clusters means that the terminal measures joined characters as one (mode 2027).
	Clusters bool
}

// NewStyles makes the styles of a palette. clusters means that the terminal measures joined characters as one.
func NewStyles(p themes.Palette, clusters bool) *Styles {
	return &Styles{Styles: p.Styles(), Glyph: themes.Unicode, Clusters: clusters, Page: markdown.NewStyle(p, clusters)}
}

// Safe returns s so that this terminal shows it without moving the rest of the line.
func (k *Styles) Safe(s string) string { return text.Safe(s, k.Clusters) }

// Strip joins pieces to exactly width cells. A selected strip has one ink for all pieces.
func (k *Styles) Strip(width int, selected bool, pieces ...Piece) string {
	if selected {
		var plain strings.Builder
		for _, p := range pieces {
			plain.WriteString(p.Text)
		}
		return k.Selected.Paint(text.Pad(plain.String(), width))
	}
	var b strings.Builder
	free := width
	for _, p := range pieces {
		s := text.Cut(p.Text, free)
		free -= text.Width(s)
		b.WriteString(p.Paint(s))
		if free <= 0 {
			break
		}
	}
	if free > 0 {
		b.WriteString(text.Pad("", free))
	}
	return b.String()
}

// Mark puts the signs of the chosen one of several around s: ‹Plan›.
func (k *Styles) Mark(s string) string { return "‹" + s + "›" }

// Box is a bordered pane or dialog with labels in its border.
type Box struct {
	// Title and Right are in the upper border, Foot is in the lower one at its right. They may be painted.
	Title, Right, Foot string
	Focused            bool
	Lines              []string
}

// Draw returns the box's lines, each exactly w cells wide. It leaves out content beyond h.
func (b Box) Draw(w, h int, k *Styles) []string {
	edge, lines := k.Glyph.Light, k.Border
	if b.Focused {
		edge, lines = k.Glyph.Heavy, k.Focus
	}
	inner := w - 2
	out := make([]string, 0, h)
	out = append(out, k.edge(edge.TopLeft, edge.Top, edge.TopRight, b.Title, b.Right, w, lines))
	left, right := lines.Paint(edge.Left), lines.Paint(edge.Right)
	for i := range h - 2 {
		s := ""
		if i < len(b.Lines) {
			s = b.Lines[i]
		}
		out = append(out, left+text.Pad(s, inner)+right)
	}
	return append(out, k.edge(edge.BottomLeft, edge.Bottom, edge.BottomRight, "", b.Foot, w, lines))
}

// edge returns a border line: a corner, a rule with a label at each end, a corner.
func (k *Styles) edge(from, rule, to, left, right string, w int, lines Ink) string {
	free := w - 4
	if left != "" {
		left = text.Cut(" "+k.Safe(left)+" ", free)
		free -= text.Width(left)
	}
	if right != "" && free >= minLabel {
		right = text.Cut(" "+k.Safe(right)+" ", free)
		free -= text.Width(right)
	} else {
		right = ""
	}
	return lines.Paint(from+rule) + left + lines.Paint(strings.Repeat(rule, max(free, 0))) + right + lines.Paint(rule+to)
}

// minLabel is the least width for a second label.
const minLabel = 6

// Join puts two blocks of lines side by side.
func Join(left, right []string) []string {
	out := make([]string, max(len(left), len(right)))
	for i := range out {
		if i < len(left) {
			out[i] = left[i]
		}
		if i < len(right) {
			out[i] += right[i]
		}
	}
	return out
}

// Over draws the lines of a dialog over the screen at x, y.
func Over(screen, top []string, x, y, w int) []string {
	for i, s := range top {
		if y+i < 0 || y+i >= len(screen) {
			continue
		}
		screen[y+i] = splice(screen[y+i], s, x, w)
	}
	return screen
}

// splice replaces w cells of a painted line from x on. A wide character that is cut in two becomes a space.
func splice(under, s string, x, w int) string {
	total := text.Width(under)
	left := text.Pad(ansi.Truncate(under, x, ""), x)
	rest := total - x - w
	if rest <= 0 {
		return left + s
	}
	right := ansi.TruncateLeft(under, x+w, "")
	return left + s + text.PadLeft(right, rest)
}

// Show makes text from outside safe for one line of the screen.
func (f Frame) Show(t model.Text) string { return f.Safe(t.String()) }

// AgentName makes the name of an agent safe for one line of the screen.
func (f Frame) AgentName(id model.AgentID) string { return f.Show(model.Text(id)) }

// Note is one line of secondary text.
func (f Frame) Note(s string) string { return " " + f.Muted.Paint(s) }

// Age says how long ago a time was.
func (f Frame) Age(t time.Time) string { return text.Age(f.Now.Sub(t)) }

// Clock returns a time for people: the time if it is today, else the date.
func (f Frame) Clock(t time.Time) string {
	t = t.In(f.Now.Location())
	switch {
	case t.Year() != f.Now.Year():
		return t.Format("Jan 2006")
	case t.YearDay() != f.Now.YearDay():
		return t.Format("2 Jan")
	}
	return t.Format("15:04:05")
}

// BothTimes returns a time in local time and in UTC.
func (f Frame) BothTimes(t time.Time) string {
	return t.In(f.Now.Location()).Format("Mon 2006-01-02 15:04 MST") + ", " + t.UTC().Format("2006-01-02T15:04Z")
}

// Hang returns a text wrapped to w cells, with a mark before its first line and blanks before the others.
func (f Frame) Hang(mark string, ink Ink, s string, w int) []string {
	var out []string
	for _, l := range text.Wrap(s, max(w, 1)) {
		out = append(out, mark+ink.Paint(l))
		mark = text.Pad("", text.Width(mark))
	}
	return out
}

// Said returns a sentence wrapped to w cells.
func (f Frame) Said(s string, w int) []string { return f.Hang(" ", f.Muted, s, w-2) }

// Warned returns a sentence with a warning mark before it.
func (f Frame) Warned(s string, w int) []string {
	return f.marked(f.Glyph.Warning, f.NeedsYou, model.Text(strings.TrimSpace(s)), w)
}

// marked returns a sentence with a mark before it.
func (f Frame) marked(mark string, ink Ink, t model.Text, w int) []string {
	return f.Hang(" "+ink.Paint(mark)+" ", ink, f.Show(t), w-4)
}

// Prose returns a text that may be Markdown, in w cells. One without marks of Markdown is wrapped in the ink, and so is one that is not
// laid out yet.
func (f Frame) Prose(t model.Text, w int, ink Ink) []string {
	lines, _ := f.prose(t, w, ink)
	return lines
}

// prose returns the lines of Prose, and whether they are laid out.
func (f Frame) prose(t model.Text, w int, ink Ink) (lines []string, done bool) {
	if f.Pages == nil || !strings.ContainsAny(t.Raw(), "\n*_`[#<|\\") { // raw: looked at, not shown
		return f.Wrapped(t, w, ink), true
	}
	for _, l := range f.Pages.Written(t, w-2, f.Page) {
		lines = append(lines, " "+l)
	}
	if lines == nil {
		return f.Wrapped(t, w, ink), false
	}
	return lines, true
}

// Wrapped returns a text of several lines wrapped to w cells.
func (f Frame) Wrapped(t model.Text, w int, ink Ink) []string {
	var out []string
	for _, l := range t.Lines() {
		out = append(out, f.Hang(" ", ink, f.Safe(l), w-2)...)
	}
	return out
}
