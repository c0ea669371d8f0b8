package codec

import (
	"encoding/json"
	"reflect"
	"sync"
	"time"
	"unicode/utf8"
)

// Decode reads data into v, which points to a zero value, as json.Unmarshal would. What
// Append wrote is read in one pass, with space between the tokens or without; anything else
// is left to encoding/json.
func Decode(data []byte, v any) error {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.IsNil() {
		return json.Unmarshal(data, v)
	}
	if read := readerOf(p.Type().Elem()); read != nil {
		r := reading{data: data}
		if read(&r, p.Elem()) && r.end() {
			return nil
		}
		p.Elem().SetZero()
	}
	return json.Unmarshal(data, v)
}

// reader reads a value of one type. False: it is not as Append writes it, or not JSON.
type reader func(*reading, reflect.Value) bool

// known is what is known of a type: its reader, nil if it has none.
type known struct{ read reader }

var readers sync.Map // reflect.Type to known

func readerOf(t reflect.Type) reader {
	if k, ok := readers.Load(t); ok {
		return k.(known).read
	}
	read := newReader(t, map[reflect.Type]bool{})
	readers.Store(t, known{read})
	return read
}

// newReader is nil for a type that holds a foreign one, or itself.
func newReader(t reflect.Type, above map[reflect.Type]bool) reader {
	switch {
	case t == typeTime:
		return readTime
	case t == typeRaw:
		return readRaw
	case above[t], t != typeText && special(t):
		return nil
	}
	above[t] = true
	defer delete(above, t)
	switch t.Kind() {
	case reflect.String:
		return func(r *reading, v reflect.Value) bool {
			s, ok := r.text()
			v.SetString(s)
			return ok
		}
	case reflect.Bool:
		return readBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(r *reading, v reflect.Value) bool {
			n, minus, ok := r.number()
			i := int64(n)
			if minus {
				i = -i
			}
			if !ok || i < 0 != (minus && n > 0) || v.OverflowInt(i) {
				return false
			}
			v.SetInt(i)
			return true
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(r *reading, v reflect.Value) bool {
			n, minus, ok := r.number()
			if !ok || minus || v.OverflowUint(n) {
				return false
			}
			v.SetUint(n)
			return true
		}
	case reflect.Pointer:
		return pointerReader(t, above)
	case reflect.Slice:
		return sliceReader(t, above)
	case reflect.Map:
		return mapReader(t, above)
	case reflect.Struct:
		return structReader(t, above)
	}
	return nil
}

func readTime(r *reading, v reflect.Value) bool {
	r.space()
	from := r.at
	if _, _, ok := r.token(); !ok {
		return false
	}
	return v.Addr().Interface().(*time.Time).UnmarshalJSON(r.data[from:r.at]) == nil
}

func readRaw(r *reading, v reflect.Value) bool {
	r.space()
	from := r.at
	if !r.skip() || r.at == from || r.data[r.at-1] <= ' ' || !json.Valid(r.data[from:r.at]) {
		return false
	}
	v.SetBytes(append([]byte(nil), r.data[from:r.at]...))
	return true
}

func readBool(r *reading, v reflect.Value) bool {
	if r.take("true") {
		v.SetBool(true)
		return true
	}
	return r.take("false")
}

func pointerReader(t reflect.Type, above map[reflect.Type]bool) reader {
	elem := newReader(t.Elem(), above)
	if elem == nil {
		return nil
	}
	return func(r *reading, v reflect.Value) bool {
		if r.take("null") {
			return true
		}
		v.Set(reflect.New(t.Elem()))
		return elem(r, v.Elem())
	}
}

func sliceReader(t reflect.Type, above map[reflect.Type]bool) reader {
	elem := newReader(t.Elem(), above)
	if elem == nil || t.Elem().Kind() == reflect.Uint8 {
		return nil
	}
	return func(r *reading, v reflect.Value) bool {
		if r.take("null") {
			return true
		}
		if !r.take("[") {
			return false
		}
		if r.take("]") {
			v.Set(reflect.MakeSlice(t, 0, 0))
			return true
		}
		for i := 0; ; i++ {
			v.Grow(1)
			v.SetLen(i + 1)
			v.Index(i).SetZero()
			if !elem(r, v.Index(i)) {
				return false
			}
			if !r.take(",") {
				return r.take("]")
			}
		}
	}
}

func mapReader(t reflect.Type, above map[reflect.Type]bool) reader {
	elem := newReader(t.Elem(), above)
	if elem == nil || t.Key().Kind() != reflect.String || t.Key() != typeText && special(t.Key()) {
		return nil
	}
	return func(r *reading, v reflect.Value) bool {
		if r.take("null") {
			return true
		}
		v.Set(reflect.MakeMap(t))
		return r.object(func(name []byte) bool {
			value := reflect.New(t.Elem()).Elem()
			if !elem(r, value) {
				return false
			}
			v.SetMapIndex(reflect.ValueOf(string(name)).Convert(t.Key()), value)
			return true
		})
	}
}

// place is where a named field lies in a struct, and how it is read.
type place struct {
	name string
	path []int
	read reader
}

func structReader(t reflect.Type, above map[reflect.Type]bool) reader {
	fields, ok := fieldsOf(t)
	var places []place
	if !ok || !addPlaces(&places, fields, nil, above) || len(places) > 64 {
		return nil
	}
	return func(r *reading, v reflect.Value) bool {
		var seen uint64
		next := 0 // fields come in order, and some are left out
		return r.object(func(name []byte) bool {
			i := find(places, next, name)
			if i < 0 || seen&(1<<i) != 0 {
				return false
			}
			seen |= 1 << i
			next = i + 1
			f := v
			for _, at := range places[i].path {
				f = f.Field(at)
			}
			return places[i].read(r, f)
		})
	}
}

func addPlaces(places *[]place, fields []field, path []int, above map[reflect.Type]bool) bool {
	for _, f := range fields {
		at := append(path[:len(path):len(path)], f.index)
		if f.embedded != nil {
			if !addPlaces(places, f.embedded, at, above) {
				return false
			}
			continue
		}
		read := newReader(f.typ, above)
		if read == nil {
			return false
		}
		*places = append(*places, place{f.name, at, read})
	}
	return true
}

func find(places []place, from int, name []byte) int {
	for i := from; i < len(places); i++ {
		if places[i].name == string(name) {
			return i
		}
	}
	for i := range min(from, len(places)) {
		if places[i].name == string(name) {
			return i
		}
	}
	return -1
}

// reading is a place in JSON.
type reading struct {
	data []byte
	at   int
}

func (r *reading) space() {
	for r.at < len(r.data) && (r.data[r.at] == ' ' || r.data[r.at] == '\n' || r.data[r.at] == '\t' || r.data[r.at] == '\r') {
		r.at++
	}
}

func (r *reading) end() bool {
	r.space()
	return r.at == len(r.data)
}

// take passes a token if it is the next one.
func (r *reading) take(token string) bool {
	r.space()
	if len(r.data)-r.at < len(token) || string(r.data[r.at:r.at+len(token)]) != token {
		return false
	}
	r.at += len(token)
	return true
}

func (r *reading) object(member func(name []byte) bool) bool {
	if !r.take("{") {
		return false
	}
	if r.take("}") {
		return true
	}
	for {
		name, plain, ok := r.token()
		if !ok || !plain || !r.take(":") || !member(name) {
			return false
		}
		if !r.take(",") {
			return r.take("}")
		}
	}
}

// number passes a whole number without a leading zero, of at most 18 digits.
func (r *reading) number() (n uint64, minus, ok bool) {
	minus = r.take("-")
	from := r.at
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' {
		n = n*10 + uint64(r.data[r.at]-'0')
		r.at++
	}
	digits := r.at - from
	return n, minus, digits == 1 || digits > 1 && digits <= 18 && r.data[from] != '0'
}

