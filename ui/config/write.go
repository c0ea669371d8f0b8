package config

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"vise/model"
)

// WithFilter is a configuration file with one more filter. Everything else in it, comments
// and layout too, stays as it is.
func WithFilter(raw []byte, name, words string) ([]byte, error) {
	if !word(name) || !word(words) {
		return nil, errors.New("a filter needs a name and words, each on one line")
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("the file is not YAML: %w", err)
	}
	entry := strconv.Quote(name) + ": " + strconv.Quote(words)
	out := appended(string(raw), "filters:\n  "+entry+"\n")
	key, value := entryOf(&doc, "filters")
	if value != nil {
		for i := 0; i+1 < len(value.Content); i += 2 {
			if value.Content[i].Value == name {
				return nil, model.Refuse(model.CodeConflict, "there is a filter %s already", model.Text(name)).
					WithHint("take another name, or change the file")
			}
		}
		out = inserted(string(raw), key, value, entry)
	}
	return []byte(out), proven([]byte(out), name, words)
}

// WithSetting is a configuration file in which a setting of one word has another value. Everything else in it stays as it is.
func WithSetting(raw []byte, name, value string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("the file is not YAML: %w", err)
	}
	out := appended(string(raw), name+": "+value+"\n")
	if _, is := entryOf(&doc, name); is != nil {
		lines := strings.SplitAfter(string(raw), "\n")
		l, n := []rune(lines[is.Line-1]), len([]rune(is.Value))
		if is.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
			n += 2
		}
		if is.Kind != yaml.ScalarNode || is.Column-1+n > len(l) {
			return nil, fmt.Errorf("it cannot be changed as it is written; change it by hand: %s: %s", name, value)
		}
		lines[is.Line-1] = string(l[:is.Column-1]) + value + string(l[is.Column-1+n:])
		out = strings.Join(lines, "")
	}
	c, r, again := Default(), reader{file: "the file", origins: map[string]origin{}}, yaml.Node{}
	if r.read([]byte(out), &c); len(r.problems) > 0 {
		return nil, fmt.Errorf("it cannot be set: %w", r.problems)
	}
	if err := yaml.Unmarshal([]byte(out), &again); err != nil {
		return nil, err
	}
	if _, is := entryOf(&again, name); is == nil || is.Value != value {
		return nil, fmt.Errorf("it cannot be changed as it is written; change it by hand: %s: %s", name, value)
	}
	return []byte(out), nil
}

// Choice is a setting of one word: its name in the file, what it is now, and what it can be.
type Choice struct {
	Name, Is string
	Values   []string
}

// Choices are the settings that are changed by a word.
func (s Settings) Choices() []Choice {
	words := func(b bool) string { return map[bool]string{true: "on", false: "off"}[b] }
	return []Choice{
		{"theme", s.Theme, append([]string{ThemeAuto}, Names(s.Palettes)...)},
		{"glyphs", string(s.Glyphs), choices[reflect.TypeFor[glyphs]()]},
		{"colours", string(s.Colours), choices[reflect.TypeFor[colours]()]},
		{"mouse", words(s.Mouse), []string{"on", "off"}}, {"window_title", words(s.WindowTitle), []string{"on", "off"}},
	}
}

// entryOf is a key of the document and its value, nil without one.
func entryOf(doc *yaml.Node, name string) (key, value *yaml.Node) {
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, nil
	}
	top := doc.Content[0].Content
	for i := 0; i+1 < len(top); i += 2 {
		if top[i].Value == name {
			return top[i], top[i+1]
		}
	}
	return nil, nil
}

func appended(s, more string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s + more
}

// inserted puts an entry first into a mapping that is there.
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

// proven reads what was written: a layout that was not foreseen is refused, not spoilt.
func proven(raw []byte, name, words string) error {
	c := Default()
	r := reader{file: "the file", origins: map[string]origin{}}
	r.read(raw, &c)
	if len(r.problems) > 0 {
		return fmt.Errorf("it cannot be added: %w", r.problems)
	}
	if c.Filters[name] != words {
		return fmt.Errorf("it cannot be added to the file as it is; add it by hand: filters: {%q: %q}", name, words)
	}
	return nil
}
