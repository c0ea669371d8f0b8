package todos

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// value is what one key of a front matter holds, as far as a todo can hold it.
type value struct {
	kind valueKind
	text string
	// list are a sequence's scalars, or a mapping's keys and values in turn.
	list []string
}

type valueKind uint8

// The kinds. Deep is a list or mapping that holds more than scalars.
const (
	null valueKind = iota
	scalar
	sequence
	mapping
	deep
)

// headKeys are a front matter's keys in their order. There are few: a scan beats a map.
type headKeys []struct {
	key string
	value
}

func (k headKeys) find(key string) (value, bool) {
	for i := range k {
		if k[i].key == key {
			return k[i].value, true
		}
	}
	return value{}, false
}

// readHead gives the keys of a head. Most heads are lines of the kind that our own writer
// makes; those are read here, ten times as fast as YAML, and every other by the parser. A
// fuzz test holds the two to the same answer.
func readHead(head string) (headKeys, *Damage) {
	if keys, ok := plainHead(head); ok {
		return keys, nil
	}
	parsed, d := entries(head)
	if d != nil {
		return nil, d
	}
	keys := make(headKeys, 0, len(parsed))
	for key, e := range parsed {
		keys = append(keys, struct {
			key string
			value
		}{key, valueOf(e.value)})
	}
	return keys, nil
}

func valueOf(n *yaml.Node) value {
	switch {
	case n.Tag == "!!null":
		return value{}
	case n.Kind == yaml.ScalarNode:
		return value{kind: scalar, text: n.Value}
	}
	v := value{kind: sequence}
	if n.Kind == yaml.MappingNode {
		v.kind = mapping
	}
	for _, c := range n.Content {
		if c.Kind != yaml.ScalarNode {
			return value{kind: deep}
		}
		text := c.Value
		if c.Tag == "!!null" {
			text = ""
		}
		v.list = append(v.list, text)
	}
	return v
}

// plainHead reads a head all of whose lines are "key: value" in plain ASCII, where value is
// a word, a quoted string without escapes, a flow list of those, or nothing.
func plainHead(head string) (headKeys, bool) {
	keys := make(headKeys, 0, 32)
	for head != "" {
		var line string
		line, head = cutLine(head)
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		key, rest, ok := strings.Cut(line, ": ")
		if !ok || !plainKey(key) {
			return nil, false
		}
		v, ok := plainValue(rest)
		if _, twice := keys.find(key); !ok || twice {
			return nil, false
		}
		keys = append(keys, struct {
			key string
			value
		}{key, v})
	}
	return keys, len(keys) > 0
}

// plainKey knows keys of a length that any have; YAML takes none of more than 1,024 bytes.
func plainKey(s string) bool {
	const longest = 64
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && c != '_' {
			return false
		}
	}
	return s != "" && len(s) <= longest && s != "null" && s[0] != '_'
}

func plainValue(s string) (value, bool) {
	switch {
	case s == "null":
		return value{}, true
	case strings.HasPrefix(s, "["):
		return plainList(s)
	case strings.HasPrefix(s, `"`):
		text, rest, ok := plainQuoted(s)
		return value{kind: scalar, text: text}, ok && rest == ""
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && (c != '-' || i == 0) {
			return value{}, false
		}
	}
	return value{kind: scalar, text: s}, s != ""
}

func plainQuoted(s string) (text, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		return "", "", false
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return s[1:i], s[i+1:], true
		case c < ' ' || c >= 0x7F || c == '\\':
			return "", "", false
		}
	}
	return "", "", false
}

func plainList(s string) (value, bool) {
	v := value{kind: sequence}
	if s == "[]" {
		return v, true
	}
	for rest := s[1:]; ; {
		text, after, ok := plainQuoted(rest)
		if !ok {
			return value{}, false
		}
		v.list = append(v.list, text)
		if after == "]" {
			return v, true
		}
		if rest, ok = strings.CutPrefix(after, ", "); !ok {
			return value{}, false
		}
	}
}
