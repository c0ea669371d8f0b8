package model

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// MarshalJSON writes the raw text. Every control, bidirectional and hidden character is
// escaped, so that a JSON document on a terminal cannot drive it either; decoding gives
// the raw text back. Bytes that are not UTF-8 become U+FFFD, as encoding/json does it.
func (t Text) MarshalJSON() ([]byte, error) {
	return appendJSONString(make([]byte, 0, len(t)+len(t)/16+2), string(t)), nil
}

func appendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	copied := 0
	for i := 0; i < len(s); {
		if isPlainJSON(s[i]) {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if esc, ok := shortEscape(r); ok {
			dst = append(append(dst, s[copied:i]...), '\\', esc)
			copied = i + size
		} else if r == utf8.RuneError && size == 1 || r < ' ' || r >= 0x7F && escapesInJSON(r) {
			dst = appendUnicodeEscape(append(dst, s[copied:i]...), r)
			copied = i + size
		}
		i += size
	}
	return append(append(dst, s[copied:]...), '"')
}

func isPlainJSON(c byte) bool { return c >= ' ' && c < 0x7F && c != '"' && c != '\\' }

// escapesInJSON spares joiners and variation selectors: they belong to letters and emoji.
func escapesInJSON(r rune) bool {
	return (r < 0xA0 || r >= 0x300 || r == softHyphen) && isHiddenRune(r)
}

func shortEscape(r rune) (byte, bool) {
	switch r {
	case '"', '\\':
		return byte(r), true
	case '\n':
		return 'n', true
	case '\r':
		return 'r', true
	case '\t':
		return 't', true
	}
	return 0, false
}

func appendUnicodeEscape(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		r -= 0x10000
		dst = appendUnicodeEscape(dst, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
