package thread

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"vise/model"
)

// part is a field of an entry, as its struct tag says: key is its name in a file, and after
// commas the other names that are read too; max is the limit that it is shortened to, if any;
// empty:"kept" writes it even when there is nothing in it.
type part struct {
	reflect.Value
	keys []string
	max  int
	kept bool
}

// parts are the fields of the entry that a pointer leads to.
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

// named is an entry that is spelled as words alone.
func named(v any, key string) any {
	if _, ok := v.(object); ok {
		return v
	}
	return object{key: v}
}

// readEntry reads an object into an entry; more is what the entry has no field for, less the
// keys to drop. False: it is no object, or a value has not the type of its key.
func readEntry(v, entry any, drop ...string) (more object, ok bool) {
	o, isObject := v.(object)
	m := members{from: o}
	m.into(entry)
	more = m.rest(drop...)
	return more, isObject && !m.wrong
}

// into takes the keys of an entry.
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

// spellEntry is an entry as a file holds it.
func spellEntry(more object, entry any) object {
	o := copyOf(more)
	for _, p := range parts(entry) {
		key := p.keys[0]
		switch v := p.Interface().(type) {
		case []model.Text:
			putList(o, key, v)
		case bool:
			o[key] = v
		case int:
			if v > 0 || p.kept {
				o[key] = json.Number(strconv.Itoa(v))
			}
		default:
			if p.Len() > 0 || p.kept {
				o[key] = p.String()
			}
		}
	}
	return o
}

// entry shortens what exceeds the limits of an entry.
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
