package todo

import (
	"strings"

	"vise/model"
)

// Excerpt is the code as it is now, around the place that a finding speaks of.
type Excerpt struct {
	Place
	// First is the number of the first of Lines, counted from 1. Tabs are four spaces in them.
	First int
	Lines []model.Text
}

// How much code is shown before the place, and in all.
const (
	linesBefore = 4
	linesShown  = 60
)

// ExcerptOf finds a finding's place in the code by its snippet; without one, and where
// nothing of it is left, the line number is all there is to go by.
func ExcerptOf(e Parts, code string) Excerpt {
	b := Excerpt{Place: Locate(code, e.Snippet.Raw(), e.Line)}
	if e.Snippet == "" {
		b.Place = Place{Line: e.Line}
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(code, "\r\n", "\n"), "\n"), "\n")
	at := b.Line
	if at == 0 {
		at = e.Line
	}
	b.First = min(max(at-linesBefore, 1), max(len(lines), 1))
	for _, l := range lines[b.First-1 : min(b.First-1+linesShown, len(lines))] {
		b.Lines = append(b.Lines, model.Text(strings.ReplaceAll(l, "\t", "    ")))
	}
	return b
}
