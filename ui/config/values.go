package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Value is one value of a configuration with its path.
type Value struct {
	Path   string `json:"path"`
	Value  any    `json:"value"`
	Origin origin `json:"origin"`
}

// Values returns all values of the settings in the order of Config: a list as one value, a map as one value for each entry.
func (s Settings) Values() []Value {
	var out []Value
	s.walk(reflect.ValueOf(s.Config), "", &out)
	return out
}

func (s Settings) walk(v reflect.Value, path string, out *[]Value) {
	switch {
	case v.Kind() == reflect.Struct:
		for _, name := range fieldNames(v.Type()) {
			s.walk(field(v, name), join(path, name), out)
		}
	case v.Kind() == reflect.Map && v.Len() > 0:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			*out = append(*out, s.valueAt(join(path, k.String()), v.MapIndex(k)))
		}
	default:
		*out = append(*out, s.valueAt(path, v))
	}
}

func (s Settings) valueAt(path string, v reflect.Value) Value {
	o := s.origin(path)
	if o.Source == "" {
		o.Source = "default"
	}
	return Value{path, v.Interface(), o}
}

// Spelled returns the value as JSON, which is also valid YAML.
func (v Value) Spelled() string {
	rv := reflect.ValueOf(v.Value)
	if rv.Kind() == reflect.Map && rv.Len() == 0 {
		return "{}"
	}
	if rv.Kind() == reflect.Slice && rv.Len() == 0 {
		return "[]"
	}
	if s, ok := v.Value.(fmt.Stringer); ok {
		return s.String()
	}
	raw, err := json.Marshal(v.Value)
	if err != nil {
		return "?"
	}
	return strings.Trim(string(raw), `"`)
}
