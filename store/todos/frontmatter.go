package todos

import (
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"vise/model"
	"vise/model/todo"
)

// Front matter is small. Both limits are checked before any parser reads it.
const (
	maxHeadBytes = 16 << 10
	maxHeadLines = 200
)

const bom = "\uFEFF"

// document is a file cut into front matter and body. The parts, joined, are the file.
type document struct {
	// open is everything up to the end of the first fence. head is the text between the fences.
	open, head string
	// fence is the line of the closing fence. body is everything after it.
	fence, body string
}

func (d document) String() string { return d.open + d.head + d.fence + d.body }

// eol returns the line break that the file uses.
func (d document) eol() string {
	if strings.HasSuffix(d.open, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// split cuts raw at its fences.
func split(raw string) (document, *Damage) {
	rest := strings.TrimPrefix(raw, bom)
	first, rest := cutLine(rest)
	if !isFence(first) {
		return document{}, damaged(todo.RuleNoHead, "the file does not begin with ---")
	}
	d := document{open: raw[:len(raw)-len(rest)]}
	start := rest
	for n := 0; rest != ""; n++ {
		line, after := cutLine(rest)
		switch {
		case isFence(line):
			d.head = start[:len(start)-len(rest)]
			d.fence, d.body = line, after
			return d, nil
		case n >= maxHeadLines || len(start)-len(after) > maxHeadBytes:
			return d, damaged(todo.RuleHeadLarge, "the front matter is longer than %d lines or %d bytes", maxHeadLines, maxHeadBytes)
		case isConflict(line):
			return d, damaged(todo.RuleConflict, "the front matter holds git conflict markers")
		}
		rest = after
	}
	return d, damaged(todo.RuleUnclosed, "the front matter has no closing ---")
}

func isFence(line string) bool { return strings.TrimRight(line, " \t\r\n") == "---" }

func isConflict(line string) bool {
	return strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") || strings.TrimRight(line, "\r\n") == "======="
}

// cutLine cuts after the first line break, which stays in line.
func cutLine(s string) (line, rest string) {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i+1], s[i+1:]
	}
	return s, ""
}

// entry is one key of the front matter with its nodes and its lines, counted from 0.
type entry struct {
	key, value  *yaml.Node
	first, last int
}

// entries parses the head into keys. It accepts one mapping without anchors, aliases, tags, a second document, or a repeated key.
func entries(head string) (map[string]entry, *Damage) {
	var doc yaml.Node
	in := yaml.NewDecoder(strings.NewReader(head))
	if err := in.Decode(&doc); err != nil && err != io.EOF {
		return nil, damaged(todo.RuleYAML, "the front matter is not YAML: %s", cut(err.Error(), 200))
	}
	if in.Decode(&yaml.Node{}) != io.EOF {
		return nil, damaged(todo.RuleYAML, "the front matter ends before its fence")
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, damaged(todo.RuleYAML, "the front matter is not a list of keys")
	}
	if d := plainNodes(doc.Content[0]); d != nil {
		return nil, d
	}
	pairs := doc.Content[0].Content
	lines := strings.SplitAfter(head, "\n")
	out := make(map[string]entry, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		key := pairs[i]
		if _, twice := out[key.Value]; twice || key.Kind != yaml.ScalarNode {
			return nil, damaged(todo.RuleKeyTwice, "the key %q stands twice in the front matter", key.Value)
		}
		end := len(lines) - 1
		if i+2 < len(pairs) {
			end = pairs[i+2].Line - 1
		}
		e := entry{key: key, value: pairs[i+1], first: key.Line - 1}
		e.last = lastLine(lines, e.first, end, key.Column-1)
		out[key.Value] = e
	}
	return out, nil
}

// lastLine is the last line of a value that ends before end. Blank lines, and comments that are not indented deeper than the key, belong to
// the next key.
func lastLine(lines []string, first, end, indent int) int {
	last := min(end, len(lines)) - 1
	for last > first {
		text := strings.TrimLeft(lines[last], " ")
		depth := len(lines[last]) - len(text)
		if strings.TrimSpace(text) != "" && !(strings.HasPrefix(text, "#") && depth <= indent) {
			break
		}
		last--
	}
	return max(last, first)
}

func plainNodes(n *yaml.Node) *Damage {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return damaged(todo.RuleAlias, "line %d of the front matter has an anchor or alias", n.Line+1)
	case n.Style&yaml.TaggedStyle != 0:
		return damaged(todo.RuleTag, "line %d of the front matter has a tag", n.Line+1)
	}
	for _, c := range n.Content {
		if d := plainNodes(c); d != nil {
			return d
		}
	}
	return nil
}

// Damage is a file that cannot be read as a todo, with the reason. It is never changed.
type Damage struct {
	Session string    `json:"session,omitempty"`
	Source  string    `json:"source"`
	File    string    `json:"file"`
	Rule    todo.Rule `json:"rule"`
	Reason  string    `json:"reason"`
}

// Ref returns the id that the file's directory and name give.
func (d *Damage) Ref() todo.Ref { return todo.NewRef(d.Source, todo.IDOfFile(d.File)) }

// named reports whether a person's word names the file.
func (d *Damage) named(word string) bool {
	return todo.Ref(word) == d.Ref() || word == d.Ref().ID() || word == d.File
}

func (d *Damage) Error() string { return d.Reason }

// Unwrap returns the damage as the error that frontends know.
func (d *Damage) Unwrap() error {
	return &model.Error{Code: model.CodeDamaged, Message: d.Reason, Hint: "the file is left as it is"}
}

func damaged(rule todo.Rule, format string, args ...any) *Damage {
	return &Damage{Rule: rule, Reason: fmt.Sprintf(format, args...)}
}
