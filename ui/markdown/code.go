package markdown

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"

	"charm.land/lipgloss/v2"
	"vise/ui/text"
)

const (
	// maxHighlight bounds the code block that is coloured: a lexer takes 5 ms a KB.
	maxHighlight = 8 << 10
	// maxCells bounds a line of code, which is not wrapped but scrolled sideways.
	maxCells = 2000
	// maxLine bounds what is read of such a line: 4 bytes a cell, and marks.
	maxLine = 8 * maxCells
)

// code lays out a block of code, a row a line. Words behind the fence that name no
// language come first, because they would be hidden otherwise.
func (r *Renderer) code(d *Document, b *Block, lines []string, width int, s *Style) ([]row, error) {
	if b.Kind == Code {
		return codeRows(b, 0, plainCode(lines, s)), nil
	}
	var (
		f         = &d.fences[b.aux]
		lexer     = lexerOf(f.info)
		rows      []row
		out       []string
		err       error
		firstLine int32
	)
	if f.opened == b.From {
		firstLine = 1
		if lexer == nil && !isText(f.info) {
			rows = asWritten([]string{f.info}, width, s)
		}
	}
	if lexer != nil && f.bytes <= maxHighlight {
		out, err = r.run(b, func() ([]string, error) { return highlight(lines, lexer, s) })
	}
	if out == nil {
		out = plainCode(lines, s)
	}
	return append(rows, codeRows(b, firstLine, out)...), err
}

func codeRows(b *Block, firstLine int32, lines []string) []row {
	const margin = "  "
	rows := make([]row, len(lines))
	for i, line := range lines {
		at := min(int32(i)+firstLine, b.To-b.From)
		rows[i] = row{text: text.Cut(margin+line, maxCells), from: at, to: at, wide: true}
	}
	return rows
}

// lexerOf is the lexer for what stands behind a fence, nil for none. It is never guessed
// from the code: guessing takes five times as long as colouring.
func lexerOf(info string) chroma.Lexer {
	const longest = 32
	if info == "" || len(info) > longest || isText(info) {
		return nil
	}
	return lexers.Get(info)
}

func isText(info string) bool {
	switch strings.ToLower(info) {
	case "", "text", "txt", "plain", "plaintext", "none":
		return true
	}
	return false
}

// highlight colours lines of code. A lexer's patterns can run wild: call it through a guard.
func highlight(lines []string, lexer chroma.Lexer, s *Style) ([]string, error) {
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, strings.Join(lines, "\n"))
	if err != nil {
		return nil, err
	}
	var (
		out []string
		row strings.Builder
	)
	for token := tokens(); token != chroma.EOF; token = tokens() {
		paint := s.token(token.Type)
		for i, part := range strings.Split(token.Value, "\n") {
			if i > 0 {
				out = append(out, Styled(row.String()))
				row.Reset()
			}
			if part != "" {
				row.WriteString(paint.Render(part))
			}
		}
	}
	if out = append(out, Styled(row.String())); len(out) < len(lines) {
		return nil, errLost
	}
	return out[:len(lines)], nil
}

// token is how a part of code looks.
func (s *Style) token(t chroma.TokenType) lipgloss.Style {
	switch {
	case t.InCategory(chroma.Comment):
		return s.paint.Muted
	case t.InCategory(chroma.Keyword):
		return s.paint.Accent
	case t.InSubCategory(chroma.LiteralString):
		return s.paint.Queued
	case t.InSubCategory(chroma.LiteralNumber):
		return s.paint.Triggered
	case t == chroma.GenericInserted:
		return s.paint.Added
	case t == chroma.GenericDeleted:
		return s.paint.Removed
	}
	return s.paint.Text
}

// plainCode is lines of code in the colour of text, the longest cut.
func plainCode(lines []string, s *Style) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if line = cutLine(line); line != "" {
			out[i] = s.paint.Text.Render(line)
		}
	}
	return out
}

// cutLine is what is shown of a line of code.
func cutLine(line string) string {
	if len(line) <= maxCells {
		return line
	}
	if len(line) > maxLine {
		line = line[:breakAt(line, maxLine)]
	}
	return text.Cut(line, maxCells)
}
