// Package layout is what a document asks of a Markdown library: one paragraph, heading, table
// or piece of code at a time, with nothing around it. Who answers is handed in, because the
// libraries cost a program 16 ms at its start and 25 MB: see packages glamour, which links
// them, and apart, which asks a process that does.
package layout

import (
	"errors"

	"vise/themes"
)

// ErrAway says that nobody could be asked. It passes: what was asked may be asked again.
var ErrAway = errors.New("there is no renderer")

// Engine lays out leaves. It may be used by many goroutines. Lines that it returns are safe
// for a terminal: see Styled.
type Engine interface {
	// Ready returns when the engine can be asked at once, or an error that is ErrAway.
	Ready() error
	// Prose lays out p. It may take long for hostile text.
	Prose(p Prose) ([]string, error)
	// Code colours c, whose lines it returns one for one; none when the language is not known.
	// Of a language without lines it says only whether it is known. It may take long for
	// hostile text.
	Code(c Code) (lines []string, known bool, err error)
}

// Kind is what a piece of prose is.
type Kind uint8

// The kinds of prose.
const (
	Paragraph Kind = iota
	Heading
	Table
)

// Prose is one paragraph, heading or table.
type Prose struct {
	Kind  Kind
	Src   string
	Refs  map[string]Reference // what its labels stand for
	Width int                  // in cells
	Look  Look
}

// Reference is where a link definition leads.
type Reference struct{ Address, Title string }

// Code is lines of code in some language, by the name that stands behind a fence.
type Code struct {
	Language string
	Lines    []string
	Look     Look
}

// Look is what leaves are painted with.
type Look struct {
	Palette themes.Palette
	Glyphs  themes.Glyphs
}

// None is the engine where there is none.
type None struct{}

// Ready is part of Engine.
func (None) Ready() error { return ErrAway }

// Prose is part of Engine.
func (None) Prose(Prose) ([]string, error) { return nil, ErrAway }

// Code is part of Engine.
func (None) Code(Code) ([]string, bool, error) { return nil, false, ErrAway }
