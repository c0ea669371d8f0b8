package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vise/ui/text"
)

// Box is a bordered pane or dialog: its labels stand in the border.
type Box struct {
	// Title and Right stand in the upper border, Foot in the lower one, at its right.
	// They may be painted.
	Title, Right, Foot string
	Focused            bool
	Lines              []string
}

// Draw gives the box's lines, each exactly w cells wide. Content beyond h is left out.
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

// edge is a border line: a corner, a rule with a label at each end, a corner.
func (k *Styles) edge(from, rule, to, left, right string, w int, lines Ink) string {
	room := w - 4
	if left != "" {
		left = text.Cut(" "+left+" ", room)
		room -= text.Width(left)
	}
	if right != "" && room >= minLabel {
		right = text.Cut(" "+right+" ", room)
		room -= text.Width(right)
	} else {
		right = ""
	}
	return lines.Paint(from+rule) + left + lines.Paint(strings.Repeat(rule, max(room, 0))) + right + lines.Paint(rule+to)
}

// minLabel is the least room worth a second label.
const minLabel = 6

// Join puts two blocks of lines beside each other.
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

// Over lays the lines of a dialog over the screen at x, y.
func Over(screen, top []string, x, y, w int) []string {
	for i, s := range top {
		if y+i < 0 || y+i >= len(screen) {
			continue
		}
		screen[y+i] = splice(screen[y+i], s, x, w)
	}
	return screen
}

// splice replaces w cells of a painted line from x on. A wide character that is cut in two
// becomes a space.
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
