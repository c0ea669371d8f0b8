package markdown

import (
	"vise/ui/markdown/glamour"
	"vise/ui/markdown/layout"
)

// whole is what lays out leaves where a program has all in one.
var whole = glamour.New()

// asked is an engine whose prose is laid out by a function.
type asked func(layout.Prose) ([]string, error)

func (asked) Ready() error                                               { return nil }
func (a asked) Prose(p layout.Prose) ([]string, error)                   { return a(p) }
func (asked) Code(c layout.Code) (lines []string, known bool, err error) { return whole.Code(c) }
