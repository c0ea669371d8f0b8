package config

import (
	"fmt"
	"strings"

	"vise/model"
	"vise/ui/text"
)

// Problem is one thing that is wrong with a file. Its words are safe on a terminal.
type Problem struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Path is the setting's path, such as notifications.via.
	Path    string `json:"path,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// String returns the problem on one line, with its place.
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

// Problems are all problems, in the order of each file.
type Problems []Problem

// Error implements error: the first problem, and the number of others.
func (p Problems) Error() string {
	if len(p) == 1 {
		return p[0].String()
	}
	return fmt.Sprintf("%s (and %d more: vise admin config check)", p[0], len(p)-1)
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
