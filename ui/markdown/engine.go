package markdown

import (
	"errors"

	"vise/themes"
)

// ErrNoEngine says that there is no engine to ask. It passes: a block may be asked for again.
var ErrNoEngine = errors.New("there is no renderer")

// Engine renders Markdown. It may be used by many goroutines. It is an interface because
// Glamour costs a program 16 ms at its start and 25 MB: package glamour links it, and
// Subprocess asks a process that does.
type Engine interface {
	// Ready returns when the engine can be asked at once, or an error that is ErrNoEngine.
	Ready() error
	// Render returns the lines of a source, safe for a terminal: see Styled. It may take long
	// for hostile text.
	Render(Source) ([]string, error)
}

// Source is Markdown to render.
type Source struct {
	Text  string
	Width int // in cells
	Look  Look
}

// Look is the colours and glyphs of what is rendered.
type Look struct {
	Palette themes.Palette
	Glyphs  themes.Glyphs
}

// away is the engine where there is none.
type noEngine struct{}

func (noEngine) Ready() error                    { return ErrNoEngine }
func (noEngine) Render(Source) ([]string, error) { return nil, ErrNoEngine }
