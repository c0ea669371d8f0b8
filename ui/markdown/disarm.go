package markdown

import (
	"strconv"
	"strings"

	"vise/model"
)

// Disarm makes numeric references to hidden characters (&#27;) be shown as they are
// written: Glamour would turn them into the characters themselves.
func Disarm(src string) string {
	if !strings.Contains(src, "&#") {
		return src
	}
	var b strings.Builder
	for {
		i := strings.Index(src, "&#")
		if i < 0 {
			b.WriteString(src)
			return b.String()
		}
		b.WriteString(src[:i])
		src = src[i+2:]
		if model.Text(string(referred(src))).Hidden() {
			b.WriteString("&amp;#")
		} else {
			b.WriteString("&#")
		}
	}
}

// referred is the character that digits, what follows "&#", stand for; like browsers
// it asks for no semicolon. A number without a character stands for a hidden one.
func referred(digits string) rune {
	base, n := 10, 0
	if digits != "" && (digits[0] == 'x' || digits[0] == 'X') {
		base, n = 16, 1
	}
	first := n
	for n < len(digits) && isDigit(digits[n], base) {
		n++
	}
	if n == first {
		return '#'
	}
	v, err := strconv.ParseUint(digits[first:n], base, 21)
	if err != nil {
		return 0
	}
	return rune(v)
}

func isDigit(c byte, base int) bool {
	return c >= '0' && c <= '9' || base == 16 && (c|0x20 >= 'a' && c|0x20 <= 'f')
}
