package todos

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"vise/model"
	"vise/model/todo"
)

// edit returns raw with some keys set and with rows and a note added. It changes only the lines of those keys and the ends of those
// sections; every other byte stays. It refuses a layout that it cannot change by lines, and checks its result by reading it.
func edit(raw []byte, sets []todo.Set, rows []todo.Row, note *todo.Note) ([]byte, error) {
	doc, d := split(string(raw))
	if d != nil {
		return nil, d
	}
	keys, d := entries(doc.head)
	if d != nil {
		return nil, d
	}
	if len(sets) > 0 && strings.ContainsAny(strings.ReplaceAll(doc.head, "\r\n", "\n"), "\r\u0085\u2028\u2029") {
		return nil, damaged(todo.RuleLayout, "the front matter has line breaks of another kind; such a file cannot be changed by lines")
	}
	out := doc
	e := editor{lines: strings.SplitAfter(doc.head, "\n"), keys: keys, eol: doc.eol(), put: map[int]string{}, after: map[int]string{}}
	for _, s := range sets {
		e.set(s)
	}
	out.head = e.String()
	if (len(rows) > 0 || note != nil) && !strings.HasSuffix(doc.fence, "\n") {
		out.fence += doc.eol()
	}
	if note != nil {
		out.body = addNote(out.body, *note, doc.eol())
	}
	if len(rows) > 0 {
		out.body = addRows(out.body, rows, doc.eol())
	}
	if d := proves(out, keys, sets); d != nil {
		return nil, d
	}
	return []byte(out.String()), nil
}

// editor replaces and inserts whole lines of a head.
type editor struct {
	lines []string
	keys  map[string]entry
	eol   string
	// put replaces lines, and after inserts text behind lines. The index -1 is the top.
	put, after map[int]string
}

func (e *editor) String() string {
	var b strings.Builder
	b.WriteString(e.after[-1])
	for i, l := range e.lines {
		if p, ok := e.put[i]; ok {
			l = p
		}
		b.WriteString(l)
		b.WriteString(e.after[i])
	}
	return b.String()
}

func (e *editor) set(s todo.Set) {
	have, ok := e.keys[s.Key]
	switch {
	case !ok && s.Value.Kind == todo.Absent:
	case !ok:
		e.after[e.place(s.Key)] += s.Key + ": " + render(s.Value) + e.eol
	case s.Value.Kind == todo.Absent:
		e.clear(have, "")
	default:
		if more, ok := e.grown(have, s.Value); ok {
			e.after[have.last] = more + e.after[have.last]
			return
		}
		line := strings.TrimRight(e.lines[have.first], "\r\n")
		key, _, _ := strings.Cut(line, ":")
		e.clear(have, key+": "+render(s.Value)+comment(line, have)+e.eol)
	}
}

// clear replaces all lines of an entry with one.
func (e *editor) clear(have entry, line string) {
	for i := have.first; i <= have.last; i++ {
		e.put[i] = ""
	}
	e.put[have.first] = line
}

// grown returns the lines that make a block list longer, if nothing else changes.
func (e *editor) grown(have entry, v todo.Value) (string, bool) {
	seq := have.value
	n := len(seq.Content)
	if v.Kind != todo.Sequence || seq.Kind != yaml.SequenceNode || seq.Style&yaml.FlowStyle != 0 || n == 0 || n >= len(v.List) {
		return "", false
	}
	for i, c := range seq.Content {
		if c.Value != v.List[i] {
			return "", false
		}
	}
	first := e.lines[seq.Content[0].Line-1]
	indent := first[:len(first)-len(strings.TrimLeft(first, " "))]
	more := ""
	for _, s := range v.List[n:] {
		more += indent + "- " + quote(s) + e.eol
	}
	return more, true
}

// place returns the line after which a missing key belongs: after the nearest key that precedes it in the template.
func (e *editor) place(key string) int {
	at := len(e.lines) - 1
	if at >= 0 && e.lines[at] == "" {
		at--
	}
	for _, f := range (todo.Todo{}).Fields() {
		if f.Key == key {
			break
		}
		if have, ok := e.keys[f.Key]; ok {
			at = have.last
		}
	}
	return at
}

// comment returns the comment at the end of a key's line, with the space before it.
func comment(line string, have entry) string {
	for _, c := range []string{have.value.LineComment, have.key.LineComment} {
		if c != "" && strings.HasSuffix(line, c) {
			before := strings.TrimRight(line[:len(line)-len(c)], " \t")
			return line[len(before):]
		}
	}
	return ""
}

