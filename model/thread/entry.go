package thread

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"vise/model"
)

// part is a field of an entry, described by its struct tag. key is its name in a file, followed after commas by other names that are also
// read. max is the limit to which it is shortened, if any. empty:"kept" writes the field even if it is empty.
type part struct {
	reflect.Value
	keys []string
	max  int
	kept bool
}

// parts returns the fields of the entry behind a pointer.
func parts(entry any) []part {
	v := reflect.ValueOf(entry).Elem()
	var out []part
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		if key := tag.Get("key"); key != "" {
			out = append(out, part{v.Field(i), strings.Split(key, ","), limits[tag.Get("max")], tag.Get("empty") == "kept"})
		}
	}
	return out
}

// named turns an entry that is only words into an object with one key.
func named(v any, key string) any {
	if _, ok := v.(object); ok {
		return v
	}
	return object{key: v}
}

// readEntry reads an object into an entry. more holds the keys without a field, without the keys in drop. ok is false if v is no object or
// a value does not have the type of its key.
func readEntry(v, entry any, drop ...string) (more object, ok bool) {
	o, isObject := v.(object)
	m := members{from: o}
	m.into(entry)
	more = m.rest(drop...)
	return more, isObject && !m.wrong
}

// into reads the keys of an entry.
func (m *members) into(entry any) {
	for _, p := range parts(entry) {
		switch p.Kind() {
		case reflect.String:
			p.SetString(m.text(p.keys...).Raw())
		case reflect.Slice:
			p.Set(reflect.ValueOf(m.list(p.keys...)))
		case reflect.Bool:
			b, _ := m.take(p.keys[0]).(bool)
			p.SetBool(b)
		case reflect.Int:
			n, _ := m.take(p.keys[0]).(json.Number)
			i, _ := strconv.Atoi(n.String())
			p.SetInt(int64(i))
		}
	}
}

// spellEntry returns an entry as a file holds it.
func spellEntry(more object, entry any) object {
	o := copyOf(more)
	for _, p := range parts(entry) {
		empty := p.IsZero() || p.Kind() == reflect.Slice && p.Len() == 0
		if !empty || p.kept || p.Kind() == reflect.Bool {
			o[p.keys[0]] = p.Interface()
		}
	}
	return o
}

// entry shortens the values that exceed an entry's limits.
func (c *cutter) entry(entry any) {
	for _, p := range parts(entry) {
		switch v, isList := p.Interface().([]model.Text); {
		case p.max == 0:
		case isList:
			p.Set(reflect.ValueOf(c.list(v, p.max)))
		default:
			p.SetString(c.text(model.Text(p.String()), p.max).Raw())
		}
	}
}
