// Package text measures, cuts and wraps what a screen shows, by terminal cells.
//
// Every function takes text that is already safe (the String of a model.Text, or constant words), plain or styled with SGR sequences and
// links (OSC 8), and writes no control character. A width is a number of cells. Text that is cut or padded to a width has exactly that
// width.
package text

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	ellipsis = "…"
	escape   = '\x1b'
	// link begins the address of a link (OSC 8), and linkEnd ends it.
	link    = "\x1b]8;"
	linkEnd = "\a"
)

// Width returns how many cells s takes.
func Width(s string) (cells int) {
	for s != "" {
		n := sequence(s)
		if n == 0 {
			part := untilEscape(s)
			_, w, _ := fit(part, len(part)) // a character has at most as many cells as bytes
			n, cells = len(part), cells+w
		}
		s = s[n:]
	}
	return cells
}

// Cut returns s if it fits into width cells, or else its beginning and an ellipsis in exactly width cells. A styled s keeps the sequences
// after the cut, so that its style ends.
func Cut(s string, width int) string {
	s, _ = cut(s, width)
	return s
}

// Pad returns s in exactly width cells: cut, or filled with spaces on the right.
func Pad(s string, width int) string {
	s, cells := cut(s, width)
	return s + spaces(width-cells)
}

// PadLeft returns s in exactly width cells: cut, or filled with spaces on the left.
func PadLeft(s string, width int) string {
	s, cells := cut(s, width)
	return spaces(width-cells) + s
}

func cut(s string, width int) (string, int) {
	if width <= 0 {
		return "", 0
	}
	if strings.IndexByte(s, escape) >= 0 {
		return cutStyled(s, width)
	}
	end, cells, all := fit(s, width)
	if all {
		return s, cells
	}
	end, cells, _ = fit(s[:end], width-1)
	return s[:end] + ellipsis + spaces(width-1-cells), width
}

// cutStyled cuts s between its style sequences. (ansi.Truncate counts a key cap, a digit and its marks, as two characters.)
func cutStyled(s string, width int) (string, int) {
	if cells := Width(s); cells <= width {
		return s, cells
	}
	var b strings.Builder
	for free := width - 1; s != ""; {
		n := sequence(s)
		if n == 0 && free < 0 {
			s = s[len(untilEscape(s)):]
			continue
		}
		if n == 0 {
			part := untilEscape(s)
			end, cells, all := fit(part, free)
			b.WriteString(part[:end])
			if s, free = s[end:], free-cells; !all {
				b.WriteString(ellipsis + spaces(free))
				free = -1
			}
			continue
		}
		b.WriteString(s[:n])
		s = s[n:]
	}
	return b.String(), width
}

// CutStart returns s if it fits into width cells, or else an ellipsis and its end in exactly width cells. It is for paths, whose end says
// the most. s must be plain.
func CutStart(s string, width int) string {
	if width <= 0 {
		return ""
	}
	cells := Width(s)
	if cells <= width {
		return s
	}
	for cells >= width {
		cluster, w := first(s)
		s, cells = s[len(cluster):], cells-w
	}
	return ellipsis + s + spaces(width-1-cells)
}

// Sides puts left and right at the two ends of width cells. If both do not fit, it cuts left, or drops right if no cell
// is left for left.
func Sides(left, right string, width int) string {
	free := width - Width(right) - 1
	if free <= 0 {
		return Pad(left, width)
	}
	return Pad(left, free) + " " + right
}

func spaces(n int) string { return strings.Repeat(" ", max(n, 0)) }

// Window returns exactly width cells of s, from cell left on. A wide character across an edge becomes a space.
func Window(s string, left, width int) string {
	if left <= 0 {
		return Pad(s, width)
	}
	var b strings.Builder
	for left > 0 && s != "" {
		if n := sequence(s); n > 0 {
			b.WriteString(s[:n])
			s = s[n:]
			continue
		}
		part := untilEscape(s)
		end, cells, all := fit(part, left)
		s, left = s[end:], left-cells
		if !all {
			if left > 0 { // a wide character across the edge
				cluster, w := first(s)
				s = strings.Repeat(" ", w-left) + s[len(cluster):]
			}
			break
		}
	}
	return Pad(b.String()+s, width)
}

// sequence is the length of the sequence of a style or a link at the start of s, or 0.
func sequence(s string) int {
	if s[0] != escape {
		return 0
	}
	if strings.HasPrefix(s, link) {
		if i := strings.Index(s, linkEnd); i > 0 {
			return i + len(linkEnd)
		}
		return len(s)
	}
	if len(s) < 2 || s[1] != '[' {
		return 1
	}
	for i := 2; i < len(s); i++ {
		if s[i] >= '@' && s[i] <= '~' {
			return i + 1
		}
	}
	return len(s)
}

// untilEscape returns s before its first style sequence.
func untilEscape(s string) string {
	if i := strings.IndexByte(s, escape); i >= 0 {
		return s[:i]
	}
	return s
}

// first returns the first character of s as a reader sees it, and its width. Lip Gloss and Bubble Tea measure with the same function.
func first(s string) (cluster string, cells int) {
	if s[0] >= ' ' && s[0] <= '~' && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return s[:1], 1
	}
	return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
}

// fit returns where the longest beginning of s that takes at most width cells ends, how many cells it takes, and whether it is all of s.
func fit(s string, width int) (end, cells int, all bool) {
	for end < len(s) {
		cluster, w := first(s[end:])
		if cells+w > width {
			return end, cells, false
		}
		end += len(cluster)
		cells += w
	}
	return end, cells, true
}

// Wrap breaks plain text into lines of at most width cells: between words if possible, otherwise inside a word. Line breaks, and the
// indentation at the start of a line, stay.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = wrapLine(lines, line, width)
	}
	return lines
}

func wrapLine(lines []string, s string, width int) []string {
	for {
		end, _, fits := fit(s, width)
		if fits {
			return append(lines, s)
		}
		if end == 0 { // a wide character in a width of one
			cluster, _ := first(s)
			lines, s = append(lines, ellipsis), s[len(cluster):]
			continue
		}
		end = wordEnd(s, end)
		lines = append(lines, strings.TrimRight(s[:end], " "))
		if s = strings.TrimLeft(s[end:], " "); s == "" {
			return lines
		}
	}
}

// wordEnd returns where to break s, of which end bytes fit.
func wordEnd(s string, end int) int {
	if s[end] == ' ' {
		return end
	}
	if i := strings.LastIndexByte(s[:end], ' '); i > 0 && strings.TrimLeft(s[:i], " ") != "" {
		return i
	}
	return end
}

// Thousands formats a number with commas between its thousands.
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}
