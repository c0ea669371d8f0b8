package console

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vise/ui/text"
)

// box is a bordered pane or dialog: its labels stand in the border.
type box struct {
	// title and right stand in the upper border, foot in the lower one, at its right.
	// They may be painted.
	title, right, foot string
	focused            bool
	lines              []string
}

// draw gives the box's lines, each exactly w cells wide. Content beyond h is left out.
func (b box) draw(w, h int, k *skin) []string {
	edge, lines := k.glyph.Light, k.border
	if b.focused {
		edge, lines = k.glyph.Heavy, k.focus
	}
	inner := w - 2
	out := make([]string, 0, h)
	out = append(out, k.edge(edge.TopLeft, edge.Top, edge.TopRight, b.title, b.right, w, lines))
	left, right := lines.paint(edge.Left), lines.paint(edge.Right)
	for i := range h - 2 {
		s := ""
		if i < len(b.lines) {
			s = b.lines[i]
		}
		out = append(out, left+text.Pad(s, inner)+right)
	}
	return append(out, k.edge(edge.BottomLeft, edge.Bottom, edge.BottomRight, "", b.foot, w, lines))
}

// edge is a border line: a corner, a rule with a label at each end, a corner.
func (k *skin) edge(from, rule, to, left, right string, w int, lines ink) string {
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
	return lines.paint(from+rule) + left + lines.paint(strings.Repeat(rule, max(room, 0))) + right + lines.paint(rule+to)
}

// minLabel is the least room worth a second label.
const minLabel = 6

// join puts two blocks of lines beside each other.
func join(left, right []string) []string {
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

// over lays the lines of a dialog over the screen at x, y.
func over(screen, top []string, x, y, w int) []string {
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
