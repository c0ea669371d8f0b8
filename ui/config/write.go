package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"vise/model"
)

// WithFilter returns a configuration file with one more filter. Everything else in it stays unchanged, comments and layout too.
func WithFilter(raw []byte, name, words string) ([]byte, error) {
	if !word(name) || !word(words) {
		return nil, errors.New("a filter needs a name and words, each on one line")
	}
	return with(raw, "filters", "filter", name, words)
}

// WithHost is WithFilter for a host and its address.
func WithHost(raw []byte, name, address string) ([]byte, error) {
	if _, err := ParseHost(address); err != nil {
		return nil, err
	}
	if !validHostName(name) {
		return nil, model.Invalid("%q is not usable as a host's name", model.Text(name)).At("name",
			"use 1 to %d of a-z, 0-9, - and _", maxHostName)
	}
	return with(raw, "hosts", "host", name, address)
}

// with adds an entry to a map of the file.
func with(raw []byte, part, what, name, words string) ([]byte, error) {
	return edited(raw, "added", []string{part, name}, words, func(doc *yaml.Node) (string, error) {
		entry := strconv.Quote(name) + ": " + strconv.Quote(words)
		key, value := entryOf(doc, part)
		if _, is := entryOf(doc, part, name); is != nil {
			return "", model.Conflict("there is a %s %s already", what, model.Text(name)).
				WithHint("take another name, or change the file")
		}
		if value == nil {
			return appended(string(raw), part+":\n  "+entry+"\n"), nil
		}
		return inserted(string(raw), key, value, entry), nil
	})
}

// WithoutHost returns a configuration file without a host, which must be on a line of its own. Everything else stays unchanged.
func WithoutHost(raw []byte, name string) ([]byte, error) {
	return edited(raw, "removed", []string{"hosts", name}, "", func(doc *yaml.Node) (string, error) {
		part, all := entryOf(doc, "hosts")
		key, value := entryOf(doc, "hosts", name)
		if key == nil {
			return "", model.NotFound("there is no host %s", model.Text(name)).WithHint("vise admin hosts lists them")
		}
		if len(all.Content) == 2 {
			key = part
		} else if all.Style&yaml.FlowStyle != 0 {
			return string(raw), nil
		}
		return strings.Join(slices.Delete(strings.SplitAfter(string(raw), "\n"), key.Line-1, value.Line), ""), nil
	})
}

// WithSetting returns a configuration file with another value for a setting of one word. Everything else in it stays unchanged.
func WithSetting(raw []byte, name, value string) ([]byte, error) {
	return edited(raw, "changed", []string{name}, value, func(doc *yaml.Node) (string, error) {
		_, is := entryOf(doc, name)
		if is == nil {
			return appended(string(raw), name+": "+value+"\n"), nil
		}
		lines := strings.SplitAfter(string(raw), "\n")
		l, n := []rune(lines[is.Line-1]), len([]rune(is.Value))
		if is.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			n += 2
		}
		if is.Kind == yaml.ScalarNode && is.Column-1+n <= len(l) {
			lines[is.Line-1] = string(l[:is.Column-1]) + value + string(l[is.Column-1+n:])
		}
		return strings.Join(lines, ""), nil
	})
}

// edited returns an edited file in which a path has the value want; "" means none. It reads the new file, and refuses it if the layout was
// not as expected, so that no file is damaged. done says in a word what is done.
func edited(raw []byte, done string, path []string, want string, edit func(*yaml.Node) (string, error)) ([]byte, error) {
	var doc, again yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("the file is not YAML: %w", err)
	}
	out, err := edit(&doc)
	if err != nil {
		return nil, err
	}
	c, r := Default(), reader{file: "the file", origins: map[string]origin{}}
	if r.read([]byte(out), &c); len(r.problems) > 0 {
		return nil, fmt.Errorf("it cannot be %s: %w", done, r.problems)
	}
	_ = yaml.Unmarshal([]byte(out), &again) // it was read a moment ago
	if _, is := entryOf(&again, path...); is == nil && want != "" || is != nil && (want == "" || is.Value != want) {
		return nil, fmt.Errorf("it cannot be %s as it is written; do it by hand: %s: %s", done, strings.Join(path, ": "), want)
	}
	return []byte(out), nil
}

// Choice is a setting of one word: its name in the file, its value, and the possible values.
type Choice struct {
	Name, Is string
	Values   []string
}

// Choices returns the settings that have a fixed set of words as values.
func (s Settings) Choices() []Choice {
	words := func(b bool) string { return map[bool]string{true: "on", false: "off"}[b] }
	return []Choice{
		{"theme", s.Theme, append([]string{ThemeAuto}, Names(s.Palettes)...)},
		{"glyphs", string(s.Glyphs), choices[reflect.TypeFor[glyphs]()]},
		{"colours", string(s.Colours), choices[reflect.TypeFor[colours]()]},
		{"mouse", words(s.Mouse), []string{"on", "off"}}, {"window_title", words(s.WindowTitle), []string{"on", "off"}},
	}
}

// entryOf returns a key of the document, or of the mapping at a key, and its value; or nil.
func entryOf(doc *yaml.Node, path ...string) (key, value *yaml.Node) {
	if len(doc.Content) == 0 {
		return nil, nil
	}
	value = doc.Content[0]
	for _, name := range path {
		in := value
		key, value = nil, nil
		for i := 0; in.Kind == yaml.MappingNode && i+1 < len(in.Content); i += 2 {
			if in.Content[i].Value == name {
				key, value = in.Content[i], in.Content[i+1]
			}
		}
		if value == nil {
			return nil, nil
		}
	}
	return key, value
}

func appended(s, more string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s + more
}

// inserted puts an entry first into an existing mapping.
func inserted(s string, key, value *yaml.Node, entry string) string {
	lines := strings.SplitAfter(s, "\n")
	at, indent := key.Line-1, key.Column+1
	if value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle != 0 {
		l := []rune(lines[value.Line-1])
		if len(value.Content) > 0 {
			entry += ", "
		}
		lines[value.Line-1] = string(l[:value.Column]) + entry + string(l[value.Column:])
		return strings.Join(lines, "")
	}
	if len(value.Content) > 0 {
		indent = value.Content[0].Column - 1
	}
	lines[at] = appended(lines[at], strings.Repeat(" ", indent)+entry+"\n")
	return strings.Join(lines, "")
}
