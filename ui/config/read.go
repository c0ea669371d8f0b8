package config

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"vise/model"
	"vise/themes"
)

// The bounds of a file: far more than anybody writes by hand.
const (
	maxDepth = 16
	maxNodes = 20_000
)

// Origin is where a value comes from.
type Origin struct {
	// Source is default, file or environment.
	Source string `json:"source"`
	// Name is the file, or the variable.
	Name string `json:"name,omitempty"`
	Line int    `json:"line,omitempty"`
}

// String is the origin in a word or two.
func (o Origin) String() string {
	switch {
	case o.Source == "environment":
		return "$" + o.Name
	case o.Line > 0:
		return model.Text(o.Name + ":" + strconv.Itoa(o.Line)).String()
	}
	return o.Source
}

// reader reads one document into a value, field by field, so that each mistake has its
// place and the rest is still read.
type reader struct {
	file     string
	problems Problems
	origins  map[string]Origin
	nodes    int
}

// read fills into, a pointer to a struct, from YAML. What the text does not say stays.
func (r *reader) read(raw []byte, into any) {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		r.add(&yaml.Node{Line: lineOf(err)}, "", "not YAML: "+strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), lineWords(err)), "")
		return
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return
	}
	if r.fits(doc.Content[0], 0) {
		r.value(doc.Content[0], reflect.ValueOf(into).Elem(), "")
	}
}

func (r *reader) add(n *yaml.Node, path, message, hint string) {
	r.problems = append(r.problems, Problem{File: r.file, Line: n.Line, Column: n.Column, Path: path, Message: message, Hint: hint})
}

// fits reports whether the document is small, flat and without aliases.
func (r *reader) fits(n *yaml.Node, depth int) bool {
	r.nodes++
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.add(n, "", "anchors and aliases are not read", "write the value out")
		return false
	case depth > maxDepth:
		r.add(n, "", fmt.Sprintf("nested deeper than %d", maxDepth), "")
		return false
	case r.nodes > maxNodes:
		r.add(n, "", fmt.Sprintf("more than %d values", maxNodes), "")
		return false
	}
	for _, c := range n.Content {
		if !r.fits(c, depth+1) {
			return false
		}
	}
	return true
}

func (r *reader) value(n *yaml.Node, v reflect.Value, path string) {
	switch {
	case v.Type() == reflect.TypeFor[Keys]() && n.Kind == yaml.ScalarNode:
		r.leaf(n, v, path, func(key string) { v.Set(reflect.ValueOf(Keys{key})) })
	case v.Kind() == reflect.Struct:
		r.fields(n, v, path)
	case v.Kind() == reflect.Map:
		r.entries(n, v, path)
	case v.Kind() == reflect.Slice:
		r.list(n, v, path)
	default:
		r.leaf(n, v, path, nil)
	}
}

// pairs calls do for each key of a mapping once.
func (r *reader) pairs(n *yaml.Node, path string, do func(key string, k, value *yaml.Node)) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.add(n, path, "must be keys with values", "")
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.add(k, path, "a key must be a word", "")
		case seen[k.Value]:
			r.add(k, join(path, k.Value), "is there twice", "")
		default:
			seen[k.Value] = true
			do(k.Value, k, n.Content[i+1])
		}
	}
}

func (r *reader) fields(n *yaml.Node, v reflect.Value, path string) {
	r.pairs(n, path, func(key string, k, value *yaml.Node) {
		names := fieldNames(v.Type())
		if i := slices.Index(names, key); i >= 0 {
			r.value(value, field(v, key), join(path, key))
			return
		}
		r.add(k, join(path, key), "unknown key", meant(key, names))
	})
}

func (r *reader) entries(n *yaml.Node, v reflect.Value, path string) {
	made := reflect.MakeMap(v.Type())
	r.pairs(n, path, func(key string, _, value *yaml.Node) {
		e := reflect.New(v.Type().Elem()).Elem()
		r.value(value, e, join(path, key))
		made.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), e)
	})
	v.Set(made)
}

func (r *reader) list(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.SequenceNode {
		if n.Tag != "!!null" {
			r.add(n, path, "must be a list", "")
		}
		return
	}
	r.origins[path] = Origin{"file", r.file, n.Line}
	made := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, c := range n.Content {
		r.value(c, made.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	v.Set(made)
}

// leaf reads a single value; set, if given, takes it as a word.
func (r *reader) leaf(n *yaml.Node, v reflect.Value, path string, set func(string)) {
	known := choices[v.Type()]
	switch {
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		r.add(n, path, "must be "+kindWords(v.Type()), "")
		return
	case set != nil:
		set(n.Value)
	case known != nil && !slices.Contains(known, n.Value):
		r.add(n, path, fmt.Sprintf("%q is none of %s", n.Value, strings.Join(known, ", ")), "")
		return
	case v.Kind() == reflect.String && !speltItself(v): // also off and 07, which YAML takes for something else
		v.SetString(n.Value)
	default:
		if err := n.Decode(v.Addr().Interface()); err != nil {
			r.add(n, path, fmt.Sprintf("must be %s, not %q", kindWords(v.Type()), n.Value), "")
			return
		}
	}
	r.origins[path] = Origin{"file", r.file, n.Line}
}

func kindWords(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Span]():
		return "a length of time like 100ms, 30m or 72h"
	case t == reflect.TypeFor[Keys]():
		return "a key, or a list of keys"
	case t == reflect.TypeFor[themes.Color]():
		return "a colour: #rrggbb, one of the terminal's own 0 to 255, or empty"
	case choices[t] != nil:
		return "one of " + strings.Join(choices[t], ", ")
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return "a number"
	}
	return "a text"
}

// fieldNames are a struct's keys in the file, in the order of its fields.
func fieldNames(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		name, how, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if how == "inline" {
			names = append(names, fieldNames(t.Field(i).Type)...)
		} else {
			names = append(names, name)
		}
	}
	return names
}

// field is the field of a struct that has a name in the file.
func field(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		tag, how, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if tag == name && name != "" {
			return v.Field(i)
		}
		if how == "inline" && slices.Contains(fieldNames(v.Field(i).Type()), name) {
			return field(v.Field(i), name)
		}
	}
	return reflect.Value{}
}

// speltItself reports whether a value reads its own text.
func speltItself(v reflect.Value) bool {
	_, ok := v.Addr().Interface().(encoding.TextUnmarshaler)
	return ok
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// lineOf is the line that the parser names, or 0; it has no other way to tell.
func lineOf(err error) int {
	_, rest, ok := strings.Cut(err.Error(), "line ")
	if !ok {
		return 0
	}
	digits, _, _ := strings.Cut(rest, ":")
	n, _ := strconv.Atoi(digits)
	return n
}

func lineWords(err error) string {
	if n := lineOf(err); n > 0 {
		return fmt.Sprintf("line %d: ", n)
	}
	return ""
}
