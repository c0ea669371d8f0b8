package config

import (
	"errors"
	"fmt"
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