// text passes a string.
func (r *reading) text() (string, bool) {
	from := r.at
	inside, plain, ok := r.token()
	if plain || !ok {
		return string(inside), ok
	}
	var s string
	err := json.Unmarshal(r.data[from:r.at], &s)
	return s, err == nil
}

// token passes a string as it stands between its quotes; plain says that it is what it means.
func (r *reading) token() (inside []byte, plain, ok bool) {
	if !r.take(`"`) {
		return nil, false, false
	}
	from := r.at
	escaped, high := false, false
	for ; r.at < len(r.data); r.at++ {
		switch c := r.data[r.at]; {
		case c == '"':
			inside = r.data[from:r.at]
			r.at++
			return inside, !escaped && (!high || utf8.Valid(inside)), true
		case c == '\\':
			escaped = true
			r.at++
		case c < ' ':
			return nil, false, false
		case c >= utf8.RuneSelf:
			high = true
		}
	}
	return nil, false, false
}

// skip passes a value of any kind, and some things that are none.
func (r *reading) skip() bool {
	depth := 0
	for r.at < len(r.data) {
		switch c := r.data[r.at]; c {
		case '"':
			if _, _, ok := r.token(); !ok {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return true
			}
			depth--
		case ',':
			if depth == 0 {
				return true
			}
		}
		r.at++
	}
	return depth == 0
}
