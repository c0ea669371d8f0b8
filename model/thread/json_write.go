package thread

import (
	"encoding/json"
	"slices"
	"unicode"
	"unicode/utf8"

	"vise/model"
)

// jsonStyle is how a value is spelled.
type jsonStyle struct {
	// indent spreads the value over lines, two spaces a level: the style of a thread file.
	indent bool
	// visible escapes every character that a terminal would obey or hide.
	visible bool
}

// appendJSON spells v with its keys sorted by code point and non-ASCII text kept, the way
// the file format's other program does, so that an unchanged thread keeps its bytes.
func (s jsonStyle) appendJSON(dst []byte, v any, level int) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case json.Number:
		return append(dst, v...)
	case string:
		return s.appendString(dst, v)
	case []any:
		return s.appendList(dst, v, level)
	case object:
		return s.appendObject(dst, v, level)
	}
	panic("thread: a value that JSON has not")
}

func (s jsonStyle) appendList(dst []byte, list []any, level int) []byte {
	if len(list) == 0 {
		return append(dst, "[]"...)
	}
	dst = append(dst, '[')
	for i, v := range list {
		dst = s.appendJSON(s.next(dst, i, level+1), v, level+1)
	}
	return append(s.last(dst, level), ']')
}

func (s jsonStyle) appendObject(dst []byte, o object, level int) []byte {
	if len(o) == 0 {
		return append(dst, "{}"...)
	}
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	slices.Sort(keys) // UTF-8 sorts as its code points do
	dst = append(dst, '{')
	for i, k := range keys {
		dst = append(s.appendString(s.next(dst, i, level+1), k), ": "...)
		dst = s.appendJSON(dst, o[k], level+1)
	}
	return append(s.last(dst, level), '}')
}

// next starts the i-th entry of a list or an object.
func (s jsonStyle) next(dst []byte, i, level int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	if s.indent {
		return s.line(dst, level)
	}
	if i > 0 {
		dst = append(dst, ' ')
	}
	return dst
}

func (s jsonStyle) last(dst []byte, level int) []byte {
	if s.indent {
		return s.line(dst, level)
	}
	return dst
}

func (jsonStyle) line(dst []byte, level int) []byte {
	dst = append(dst, '\n')
	for range level {
		dst = append(dst, "  "...)
	}
	return dst
}

func (s jsonStyle) appendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ':
			dst = appendControl(dst, r)
		case s.visible && hidden(r):
			dst = appendEscape(dst, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

func appendControl(dst []byte, r rune) []byte {
	const short = "\bb\tt\nn\ff\rr"
	for i := 0; i < len(short); i += 2 {
		if rune(short[i]) == r {
			return append(dst, '\\', short[i+1])
		}
	}
	return appendEscape(dst, r)
}

func appendEscape(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	if r > 0xFFFF {
		r -= 0x10000
		dst = appendEscape(dst, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// hidden spares the joiner, which belongs to letters and emoji.
func hidden(r rune) bool {
	return r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
}

// texts and strings convert between a thread's words and JSON.
func texts(list []model.Text) []any {
	out := make([]any, len(list))
	for i, t := range list {
		out[i] = t.Raw()
	}
	return out
}
