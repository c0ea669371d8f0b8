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
	return with(raw, "filters", "filter", name, words, func(c Config) string { return c.Filters[name] })
}

// WithHost is WithFilter for a host and its address.
func WithHost(raw []byte, name, address string) ([]byte, error) {
	if _, err := ParseHost(address); err != nil {
		return nil, err
	}
	if !validHostName(name) {
		return nil, model.Refuse(model.CodeInvalid, "%q is not usable as a host's name", model.Text(name)).At("name").
			WithHint("use 1 to %d of a-z, 0-9, - and _", maxHostName)
	}
	return with(raw, "hosts", "host", name, address, func(c Config) string { return c.Hosts[name] })
}

// with adds an entry to a map of the file. is returns the entry's value from the file as it is read again.
func with(raw []byte, part, what, name, words string, is func(Config) string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("the file is not YAML: %w", err)
	}
	entry := strconv.Quote(name) + ": " + strconv.Quote(words)
	out := appended(string(raw), part+":\n  "+entry+"\n")
	key, value := entryOf(&doc, part)
	if value != nil {
		for i := 0; i+1 < len(value.Content); i += 2 {
			if value.Content[i].Value == name {
				return nil, model.Refuse(model.CodeConflict, "there is a %s %s already", what, model.Text(name)).
					WithHint("take another name, or change the file")
			}
		}
		out = inserted(string(raw), key, value, entry)
	}
	return []byte(out), proven([]byte(out), entry, part, words, is)
}

// WithoutHost returns a configuration file without a host, which must be on a line of its own. Everything else stays unchanged.
func WithoutHost(raw []byte, name string) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(raw, &doc); err != nil {
		return nil, fmt.Errorf("the file is not YAML: %w", err)
	}
	key, value := entryOf(&doc, "hosts")
	for i := 0; value != nil && i+1 < len(value.Content); i += 2 {
		if value.Content[i].Value != name {
			continue
		}
		lines := strings.SplitAfter(string(raw), "\n")
		from, to := value.Content[i].Line-1, value.Content[i+1].Line
		if len(value.Content) == 2 {
			from = key.Line - 1
		}
		out := strings.Join(slices.Delete(lines, from, to), "")
		c, r := Default(), reader{file: "the file", origins: map[string]origin{}}
		if r.read([]byte(out), &c); len(r.problems) > 0 || c.Hosts[name] != "" || len(c.Hosts) != len(value.Content)/2-1 {
			return nil, fmt.Errorf("it cannot be removed as it is written; remove it by hand: hosts: %s", model.Text(name))
		}
		return []byte(out), nil
	}
	return nil, model.Refuse(model.CodeNotFound, "there is no host %s", model.Text(name)).WithHint("vise hosts lists them")
}

// WithSetting returns a configuration file with another value for a setting of one word. Everything else in it stays unchanged.
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

// entryOf returns a key of the document and its value, or nil.
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

// proven reads the new file and refuses it if the layout was not as expected, so that no file is damaged.
func proven(raw []byte, entry, part, words string, is func(Config) string) error {
	c := Default()
	r := reader{file: "the file", origins: map[string]origin{}}
	r.read(raw, &c)
	if len(r.problems) > 0 {
		return fmt.Errorf("it cannot be added: %w", r.problems)
	}
	if is(c) != words {
		return fmt.Errorf("it cannot be added to the file as it is; add it by hand: %s: {%s}", part, entry)
	}
	return nil
}
