package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"vise/model"
)

// origin says where a value comes from.
type origin struct {
	// Source is default, file or environment.
	Source string `json:"source"`
	// Name is the file or the variable.
	Name string `json:"name,omitempty"`
	Line int    `json:"line,omitempty"`
}

// String returns the origin in one or two words.
func (o origin) String() string {
	switch {
	case o.Source == "environment":
		return "$" + o.Name
	case o.Line > 0:
		return model.Text(o.Name + ":" + strconv.Itoa(o.Line)).String()
	}
	return o.Source
}

// reader decodes one document strictly into a value. A wrong value is a problem with a place and is left unchanged, and the rest is still
// read.
type reader struct {
	file     string
	problems Problems
	origins  map[string]origin
}

// read fills into, a pointer to a struct, from YAML. Fields that the text does not set stay unchanged.
func (r *reader) read(raw []byte, into any) {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		message, line := strings.TrimPrefix(err.Error(), "yaml: "), 0
		if number, rest, ok := strings.Cut(strings.TrimPrefix(message, "line "), ": "); ok {
			if n, err := strconv.Atoi(number); err == nil {
				line, message = n, rest
			}
		}
		r.add(&yaml.Node{Line: line}, "", "not YAML: "+message, "")
		return
	}
	if len(doc.Content) > 0 {
		r.decode(doc.Content[0], reflect.ValueOf(into).Elem(), "")
	}
}

func (r *reader) add(n *yaml.Node, path, message, hint string) {
	delete(r.origins, path)
	r.problems = append(r.problems, Problem{File: r.file, Line: n.Line, Column: n.Column, Path: path, Message: message, Hint: hint})
}

// decode sets v, the value at a path, from a node. ok is false if the node has nothing that fits.
func (r *reader) decode(n *yaml.Node, v reflect.Value, path string) (ok bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Tag == "!!null" {
		return true
	}
	if n.Kind != yaml.MappingNode {
		r.origins[path] = origin{"file", r.file, n.Line}
	}
	if _, isKeys := v.Interface().(Keys); isKeys && n.Kind == yaml.ScalarNode {
		v.Set(reflect.ValueOf(Keys{n.Value}))
		return true
	}
	kind, known := v.Kind(), choices[v.Type()]
	switch span, isSpan := v.Addr().Interface().(*Span); {
	case isSpan && n.Kind == yaml.ScalarNode:
		if span.UnmarshalText([]byte(n.Value)) == nil {
			return true
		}
		r.add(n, path, fmt.Sprintf("must be a length of time like 100ms, 30m or 72h, not %q", n.Value), "")
		return false
	case known != nil && n.Kind == yaml.ScalarNode && !slices.Contains(known, n.Value):
		r.add(n, path, fmt.Sprintf("%q is none of %s", n.Value, strings.Join(known, ", ")), "")
		return false
	case kind == reflect.String && n.Kind == yaml.ScalarNode:
		v.SetString(n.Value)
		return true
	case n.Kind == yaml.ScalarNode && n.Decode(v.Addr().Interface()) == nil:
		return true
	case (kind == reflect.Struct || kind == reflect.Map) && n.Kind == yaml.MappingNode:
		r.mapping(n, v, path)
		return true
	case kind == reflect.Slice && n.Kind == yaml.SequenceNode:
		list := reflect.MakeSlice(v.Type(), 0, len(n.Content))
		for i, c := range n.Content {
			if one := reflect.New(v.Type().Elem()).Elem(); r.decode(c, one, fmt.Sprintf("%s[%d]", path, i)) {
				list = reflect.Append(list, one)
			}
		}
		v.Set(list)
		return true
	}
	message := "must be " + cmp.Or(kindWords[kind], "a number")
	if n.Value != "" && !below(path, "channels") { // a channel can hold a secret
		message += fmt.Sprintf(", not %q", n.Value)
	}
	r.add(n, path, message, "")
	return false
}

// kindWords describe Go's kinds in the file's terms. The others are numbers.
var kindWords = map[reflect.Kind]string{reflect.Bool: "true or false", reflect.String: "a text", reflect.Slice: "a list",
	reflect.Struct: "keys with values", reflect.Map: "keys with values"}

// mapping sets the fields of a struct, or the entries of a map, from the keys of a node.
func (r *reader) mapping(n *yaml.Node, v reflect.Value, path string) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		at := join(path, key.Value)
		switch {
		case key.Tag == "!!merge": // it stands first, or overrides what stands before it
			r.decode(value, v, path)
			continue
		case seen[key.Value]:
			r.add(key, at, "is there twice", "")
			continue
		}
		seen[key.Value] = true
		if v.Kind() == reflect.Struct {
			if f := field(v, key.Value); f.IsValid() {
				r.decode(value, f, at)
			} else {
				r.add(key, at, "unknown key", meant(key.Value, fieldNames(v.Type())))
			}
			continue
		}
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		if one := reflect.New(v.Type().Elem()).Elem(); r.decode(value, one, at) {
			v.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), one)
		}
	}
}

// fieldNames returns a struct's keys in the file, in the order of its fields.
func fieldNames(t reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous {
			names = append(names, f.Tag.Get("yaml"))
		}
	}
	return names
}

// field returns the field of a struct with this name in the file.
func field(v reflect.Value, name string) reflect.Value {
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.Tag.Get("yaml") == name {
			return v.FieldByIndex(f.Index)
		}
	}
	return reflect.Value{}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
