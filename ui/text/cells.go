package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// sequence is the length of the style sequence that s begins with, 0 if there is none.
func sequence(s string) int {
	if s[0] != escape {
		return 0
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

// untilEscape is s before its first style sequence.
func untilEscape(s string) string {
	if i := strings.IndexByte(s, escape); i >= 0 {
		return s[:i]
	}
	return s
}

// first is the first character of s as a reader sees it, and its width. Lip Gloss and
// Bubble Tea measure by the same function.
func first(s string) (cluster string, cells int) {
	if len(s) > 1 && s[0]|s[1] < utf8.RuneSelf && s[0] >= ' ' && s[0] <= '~' {
		return s[:1], 1
	}
	return ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
}

// fit is where the longest beginning of s that takes at most width cells ends, how many
// cells it takes, and whether it is all of s.
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

// tail is the longest end of s that takes at most width cells.
func tail(s string, width int) string {
	for left := Width(s); left > width; {
		cluster, w := first(s)
		s = s[len(cluster):]
		left -= w
	}
	return s
}
