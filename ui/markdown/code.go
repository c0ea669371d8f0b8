package markdown

import (
	"strings"

	"vise/ui/markdown/layout"
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
	f := &d.fences[b.aux]
	out, known, err := r.coloured(b, f, lines, s)
	var (
		rows      []row
		firstLine int32
	)
	if f.opened == b.From {
		firstLine = 1
		if !known && !isText(f.info) {
			rows = asWritten([]string{f.info}, width, s)
		}
	}
	if out == nil {
		out = plainCode(lines, s)
	}
	return append(rows, codeRows(b, firstLine, out)...), err
}

// coloured are lines of code in colours, nil where they have none, and whether the words
// behind the fence name a language.
func (r *Renderer) coloured(b *Block, f *fence, lines []string, s *Style) (out []string, known bool, err error) {
	const longest = 32 // no language has a longer name
	if f.info == "" || len(f.info) > longest || isText(f.info) {
		return nil, false, nil
	}
	c := layout.Code{Language: f.info, Lines: lines, Look: s.look}
	if f.bytes > maxHighlight {
		c.Lines = nil
	}
	known = true // where it cannot be told, so that nothing is said of it
	out, err = r.run(b, func() (lines []string, err error) {
		lines, known, err = r.engine.Code(c)
		return lines, err
	})
	return out, known, err
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

func isText(info string) bool {
	switch strings.ToLower(info) {
	case "", "text", "txt", "plain", "plaintext", "none":
		return true
	}
	return false
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
