package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// place is a value of the file, with its path.
type place struct {
	path string
	*yaml.Node
}

// reader decodes one document strictly into a value, and turns the decoder's errors into problems with a place. A wrong value is left
// unchanged, and the rest is still read.
type reader struct {
	file     string
	problems Problems
	origins  map[string]origin
	places   []place // keys and values in the order of the file
}

// read fills into, a pointer to a struct, from YAML. Fields that the text does not set stay unchanged.
func (r *reader) read(raw []byte, into any) {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		line, message := lineOf(strings.TrimPrefix(err.Error(), "yaml: "))
		r.add(&yaml.Node{Line: line}, "", "not YAML: "+message, "")
		return
	}
	if len(doc.Content) == 0 {
		return
	}
	r.walk(doc.Content[0], "")
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	err := d.Decode(into)
	wrong := &yaml.TypeError{}
	if errors.As(err, &wrong) {
		for _, complaint := range wrong.Errors {
			r.explain(complaint)
		}
	} else if err != nil && !errors.Is(err, io.EOF) {
		r.add(&yaml.Node{}, "", err.Error(), "")
	}
}

func (r *reader) add(n *yaml.Node, path, message, hint string) {
	delete(r.origins, path)
	r.problems = append(r.problems, Problem{File: r.file, Line: n.Line, Column: n.Column, Path: path, Message: message, Hint: hint})
}

// walk notes the place of each value. An alias counts as a value without parts.
func (r *reader) walk(n *yaml.Node, path string) {
	r.places = append(r.places, place{path, n})
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			at := join(path, n.Content[i].Value)
			r.places = append(r.places, place{at, n.Content[i]})
			r.walk(n.Content[i+1], at)
		}
		return
	}
	if n.Tag != "!!null" {
		r.origins[path] = origin{"file", r.file, n.Line}
	}
	for i, c := range n.Content {
		r.walk(c, fmt.Sprintf("%s[%d]", path, i))
	}
}

// complaints matches the decoder's errors. Each group is named for the fact that it captures.
var complaints = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^(?:" + strings.Join([]string{
		"field (?P<unknown>.*) not found in type (?P<in>.*)",
		"mapping key (?P<twice>\".*\") already defined.*",
		"cannot unmarshal !!\\w+(?: `(?P<value>(?s:.*))`)? into (?P<kind>.*)",
		"(?P<other>(?s:.*))",
	}, "|") + ")$")
})

// explain adds a problem for an error of the decoder.
func (r *reader) explain(complaint string) {
	line, message := lineOf(complaint)
	m := complaints().FindStringSubmatch(message)
	group := func(name string) string { return m[complaints().SubexpIndex(name)] }
	switch unknown, twice := group("unknown"), group("twice"); {
	case unknown != "":
		at := r.at(line, func(n place) bool { return n.Value == unknown })
		r.add(at.Node, at.path, "unknown key", meant(unknown, keysOf(group("in"))))
	case twice != "":
		at := r.at(line, func(n place) bool { return strconv.Quote(n.Value) == twice })
		r.add(at.Node, at.path, "is there twice", "")
	case group("kind") != "":
		value, _ := strings.CutSuffix(group("value"), "...") // the decoder shortens long values
		at := r.at(line, func(n place) bool {
			if value == "" {
				return n.Kind != yaml.ScalarNode
			}
			return strings.HasPrefix(n.Value, value) && n.Value != lastKey(n.path)
		})
		message := "must be " + kindWords(group("kind"))
		if at.Value != "" && !below(at.path, "channels") { // a channel can hold a secret
			message += fmt.Sprintf(", not %q", at.Value)
		}
		r.add(at.Node, at.path, message, "")
	default:
		at := r.at(line, func(n place) bool {
			return strings.Contains(message, strconv.Quote(n.Value)) && n.Value != lastKey(n.path)
		})
		r.add(at.Node, at.path, group("other"), "")
	}
}

// at returns the last place on a line for which fits is true, or else one that has only the line.
func (r *reader) at(line int, fits func(place) bool) place {
	for _, p := range slices.Backward(r.places) {
		if p.Line == line && fits(p) {
			return p
		}
	}
	return place{Node: &yaml.Node{Line: line}}
}

func lastKey(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// keysOf returns the keys of a part of the file, by the name of its type.
func keysOf(name string) []string {
	for _, t := range []reflect.Type{
		reflect.TypeFor[Config](), reflect.TypeFor[notifications](), reflect.TypeFor[todos](), reflect.TypeFor[stale](),
		reflect.TypeFor[Command](), reflect.TypeFor[Agent](), reflect.TypeFor[Turn](), reflect.TypeFor[Channel](),
		reflect.TypeFor[themeFile](),
	} {
		if t.String() == name {
			return fieldNames(t)
		}
	}
	return nil
}

// kindWords describes a Go type in the file's terms.
func kindWords(name string) string {
	switch {
	case name == "bool":
		return "true or false"
	case strings.HasPrefix(name, "int"):
		return "a number"
	case name == "string" || name == "themes.Color":
		return "a text"
	case strings.HasPrefix(name, "[]"):
		return "a list"
	}
	return "keys with values"
}

// misread returns an error about a value, in the decoder's form.
func misread(n *yaml.Node, format string, args ...any) error {
	return &yaml.TypeError{Errors: []string{fmt.Sprintf("line %d: ", n.Line) + fmt.Sprintf(format, args...)}}
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *Span) UnmarshalYAML(n *yaml.Node) error {
	if err := s.UnmarshalText([]byte(n.Value)); err != nil {
		return misread(n, "must be a length of time like 100ms, 30m or 72h, not %q", n.Value)
	}
	return nil
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (k *Keys) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*k = Keys{n.Value}
		return nil
	}
	return n.Decode((*[]string)(k))
}

// choose reads one of the words that a type allows.
func choose[T ~string](n *yaml.Node, into *T) error {
	known := choices[reflect.TypeFor[T]()]
	if !slices.Contains(known, n.Value) {
		return misread(n, "%q is none of %s", n.Value, strings.Join(known, ", "))
	}
	*into = T(n.Value)
	return nil
}

// UnmarshalYAML implements yaml.Unmarshaler, here and for the other types with choices.
func (c *colours) UnmarshalYAML(n *yaml.Node) error { return choose(n, c) }
func (g *glyphs) UnmarshalYAML(n *yaml.Node) error  { return choose(n, g) }
func (v *Via) UnmarshalYAML(n *yaml.Node) error     { return choose(n, v) }
func (c *context) UnmarshalYAML(n *yaml.Node) error { return choose(n, c) }
func (o *output) UnmarshalYAML(n *yaml.Node) error  { return choose(n, o) }
func (a *Adapter) UnmarshalYAML(n *yaml.Node) error { return choose(n, a) }

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

// lineOf splits an error into its line and the message. The line is 0 if the error names none.
func lineOf(complaint string) (line int, message string) {
	number, message, ok := strings.Cut(strings.TrimPrefix(complaint, "line "), ": ")
	line, err := strconv.Atoi(number)
	if !ok || err != nil {
		return 0, complaint
	}
	return line, message
}
