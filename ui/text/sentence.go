package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence adds a capital at the beginning and a full stop at the end. A first word that is not plain letters, such as an id, a path, a
// field or a quoted name, stays as it is, and so does vise.
func Sentence(s string) string {
	if s == "" {
		return ""
	}
	first, _, _ := strings.Cut(s, " ")
	plain := strings.TrimRight(first, ".,;!?")
	if plain != "vise" && !strings.ContainsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		r, size := utf8.DecodeRuneInString(s)
		s = string(unicode.ToUpper(r)) + s[size:]
	}
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}
