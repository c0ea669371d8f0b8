package markdown

import (
	"errors"

	"vise/themes"
)

// ErrNoEngine says that no engine is available. That can change, so a block can be tried again.
var ErrNoEngine = errors.New("there is no renderer")

// Engine renders Markdown. Goroutines can share it. It is an interface because Glamour costs a program 16 ms at its start and 25 MB of
// memory: package glamour links it, and Subprocess uses another process that does.
type Engine interface {
	// Ready returns when the engine can render without delay, or an error that is ErrNoEngine.
	Ready() error
	// Render returns the lines of a source, safe for a terminal (see Styled). It can take long for hostile text.
	Render(Source) ([]string, error)
}

// Source is Markdown to render.
type Source struct {
	Text  string
	Width int // in cells
	// Number is the number of the list item that the text begins with, if it is one of a numbered list.
	Number  int
	Palette themes.Palette
}

// noEngine is used if there is no engine.
type noEngine struct{}

func (noEngine) Ready() error                    { return ErrNoEngine }
func (noEngine) Render(Source) ([]string, error) { return nil, ErrNoEngine }