func render(v todo.Value) string {
	switch v.Kind {
	case todo.Null:
		return "null"
	case todo.Quoted:
		return quote(v.Text)
	case todo.Sequence:
		parts := make([]string, len(v.List))
		for i, s := range v.List {
			parts[i] = quote(s)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case todo.Mapping:
		var parts []string
		for i := 0; i+1 < len(v.Pairs); i += 2 {
			parts = append(parts, v.Pairs[i]+": "+quote(v.Pairs[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return v.Text
}

// quote writes a double-quoted scalar. JSON's notation is valid YAML.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(strings.ToValidUTF8(s, "\uFFFD")) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

// proves reads an edited head and reports what is wrong with it: each changed key must hold its new value, and each other key its old one.
func proves(after document, keys map[string]entry, sets []todo.Set) *Damage {
	got, d := entries(after.head)
	if d != nil {
		return damaged(todo.RuleLayout, "the front matter is laid out in a way that cannot be changed by lines: %s", d.Reason)
	}
	if again, d := split(after.String()); d != nil || again.head != after.head {
		return damaged(todo.RuleLayout, "the front matter would end elsewhere")
	}
	for key, have := range keys {
		if !slices.ContainsFunc(sets, func(s todo.Set) bool { return s.Key == key }) && !sameNode(have.value, got[key].value) {
			return damaged(todo.RuleLayout, "the key %q cannot be kept while others change", key)
		}
	}
	for _, s := range sets {
		if !holdsValue(got[s.Key].value, s.Value) {
			return damaged(todo.RuleLayout, "the key %q cannot be set in this layout", s.Key)
		}
	}
	return nil
}

func sameNode(a, b *yaml.Node) bool {
	return b != nil && a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, sameNode)
}

func holdsValue(n *yaml.Node, v todo.Value) bool {
	if n == nil {
		return v.Kind == todo.Absent
	}
	holds := func(c *yaml.Node, s string) bool { return c.Value == s }
	switch v.Kind {
	case todo.Null:
		return n.Tag == "!!null"
	case todo.Plain, todo.Quoted:
		return n.Kind == yaml.ScalarNode && n.Value == v.Text
	case todo.Sequence:
		return n.Kind == yaml.SequenceNode && slices.EqualFunc(n.Content, v.List, holds)
	case todo.Mapping:
		return n.Kind == yaml.MappingNode && slices.EqualFunc(n.Content, v.Pairs, holds)
	}
	return false
}

// Render writes the whole file of a new todo, schema 2.
func Render(t todo.Todo, d todo.Draft, n todo.Note) []byte {
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range t.Fields() {
		if f.Value.Kind != todo.Absent {
			b.WriteString(f.Key + ": " + render(f.Value) + "\n")
		}
	}
	b.WriteString("---\n\n# " + t.Title.Raw() + "\n")
	section(&b, problemHeading, cmp.Or(prose(d.Problem), prose(t.Title)))
	section(&b, "## Findings", findings(d))
	section(&b, "## Proposed Solutions", "_None yet._")
	section(&b, "## Recommended Action", cmp.Or(prose(d.Action), "_Filled during triage._"))
	section(&b, "## Acceptance Criteria", criteria(d.Criteria))
	b.WriteString("\n" + workHeading + "\n\n" + strings.Join(noteLines(n), "\n") + "\n")
	b.WriteString("\n" + strings.Join(historyTable, "\n") + "\n")
	for _, r := range t.History {
		b.WriteString(r.Line() + "\n")
	}
	return []byte(b.String())
}

func section(b *strings.Builder, heading, text string) {
	b.WriteString("\n" + heading + "\n\n" + text + "\n")
}

func findings(d todo.Draft) string {
	var lines []string
	for _, f := range d.Findings {
		if f.Text != "" {
			lines = append(lines, "- **"+todo.OneLine(f.Label.Raw())+"**: "+todo.OneLine(f.Text.Raw()))
		}
	}
	if d.Evidence != "" {
		lines = append(lines, "", fenced(d.Evidence))
	}
	if len(lines) == 0 {
		return "_None._"
	}
	return strings.Join(lines, "\n")
}

func criteria(list []model.Text) string {
	if len(list) == 0 {
		list = []model.Text{"Behaviour corrected", "Tests pass"}
	}
	var lines []string
	for _, c := range list {
		lines = append(lines, "- [ ] "+todo.OneLine(c.Raw()))
	}
	return strings.Join(lines, "\n")
}

// prose returns text from outside as paragraphs: without control characters, and with headings and fences escaped, so that it cannot look
// like one of the file's sections.
func prose(s model.Text) string {
	lines := strings.Split(visible(s.Raw()), "\n")
	for i, l := range lines {
		trimmed := strings.TrimLeft(l, " \t")
		if strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			lines[i] = "\\" + trimmed
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// fenced returns code from outside in a fence that the code cannot close.
func fenced(s model.Text) string {
	code := strings.TrimRight(visible(s.Raw()), "\n")
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "\n" + code + "\n" + fence
}

func visible(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return -1
	}, s)
}
