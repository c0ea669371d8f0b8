package todo

import (
	"cmp"
	"slices"
	"strings"

	"vise/model"
)

// Parts is a todo's text, split for a caller that compares it with the code.
type Parts struct {
	// Problem is the description: the text without the sections about the todo's own life.
	Problem model.Text
	// Snippet is the code that the finding quotes, or "".
	Snippet model.Text
	// File and Line are where the problem was found. The line is a hint, or 0 if it is not known.
	File model.Text
	Line int
}

// PartsOf splits a todo's body. The snippet is the first block of fenced code.
func PartsOf(t Todo, body string) Parts {
	_, text := Promote(t, body)
	f := Parts{}
	var prose, code []string
	fence, taken := "", false
	for line := range strings.SplitSeq(strings.ReplaceAll(text.Raw(), "\r\n", "\n"), "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "" && strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "":
			fence, taken = "", true
		case fence != "" && !taken:
			code = append(code, line)
		case fence != "":
			prose = append(prose, line)
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
		case !strings.HasPrefix(trimmed, "# "):
			prose = append(prose, line)
		}
	}
	f.Problem, f.Snippet = model.Text(spare(prose)), model.Text(strings.Join(code, "\n"))
	if len(t.Files) > 0 {
		name, line := placeOf(t.Files[0])
		f.File, f.Line = model.Text(strings.TrimSpace(name)), line
	}
	return f
}

// fillers are a template's words for a part that no author has filled.
var fillers = []string{"_None yet._", "_None._", "_Filled during triage._", "- [ ] Behaviour corrected", "- [ ] Tests pass"}

// Unticked returns the acceptance criteria of a body that are not ticked, without those of the template.
func Unticked(body string) []model.Text {
	var out []model.Text
	inside := false
	for line := range strings.SplitSeq(body, "\n") {
		t := strings.TrimSpace(line)
		if strings.HasPrefix(t, "## ") {
			inside = t == "## Acceptance Criteria"
		}
		if what, ok := strings.CutPrefix(t, "- [ ] "); inside && ok && !slices.Contains(fillers, t) {
			out = append(out, model.Text(what))
		}
	}
	return out
}

// spare returns prose without empty sections and without consecutive blank lines.
func spare(lines []string) string {
	var out []string
	heading := ""
	for _, l := range lines {
		t := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(t, "## "):
			heading = strings.TrimSpace(t[3:])
			continue
		case t == "" && (len(out) == 0 || out[len(out)-1] == ""), slices.Contains(fillers, t):
			continue
		case t != "" && heading != "":
			if heading != "Problem Statement" {
				out = append(out, heading+":")
			}
			heading = ""
		}
		out = append(out, strings.TrimRight(l, " \t"))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// Excerpt is the present code around the place of a finding.
type Excerpt struct {
	Place
	// First is the number of the first of Lines, counted from 1. In Lines a tab is four spaces.
	First int
	Lines []model.Text
}

// The number of lines before the place, and in all.
const (
	linesBefore = 4
	linesShown  = 60
)

// ExcerptOf finds a finding's place in the code by its snippet. Without a snippet, or if it is not there, it uses the line number.
func ExcerptOf(e Parts, code string) Excerpt {
	b := Excerpt{Place: locate(code, e.Snippet.Raw(), e.Line)}
	if e.Snippet == "" {
		b.Place = Place{Line: e.Line}
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(code, "\r\n", "\n"), "\n"), "\n")
	b.First = min(max(cmp.Or(b.Line, e.Line)-linesBefore, 1), max(len(lines), 1))
	for _, l := range lines[b.First-1 : min(b.First-1+linesShown, len(lines))] {
		b.Lines = append(b.Lines, model.Text(strings.ReplaceAll(l, "\t", "    ")))
	}
	return b
}

// Place is the position of a finding's snippet in the present code.
type Place struct {
	// Line counts from 1. It is 0 if the snippet is not found.
	Line int
	// Lines is how many lines the snippet has.
	Lines int
	// Changed says that the code differs from the finding's quote, which is not found.
	Changed bool
	// Copies is how often the snippet occurs. If it is above 1, Line is the copy nearest to the hint.
	Copies int
}

// locate finds a quoted snippet in code by its lines, with any indentation. The line number is only a hint to choose among copies.
func locate(code, snippet string, hint int) Place {
	have, want := trimmedLines(code), trimmedLines(strings.TrimSpace(snippet))
	p := Place{Lines: len(want)}
	for i := range len(have) - len(want) + 1 {
		if want[0] == "" || !slices.Equal(have[i:i+len(want)], want) {
			continue
		}
		p.Copies++
		if p.Line == 0 || nearer(i+1, p.Line, hint) {
			p.Line = i + 1
		}
	}
	if p.Copies == 0 {
		return Place{Changed: true}
	}
	return p
}

func nearer(line, than, hint int) bool {
	return hint > 0 && max(line, hint)-min(line, hint) < max(than, hint)-min(than, hint)
}

func trimmedLines(s string) []string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return lines
}
