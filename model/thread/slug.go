package thread

import "strings"

// ID names a thread and its files: lower-case letters, digits and inner hyphens, at most
// 80 of them, so that no id can leave the directory.
type ID string

// ValidID reports whether s can name a thread file.
func ValidID(s string) bool {
	if s == "" || len(s) > maxID || s[0] == '-' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !slugByte(c) && c != '-' {
			return false
		}
	}
	return true
}

// Slug makes an id of a goal or of what a person typed. It is the file format's rule:
// ASCII letters and digits survive, every other run becomes a hyphen; a text without any
// becomes "item".
func Slug(s string) ID {
	out := dashed(s)
	if len(out) > maxID {
		out = strings.Trim(out[:maxID], "-")
	}
	if out == "" {
		return "item"
	}
	return ID(out)
}

func dashed(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range lower(s) {
		if r >= 0x80 || !slugByte(byte(r)) {
			gap = b.Len() > 0
			continue
		}
		if gap {
			b.WriteByte('-')
			gap = false
		}
		b.WriteByte(byte(r))
	}
	return b.String()
}

// lower spells the one letter whose full lower case is two (U+0130) as the format's
// reader does.
func lower(s string) string {
	return strings.ToLower(strings.ReplaceAll(s, "\u0130", "i\u0307"))
}

func slugByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
