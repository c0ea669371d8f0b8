package todos

import (
	"hash/maphash"
	"strings"

	"vise/model"
	"vise/model/todo"
)

// In the sections of the history and of the work nothing is ever removed.
const (
	historyHeading = "## Status History"
	workHeading    = "## Work Log"
	problemHeading = "## Problem Statement"
)

// outline holds positions in a body. Offsets are in bytes from its start; -1 means none.
type outline struct {
	title string
	// historyAt is the start of the last Status History heading's line.
	historyAt int
	// workEnd is the end of the Work Log's section, where an entry can be added.
	workEnd int
	// problem is the text of the Problem Statement.
	problem string
	// lastWork is the date in the last "### 2026-02-25 - Phase" of the Work Log.
	lastWork string
}

// outlineOf scans a body once. It ignores headings in fenced code, unless the fence is never closed: then nothing counts as code.
func outlineOf(body string) outline {
	o, closed := scan(body, true)
	if !closed {
		o, _ = scan(body, false)
	}
	return o
}

func scan(body string, fences bool) (o outline, closed bool) {
	o = outline{historyAt: -1, workEnd: -1}
	fence, inWork, problemAt := "", false, -1
	for at, rest := 0, body; rest != ""; {
		line, after := cutLine(rest)
		text := strings.TrimRight(line, " \t\r\n")
		if fences {
			fence = fenceAfter(fence, text)
		}
		if fence == "" && strings.HasPrefix(text, "#") {
			if inWork && strings.HasPrefix(text, "### ") {
				o.lastWork, _, _ = strings.Cut(strings.TrimPrefix(text, "### "), " ")
			}
			if isSection(text) {
				if problemAt >= 0 {
					o.problem, problemAt = body[problemAt:at], -1
				}
				if inWork = text == workHeading; text == problemHeading {
					problemAt = at + len(line)
				}
			}
			switch {
			case text == historyHeading:
				o.historyAt = at
			case o.title == "" && strings.HasPrefix(text, "# "):
				o.title = strings.TrimSpace(text[2:])
			}
		}
		at, rest = at+len(line), after
		if inWork {
			o.workEnd = at
		}
	}
	if problemAt >= 0 {
		o.problem = body[problemAt:]
	}
	return o, fence == ""
}

func isSection(text string) bool {
	return strings.HasPrefix(text, "# ") || strings.HasPrefix(text, "## ")
}

// fenceAfter returns the fence that is open after a line, or "".
func fenceAfter(open, text string) string {
	trimmed := strings.TrimLeft(text, " ")
	for _, mark := range []string{"`", "~"} {
		run := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, mark))]
		switch {
		case len(run) < 3:
		case open == "":
			return run
		case strings.HasPrefix(run, open) && run == trimmed:
			return ""
		}
	}
	return open
}

// history returns the rows of the Status History.
func history(body string, o outline) []todo.Row {
	if o.historyAt < 0 {
		return nil
	}
	var rows []todo.Row
	// A copy, so that a todo does not keep its whole file in memory.
	_, rest := cutLine(strings.Clone(body[o.historyAt:]))
	for rest != "" {
		var line string
		line, rest = cutLine(rest)
		if isSection(line) {
			break
		}
		if r, ok := todo.ParseRow(line); ok {
			rows = append(rows, r)
		}
	}
	return rows
}

func bodyFacts(t *todo.Todo, body string) {
	o := outlineOf(body)
	if o.title != "" {
		t.Title = model.Text(strings.Clone(o.title))
	}
	t.History, t.LastWork = history(body, o), model.Text(strings.Clone(o.lastWork))
	t.Said = maphash.Comparable(seed, [2]string{o.title, strings.TrimSpace(o.problem)})
}

// historyTable is the beginning of a Status History.
var historyTable = []string{
	historyHeading, "",
	"| Timestamp | From | To | Actor | Reason |",
	"|-----------|------|----|-------|--------|",
}

// addRows adds rows after the last row of the Status History. A body without one gets it at its end.
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

// tableEnd is the offset after the last line of the table below a heading, or -1.
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

// addNote adds an entry at the end of the Work Log. A body without one gets it before the Status History, which is always last.
func addNote(body string, n todo.Note, eol string) string {
	o := outlineOf(body)
	lines := noteLines(n)
	switch {
	case o.workEnd >= 0:
		at := len(strings.TrimRight(body[:o.workEnd], " \t\r\n"))
		line, _ := cutLine(body[at:])
		at += len(line)
		return insert(body, at, append([]string{""}, lines...), eol)
	case o.historyAt >= 0:
		return insert(body, o.historyAt, append(append([]string{workHeading, ""}, lines...), ""), eol)
	}
	return insert(body, len(body), append([]string{"", workHeading, ""}, lines...), eol)
}

// insert puts whole lines at an offset. If the line before has no line break, it gets one first.
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
