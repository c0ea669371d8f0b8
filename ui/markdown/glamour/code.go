package glamour

import (
	"io"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters"
	"github.com/alecthomas/chroma/v2/lexers"

	"vise/themes"
)

// formatter is the name of a chroma formatter that paints code in the colours of a palette, also with sixteen colours or none.
const formatter = "palette"

// painter is locked while a block is rendered, because chroma finds a formatter only by its name. It keeps the styles of the last palette.
var painter struct {
	sync.Mutex
	palette themes.Palette
	styles  *themes.Styles
}

func init() {
	lexers.Register(verbatim{})
	formatters.Register(formatter, chroma.FormatterFunc(func(w io.Writer, _ *chroma.Style, tokens chroma.Iterator) error {
		for token := tokens(); token != chroma.EOF; token = tokens() {
			for i, part := range strings.Split(token.Value, "\n") {
				if part = paintOf(token.Type, painter.styles).Paint(part); i > 0 {
					part = "\n" + part
				}
				if _, err := io.WriteString(w, part); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// verbatim is the lexer for code in no known language. chroma's own lexers apply a pattern to each line.
type verbatim struct{ chroma.Lexer }

const noLanguage = "verbatim"

func (verbatim) Config() *chroma.Config { return &chroma.Config{Name: noLanguage} }

func (l verbatim) SetRegistry(*chroma.LexerRegistry) chroma.Lexer { return l }

func (verbatim) Tokenise(_ *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	return chroma.Literator(chroma.Token{Type: chroma.Text, Value: text}), nil
}

// paintOf returns the style of a part of code.
func paintOf(t chroma.TokenType, s *themes.Styles) themes.Ink {
	switch {
	case t.InCategory(chroma.Comment):
		return s.Muted
	case t.InCategory(chroma.Keyword):
		return s.Accent
	case t.InSubCategory(chroma.LiteralString):
		return s.Queued
	case t.InSubCategory(chroma.LiteralNumber):
		return s.Triggered
	case t == chroma.GenericInserted:
		return s.Added
	case t == chroma.GenericDeleted:
		return s.Removed
	}
	return s.Text
}
