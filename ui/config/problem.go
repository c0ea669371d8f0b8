package config

import (
	"fmt"
	"strings"

	"vise/model"
)

// Problem is one thing that is wrong with a file. All words of it are safe on a terminal.
type Problem struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Path is where in the file: notifications.via.
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	// Advice is set for what is read all the same.
	Advice bool `json:"advice,omitempty"`
}

// String is the problem on one line, with its place.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at += fmt.Sprintf(":%d", p.Line)
	}
	s := at + ": " + p.Message
	if p.Path != "" {
		s = at + ": " + p.Path + ": " + p.Message
	}
	if p.Hint != "" {
		s += "; " + p.Hint
	}
	return model.Text(s).String()
}

// Problems are all that is wrong, the first in a file first.
type Problems []Problem

// Error is part of error: the first problem, and how many more there are.
func (p Problems) Error() string {
	if len(p) == 1 {
		return p[0].String()
	}
	return fmt.Sprintf("%s (and %d more: vise config check)", p[0], len(p)-1)
}

// Bad are the problems that keep a file from being used.
func (p Problems) Bad() Problems {
	var out Problems
	for _, x := range p {
		if !x.Advice {
			out = append(out, x)
		}
	}
	return out
}

// nearest is the name that was probably meant, or nothing.
func nearest(name string, known []string) string {
	best, far := "", 3
	for _, k := range known {
		d := distance(strings.ToLower(name), k)
		if strings.HasPrefix(k, name) && len(name) > 2 {
			d = min(d, 2)
		}
		if d < far && d < max(len(k), 2) {
			best, far = k, d
		}
	}
	return best
}

// maxName bounds the names that are compared letter by letter.
const maxName = 64

// distance is how many letters must be changed, added or taken away to make b of a.
func distance(a, b string) int {
	if len(a) > maxName || len(b) > maxName {
		return maxName
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(diagonal+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}

func meant(name string, known []string) string {
	if n := nearest(name, known); n != "" {
		return "do you mean " + n + "?"
	}
	if len(known) > 0 && len(known) <= 12 {
		return "there are " + strings.Join(known, ", ")
	}
	return ""
}
