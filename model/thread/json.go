package thread

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vise/model"
)

// object is a JSON object as it was read: nil, bool, json.Number, string, []any or object by key. Numbers keep their spelling, so that
// unknown values are written back unchanged.
type object = map[string]any

// readObject reads one JSON object. It refuses as damaged what two readers could read differently: keys that are equal or differ only in
// case, bytes that are not UTF-8, text after the object. It also refuses an object that is too large or too deep for a thread.
func readObject(raw []byte) (object, error) {
	if len(raw) > MaxFileBytes {
		return nil, damaged("it is larger than %d bytes", MaxFileBytes)
	}
	if !utf8.Valid(raw) {
		return nil, damaged("it is not UTF-8")
	}
	if err := json.Unmarshal(raw, &json.RawMessage{}); err != nil {
		if bytes.Contains(raw, []byte("<<<<<<< ")) {
			return nil, damaged("a merge left conflict markers in it; git checkout --ours or --theirs keeps one side")
		}
		return nil, damaged("it is not JSON").Because(err)
	}
	if why := model.Unclear(raw, maxDepth); why != "" {
		return nil, damaged("%s", why)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	_ = d.Decode(&v) // it is valid
	o, ok := v.(object)
	if !ok {
		return nil, damaged("it is not a JSON object")
	}
	return o, nil
}

func damaged(format string, args ...any) *model.Error {
	return model.Refuse(model.CodeDamaged, format, args...)
}

// jsonStyle says how a value is written.
type jsonStyle struct {
	// indent spreads the value over lines with two spaces for each level, as in a thread file.
	indent bool
	// visible escapes every character that a terminal would interpret or hide.
	visible bool
	// redacts replaces secrets.
	redacts bool
}

// jsoner is a value that a file or an answer holds as an object.
type jsoner interface{ json() object }

// appendJSON writes v with its keys sorted by code point and non-ASCII text unescaped, as AICTX does, so that an unchanged thread keeps its
// bytes.
func (s jsonStyle) appendJSON(dst []byte, v any, level int) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case json.Number:
		return append(dst, v...)
	case object:
		return s.appendObject(dst, v, level)
	case jsoner:
		return s.appendObject(dst, v.json(), level)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Int:
		return strconv.AppendInt(dst, r.Int(), 10)
	case reflect.String:
		return s.appendString(dst, r.String())
	case reflect.Slice:
		return s.appendList(dst, r, level)
	}
	panic("thread: a value that JSON has not")
}

func (s jsonStyle) appendList(dst []byte, list reflect.Value, level int) []byte {
	if list.Len() == 0 {
		return append(dst, "[]"...)
	}
	dst = append(dst, '[')
	for i := range list.Len() {
		dst = s.appendJSON(s.next(dst, i, level+1), list.Index(i).Interface(), level+1)
	}
	return append(s.line(dst, level), ']')
}

func (s jsonStyle) appendObject(dst []byte, o object, level int) []byte {
	if len(o) == 0 {
		return append(dst, "{}"...)
	}
	dst = append(dst, '{')
	for i, k := range slices.Sorted(maps.Keys(o)) { // UTF-8 sorts like its code points
		dst = append(s.appendString(s.next(dst, i, level+1), k), ": "...)
		dst = s.appendJSON(dst, o[k], level+1)
	}
	return append(s.line(dst, level), '}')
}

// next begins the i-th entry of a list or an object.
func (s jsonStyle) next(dst []byte, i, level int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	if i > 0 && !s.indent {
		dst = append(dst, ' ')
	}
	return s.line(dst, level)
}

// line begins a line if the style has lines.
func (s jsonStyle) line(dst []byte, level int) []byte {
	if !s.indent {
		return dst
	}
	return append(append(dst, '\n'), strings.Repeat("  ", level)...)
}

func (s jsonStyle) appendString(dst []byte, text string) []byte {
	if s.redacts {
		text = model.Redact(model.Text(text)).Raw()
	}
	dst = append(dst, '"')
	for _, r := range text {
		switch {
		case r < ' ' || r == '"' || r == '\\':
			quoted, _ := json.Marshal(string(r))
			dst = append(dst, quoted[1:len(quoted)-1]...)
		case s.visible && hidden(r):
			dst = model.AppendEscape(dst, r)
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// hidden does not include the joiner, which belongs to letters and emoji.
func hidden(r rune) bool {
	return r != '\u200d' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp)
}

// members reads the keys of a JSON object one by one and keeps the unread ones.
type members struct {
	from  object
	taken map[string]bool
	// wrong is set when a value does not have the type of its key.
	wrong bool
}

func (m *members) take(key string) any {
	if m.taken == nil {
		m.taken = map[string]bool{}
	}
	m.taken[key] = true
	return m.from[key]
}

// text returns the words of the first key that has any.
func (m *members) text(keys ...string) model.Text {
	found := ""
	for _, k := range keys {
		s, ok := scalar(m.take(k))
		m.wrong = m.wrong || !ok
		if found == "" {
			found = trim(s)
		}
	}
	return model.Text(found)
}

// list returns the first list of words that is not empty.
func (m *members) list(keys ...string) []model.Text {
	var found []model.Text
	for _, k := range keys {
		v := m.take(k)
		list, ok := words(v)
		m.wrong = m.wrong || !ok
		if len(found) == 0 {
			found = list
		}
	}
	return found
}

// variant returns an unread key that differs only in case from a key that was read, or "". Another reader could take it for that key.
func (m *members) variant() string {
	for k := range m.from {
		if low := strings.ToLower(k); !m.taken[k] && m.taken[low] {
			return k
		}
	}
	return ""
}

// rest returns the unread keys, without those named.
func (m *members) rest(drop ...string) object {
	for _, k := range drop {
		m.take(k)
	}
	m.wrong = m.wrong || m.variant() != ""
	rest := maps.Clone(m.from)
	maps.DeleteFunc(rest, func(k string, _ any) bool { return m.taken[k] })
	if len(rest) == 0 {
		return nil
	}
	return rest
}

// words reads a JSON list of scalars. null is an empty list. Empty and repeated entries are left out.
func words(v any) ([]model.Text, bool) {
	list, ok := v.([]any)
	if !ok {
		return nil, v == nil
	}
	var out []model.Text
	for _, v := range list {
		s, ok := scalar(v)
		if !ok {
			return nil, false
		}
		out = push(out, model.Text(trim(s)))
	}
	return out, true
}

// cutter shortens words and remembers whether it did.
type cutter struct{ cut, redacted bool }

func (c *cutter) text(t model.Text, n int) model.Text {
	clean := model.Redact(t)
	s, did := cut(clean.Raw(), n)
	c.cut, c.redacted = c.cut || did, c.redacted || clean != t
	return model.Text(s)
}

func (c *cutter) list(list []model.Text, n int) []model.Text {
	var out []model.Text
	for _, t := range list {
		out = push(out, c.text(t, maxText))
	}
	if len(out) > n {
		out, c.cut = out[:n], true
	}
	return out
}

func copyOf(o object) object {
	out := object{}
	maps.Copy(out, o)
	return out
}

func put[S ~string](o object, key string, s S) {
	if s != "" {
		o[key] = s
	}
}

func putList[T any](o object, key string, list []T) {
	if len(list) > 0 {
		o[key] = list
	}
}
