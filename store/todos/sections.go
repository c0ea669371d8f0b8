package todos

import (
	"strings"

	"vise/model"
	"vise/model/todo"
)

// historyTable opens a Status History.
var historyTable = []string{
	historyHeading, "",
	"| Timestamp | From | To | Actor | Reason |",
	"|-----------|------|----|-------|--------|",
}

// addRows puts rows behind the last row of the Status History; a body without one gets it
// at its end.
func addRows(body string, rows []todo.Row, eol string) string {
	o := outlineOf(body)
	at := -1
	if o.historyAt >= 0 {
		at = tableEnd(body, o.historyAt)
	}
	lines := make([]string, 0, len(rows)+len(historyTable))
	if at < 0 {
		at = len(body)
		if body == "" || strings.TrimSpace(body) != "" {
			lines = append(lines, "")
		}
		lines = append(lines, historyTable...)
	}
	for _, r := range rows {
		lines = append(lines, r.Line())
	}
	return insert(body, at, lines, eol)
}

// tableEnd is the offset behind the last line of the table below a heading, or -1.
func tableEnd(body string, heading int) int {
	end := -1
	line, rest := cutLine(body[heading:])
	for at := heading + len(line); rest != ""; {
		line, rest = cutLine(rest)
		at += len(line)
		if isSection(line) {
			break
		}
		if strings.HasPrefix(strings.TrimSpace(line), "|") {
			end = at
		}
	}
	return end
}

// addNote puts an entry at the end of the Work Log; a body without one gets it before the
// Status History, which is always last.
func addNote(body string, n todo.Note, eol string) string {
	o := outlineOf(body)
	lines := noteLines(n)
	switch {
	case o.workEnd >= 0:
		at := len(strings.TrimRight(body[:o.workEnd], " \t\r\n"))
		at += len(lineBreak(body[at:]))
		return insert(body, at, append([]string{""}, lines...), eol)
	case o.historyAt >= 0:
		return insert(body, o.historyAt, append(append([]string{workHeading, ""}, lines...), ""), eol)
	}
	return insert(body, len(body), append([]string{"", workHeading, ""}, lines...), eol)
}

func lineBreak(s string) string {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return "\r\n"
	case strings.HasPrefix(s, "\n"):
		return "\n"
	}
	return ""
}

// insert puts whole lines at an offset; a line that was not ended there is ended first.
func insert(body string, at int, lines []string, eol string) string {
	text := strings.Join(lines, eol) + eol
	if at > 0 && body[at-1] != '\n' {
		text = eol + text
	}
	return body[:at] + text + body[at:]
}

func noteLines(n todo.Note) []string {
	lines := []string{"### " + todo.Day(n.At).Raw() + " - " + todo.OneLine(n.Phase.Raw()), "", "**By**: " + todo.OneLine(n.By.Raw())}
	if n.Source != "" {
		lines = append(lines, "**Source**: "+todo.OneLine(n.Source.Raw()))
	}
	lines = appendList(lines, "Actions", n.Actions)
	return appendList(lines, "Learnings", n.Learnings)
}

func appendList(lines []string, name string, items []model.Text) []string {
	if len(items) == 0 {
		return lines
	}
	lines = append(lines, "", "**"+name+"**:")
	for _, s := range items {
		lines = append(lines, "- "+todo.OneLine(s.Raw()))
	}
	return lines
}
