package text

import "strings"

// Wrap breaks plain text into lines of at most width cells: between words where it can,
// inside a word where it must. Line breaks and the indentation of a line's beginning stay.
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
		if end == 0 { // a wide character and a width of one
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

// wordEnd is where to break s, of which end bytes fit.
func wordEnd(s string, end int) int {
	if s[end] == ' ' {
		return end
	}
	if i := strings.LastIndexByte(s[:end], ' '); i > 0 && strings.TrimLeft(s[:i], " ") != "" {
		return i
	}
	return end
}
