package todos

import (
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// simple reads a head as vise writes it: in each line a key with null, a word, a quoted text without escapes, or a list of such texts. For
// any other head ok is false, and the YAML parser, which takes ten times as long, must read it. Both give the same values. No value keeps
// the head in memory.
func simple(head string) (keys map[string]*yaml.Node, ok bool) {
	keys = make(map[string]*yaml.Node, strings.Count(head, "\n"))
	for head != "" {
		var line string
		line, head = cutLine(head)
		key, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		value := simpleValue(text)
		if _, twice := keys[key]; twice || value == nil || !isKey(key) {
			return nil, false
		}
		keys[key] = value
	}
	return keys, len(keys) > 0
}

var (
	simpleNull  = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	simpleEmpty = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str"}
	simpleList  = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
)

func simpleValue(s string) *yaml.Node {
	switch {
	case s == "null":
		return simpleNull
	case s == `""`:
		return simpleEmpty
	case s == "[]":
		return simpleList
	case strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]"):
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for item := range strings.SplitSeq(s[1:len(s)-1], ", ") {
			n := quotedValue(item)
			if n == nil {
				return nil
			}
			list.Content = append(list.Content, n)
		}
		return list
	case isWord(s):
		return &yaml.Node{Kind: yaml.ScalarNode, Value: strings.Clone(s)}
	}
	return quotedValue(s)
}

// quotedValue is a quoted text in which every character stands for itself.
func quotedValue(s string) *yaml.Node {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return nil
	}
	s = s[1 : len(s)-1]
	if strings.ContainsFunc(s, func(r rune) bool { return r == '"' || r == '\\' || !unicode.IsPrint(r) }) {
		return nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.Clone(s)}
}

// isWord reports whether YAML reads s as this text and not as null.
func isWord(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return s != "" && !strings.EqualFold(s, "null")
}

func isKey(s string) bool { return s != "" && len(s) <= 64 && isLetter(s[0]) && isWord(s) }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
