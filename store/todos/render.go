package todos

import (
	"strings"
	"unicode"

	"vise/model"
	"vise/model/todo"
)

// Render writes the whole file of a new todo, schema 2.
func Render(t todo.Todo, d todo.Draft, n todo.Note) []byte {
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range todo.Fields() {
		if v := f.Of(t); v.Kind != todo.Absent {
			b.WriteString(f.Key + ": " + render(v) + "\n")
		}
	}
	b.WriteString("---\n\n# " + t.Title.Raw() + "\n")
	section(&b, "Problem Statement", prose(orElse(d.Problem, t.Title)))
	section(&b, "Findings", findings(d))
	section(&b, "Proposed Solutions", "_None yet._")
	section(&b, "Recommended Action", prose(orElse(d.Action, "_Filled during triage._")))
	section(&b, "Acceptance Criteria", criteria(d.Criteria))
	b.WriteString("\n" + workHeading + "\n\n" + strings.Join(noteLines(n), "\n") + "\n")
	b.WriteString("\n" + strings.Join(historyTable, "\n") + "\n")
	for _, r := range t.History {
		b.WriteString(r.Line() + "\n")
	}
	return []byte(b.String())
}

func section(b *strings.Builder, heading, text string) {
	b.WriteString("\n## " + heading + "\n\n" + text + "\n")
}

func orElse(s, other model.Text) model.Text {
	if strings.TrimSpace(s.Raw()) == "" {
		return other
	}
	return s
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

// maxProse bounds what an importer brings into one section, in bytes.
const maxProse = 16 << 10

// prose is text from outside as paragraphs: without control characters, and without a line
// that would be a heading or a fence, so that it cannot look like a section of ours.
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

// fenced is code from outside in a fence that it cannot close.
func fenced(s model.Text) string {
	code := strings.TrimRight(visible(s.Raw()), "\n")
	fence := "```"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + "\n" + code + "\n" + fence
}

func visible(s string) string {
	if len(s) > maxProse {
		s = strings.ToValidUTF8(s[:maxProse], "") + "\n…"
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) {
			return r
		}
		return -1
	}, s)
}
