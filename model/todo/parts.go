package todo

import (
	"strconv"
	"strings"

	"vise/model"
)

// Parts is a todo's text, taken apart for whoever compares it with the code.
type Parts struct {
	// Problem is what is wrong, in words: the text without headings that only the todo's own
	// life concerns.
	Problem model.Text
	// Snippet is the code that the finding quotes; empty when it quotes none.
	Snippet model.Text
	// File and Line are where it was seen; the line is a hint, 0 when it was not told.
	File model.Text
	Line int
}

// PartsOf takes a todo's body apart. The snippet is the first block of fenced code.
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
		name, line, _ := strings.Cut(t.Files[0].Raw(), ":")
		first, _, _ := strings.Cut(line, "-")
		f.Line, _ = strconv.Atoi(first)
		f.File = model.Text(strings.TrimSpace(name))
	}
	return f
}

// fillers are what a template puts where nobody has written anything.
var fillers = []string{"_None yet._", "_None._", "_Filled during triage._", "- [ ] Behaviour corrected", "- [ ] Tests pass"}

// spare is prose without sections that hold nothing, and without blank lines in a row.
func spare(lines []string) string {
	var out []string
	heading := ""
	for _, l := range lines {
		t := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(t, "## "):
			heading = strings.TrimSpace(t[3:])
			continue
		case t == "" && (len(out) == 0 || out[len(out)-1] == ""), filler(t):
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

func filler(s string) bool {
	for _, f := range fillers {
		if s == f {
			return true
		}
	}
	return false
}
