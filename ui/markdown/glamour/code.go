package glamour

import (
	"errors"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"vise/themes"
	"vise/ui/markdown/layout"
)

var errLost = errors.New("lines were lost")

// Code is part of layout.Engine. The language is never guessed from the code: guessing takes
// five times as long as colouring. A lexer's patterns can run wild, and it cannot be cancelled.
func (e *Engine) Code(c layout.Code) ([]string, bool, error) {
	lexer := lexers.Get(c.Language)
	if lexer == nil || len(c.Lines) == 0 {
		return nil, lexer != nil, nil
	}
	out, err := highlight(c.Lines, lexer, e.in(c.Look).paint)
	return out, true, err
}

// highlight colours lines of code.
func highlight(lines []string, lexer chroma.Lexer, s *themes.Styles) ([]string, error) {
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, strings.Join(lines, "\n"))
	if err != nil {
		return nil, err
	}
	var (
		out []string
		row strings.Builder
	)
	for token := tokens(); token != chroma.EOF; token = tokens() {
		paint := paintOf(token.Type, s)
		for i, part := range strings.Split(token.Value, "\n") {
			if i > 0 {
				out = append(out, layout.Styled(row.String()))
				row.Reset()
			}
			if part != "" {
				row.WriteString(paint.Render(part))
			}
		}
	}
	if out = append(out, layout.Styled(row.String())); len(out) < len(lines) {
		return nil, errLost
	}
	return out[:len(lines)], nil
}

// paintOf is how a part of code looks.
func paintOf(t chroma.TokenType, s *themes.Styles) lipgloss.Style {
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
