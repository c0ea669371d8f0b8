package codec

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"vise/model"
)

// Append appends v as json.Marshal writes it. A json.RawMessage in it must be JSON.
func Append(dst []byte, v any) ([]byte, error) {
	t := reflect.TypeOf(v)
	if t == nil {
		return append(dst, "null"...), nil
	}
	k := kindOf(t)
	// A copy that has an address: times are then read where they lie.
	held := k.copies.Get()
	at := reflect.ValueOf(held).Elem()
	at.Set(reflect.ValueOf(v))
	n := len(dst)
	out, err := k.append(dst, at)
	at.SetZero()
	k.copies.Put(held)
	if err != nil {
		raw, err := json.Marshal(v)
		return append(dst[:n], raw...), err
	}
	return out, nil
}

// kind is a type of which a value was appended.
type kind struct {
	append appender
	copies sync.Pool // of pointers to zero values
}

var kinds sync.Map // reflect.Type to *kind

func kindOf(t reflect.Type) *kind {
	if k, ok := kinds.Load(t); ok {
		return k.(*kind)
	}
	k := &kind{append: appenderOf(t), copies: sync.Pool{New: func() any { return reflect.New(t).Interface() }}}
	known, _ := kinds.LoadOrStore(t, k)
	return known.(*kind)
}

// appender appends a value of one type.
type appender func(dst []byte, v reflect.Value) ([]byte, error)

var appenders sync.Map // reflect.Type to appender

func appenderOf(t reflect.Type) appender {
	if a, ok := appenders.Load(t); ok {
		return a.(appender)
	}
	// A type that holds itself finds this one, which waits for the other.
	var made appender
	var ready sync.WaitGroup
	ready.Add(1)
	early := appender(func(dst []byte, v reflect.Value) ([]byte, error) {
		ready.Wait()
		return made(dst, v)
	})
	if a, loaded := appenders.LoadOrStore(t, early); loaded {
		return a.(appender)
	}
	made = newAppender(t)
	ready.Done()
	appenders.Store(t, made)
	return made
}

func newAppender(t reflect.Type) appender {
	switch {
	case t == typeText:
		return appendText
	case t == typeTime:
		return appendTime
	case t == typeRaw:
		return appendRaw
	case t.Implements(jsonMarshaler), t.Implements(textMarshaler):
		return foreign
	case special(t):
		return unsure
	}
	switch t.Kind() {
	case reflect.String:
		return func(dst []byte, v reflect.Value) ([]byte, error) { return appendString(dst, v.String()), nil }
	case reflect.Bool:
		return func(dst []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(dst, v.Bool()), nil }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(dst []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(dst, v.Int(), 10), nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(dst []byte, v reflect.Value) ([]byte, error) { return strconv.AppendUint(dst, v.Uint(), 10), nil }
	case reflect.Interface:
		return appendInterface
	case reflect.Pointer:
		return pointerAppender(t)
	case reflect.Slice:
		return sliceAppender(t)
	case reflect.Map:
		return mapAppender(t)
	case reflect.Struct:
		return structAppender(t)
	}
	return foreign
}

// foreign leaves a value to encoding/json, whose output does not depend on what is around it.
func foreign(dst []byte, v reflect.Value) ([]byte, error) {
	raw, err := json.Marshal(v.Interface())
	return append(dst, raw...), err
}

// errAddress: encoding/json asks where the value lies, which a copy of it does not tell.
var errAddress = errors.New("a marshaler on the pointer alone")

func unsure(dst []byte, _ reflect.Value) ([]byte, error) { return dst, errAddress }

func appendText(dst []byte, v reflect.Value) ([]byte, error) {
	from := len(dst)
	dst = model.Text(v.String()).AppendJSON(dst)
	if bytes.ContainsAny(dst[from:], "<>&") {
		return appendEscaped(dst[:from], bytes.Clone(dst[from:])), nil
	}
	return dst, nil
}

// appendEscaped writes JSON's < > & as encoding/json writes them everywhere.
func appendEscaped(dst, raw []byte) []byte {
	for _, c := range raw {
		if c == '<' || c == '>' || c == '&' {
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

func appendTime(dst []byte, v reflect.Value) ([]byte, error) {
	t := timeAt(v)
	out, err := t.AppendText(append(dst, '"'))
	if err != nil {
		return dst, err
	}
	return append(out, '"'), nil
}

func timeAt(v reflect.Value) time.Time {
	if v.CanAddr() {
		return *v.Addr().Interface().(*time.Time)
	}
	return v.Interface().(time.Time)
}

// appendRaw takes JSON as it is when encoding/json would: without space around its tokens.
func appendRaw(dst []byte, v reflect.Value) ([]byte, error) {
	raw := v.Bytes()
	if raw == nil {
		return append(dst, "null"...), nil
	}
	if len(raw) == 0 || !compact(raw) {
		return foreign(dst, v)
	}
	return append(dst, raw...), nil
}

func compact(raw []byte) bool {
	inside := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			inside = !inside
		case c == '\\':
			i++
		case c == '<' || c == '>' || c == '&' || c == 0xE2 || c <= ' ' && !inside:
			return false
		}
	}
	return !inside
}

func appendInterface(dst []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return append(dst, "null"...), nil
	}
	return appenderOf(v.Elem().Type())(dst, v.Elem())
}

func pointerAppender(t reflect.Type) appender {
	elem := appenderOf(t.Elem())
	return func(dst []byte, v reflect.Value) ([]byte, error) {
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return elem(dst, v.Elem())
	}
}

func sliceAppender(t reflect.Type) appender {
	if t.Elem().Kind() == reflect.Uint8 {
		return foreign // base64
	}
	elem := appenderOf(t.Elem())
	return func(dst []byte, v reflect.Value) ([]byte, error) {
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = elem(dst, v.Index(i)); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	}
}

func mapAppender(t reflect.Type) appender {
	if t.Key().Kind() != reflect.String {
		return foreign
	}
	elem := appenderOf(t.Elem())
	return func(dst []byte, v reflect.Value) ([]byte, error) {
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return bytes.Compare([]byte(a.String()), []byte(b.String())) })
		dst = append(dst, '{')
		for i, k := range keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, k.String()), ':')
			var err error
			if dst, err = elem(dst, v.MapIndex(k)); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
}

const hexDigits = "0123456789abcdef"

// appendString is encoding/json's way with a string that is not a Text.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	copied := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&' {
			i++
			continue
		}
		r, size := rune(c), 1
		if c >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
			if (r != utf8.RuneError || size != 1) && r != '\u2028' && r != '\u2029' {
				i += size
				continue
			}
		}
		dst = appendEscape(append(dst, s[copied:i]...), r)
		i += size
		copied = i
	}
	return append(append(dst, s[copied:]...), '"')
}

func appendEscape(dst []byte, r rune) []byte {
	const short = "\b\f\n\r\t\"\\"
	for i := range len(short) {
		if r == rune(short[i]) {
			return append(dst, '\\', `bfnrt"\`[i])
		}
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
