package config

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/text"
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

func meant(name string, known []string) string {
	if n := text.Nearest(name, known); n != "" {
		return "do you mean " + n + "?"
	}
	if len(known) > 0 && len(known) <= 12 {
		return "there are " + strings.Join(known, ", ")
	}
	return ""
}
