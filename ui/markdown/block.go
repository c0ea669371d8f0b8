package markdown

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"vise/ui/text"
)

const (
	// minWidth is the narrowest column in which text is laid out. A narrower pane cuts the text.
	minWidth = 8
	// maxCells bounds a line of code, which is not wrapped but scrolled sideways.
	maxCells = 2000
	// maxLine bounds how many bytes of such a line are read: 4 bytes a cell, and marks.
	maxLine = 8 * maxCells
	// codeMargin is the number of cells before a line of code.
	codeMargin = 2
)

// render renders one block of d in width columns, as at least one row. If the block is shown as written instead, the error gives the
// reason.
func (r *Renderer) render(d *Document, b *block, width int, s *Style) ([]row, error) {
	rows, err := r.rows(d, b, max(width-int(b.indent), minWidth), s)
	margin := strings.Repeat(" ", int(b.indent))
	for i := range rows {
		rows[i].text = margin + rows[i].text
	}
	return rows, err
}

func (r *Renderer) rows(d *Document, b *block, width int, s *Style) ([]row, error) {
	lines := d.text(b)
	for i := range lines {
		lines[i] = text.Safe(lines[i], s.clusters)
	}
	switch b.kind {
	case frontMatter:
		words := fmt.Sprintf("front matter, %d lines", b.to-b.from+1)
		return []row{{text: s.paint.Muted.Paint(words), to: b.to - b.from}}, nil
	case plain:
		return asWritten(lines, width, s), nil
	}
	src := Source{Width: width, Palette: s.palette, Number: int(b.number) - 1}
	if b.kind == fence {
		src.Width = codeWidth(lines, width)
	}
	src.Text = d.header(b) + strings.Join(lines, "\n")
	if isFootnote(src.Text) {
		src.Text = "\\" + src.Text // else it would be the address of a link
	}
	src.Text += "\n" + d.definitions(src.Text)
	out, err := r.run(b, func() ([]string, error) { return r.engine.Render(src) })
	for i := range out {
		out[i] = text.Safe(out[i], s.clusters)
	}
	if err != nil || len(out) == 0 || hides(lines, out) {
		return asWritten(lines, width, s), err
	}
	rows := align(lines, out)
	if b.kind == fence {
		alignCode(b, rows, len(lines))
	}
	for i := range rows {
		rows[i].text = text.Cut(rows[i].text, maxCells)
		rows[i].wide = b.kind == fence || text.Width(rows[i].text) > width
	}
	return rows, nil
}

// codeWidth cuts lines of code to what can be shown, and returns a width in which none of them is wrapped.
func codeWidth(lines []string, width int) int {
	for i, line := range lines {
		if len(line) > maxLine {
			line = line[:breakAt(line, maxLine)]
		}
		lines[i] = text.Cut(line, maxCells-codeMargin)
		width = max(width, text.Width(lines[i])+codeMargin)
	}
	return width
}

// alignCode matches the rows of a fence to its source lines, one row for each line of code. It does not if the name of the language is
// shown before them.
func alignCode(b *block, rows []row, lines int) {
	first := int32(1)
	if b.part {
		first = 0
	}
	if len(rows)+int(first) > lines {
		return
	}
	for i := range rows {
		at := min(int32(i)+first, b.to-b.from)
		rows[i].from, rows[i].to = at, at
	}
}

// asWritten shows source lines unchanged, wrapped.
func asWritten(lines []string, width int, s *Style) []row {
	var rows []row
	for i, line := range lines {
		for _, part := range text.Wrap(line, width) {
			rows = append(rows, row{text: s.paint.Muted.Paint(part), from: int32(i), to: int32(i)})
		}
	}
	return rows
}

// notShown matches what a renderer rightly leaves out: the number of a list item and the tick in its box, the language after a fence, the
// label of a link's definition, and the name of a character.
var notShown = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(?m)^[ >]*(\\d{1,9}[.)]|[-*+]) (\\[[xX]\\] )?|" +
		"^[ >]*(```+|~~~+) *[^ `]{0,32}$|\\]\\[[^\\]]*\\]|&#?\\w{1,32};")
})

// hides reports whether letters of a source are missing from its rows. Glamour drops text that has no place in its output, such as table
// cells without a column, and shortens words.
func hides(source, rows []string) bool {
	count := map[rune]int{}
	for _, r := range lettersOf(notShown().ReplaceAllString(strings.Join(source, "\n"), "")) {
		count[r]++
	}
	for _, line := range rows {
		for _, r := range lettersOf(plainText(line)) {
			count[r]--
		}
	}
	for _, n := range count {
		if n > 0 {
			return true
		}
	}
	return false
}

// row is one line of a rendered block and the source lines that it shows, counted from the block's first.
type row struct {
	text     string
	from, to int32
	wide     bool // may be wider than the pane
}

// align finds the source lines of each rendered line, from the letters that both have in the same order, because Glamour does not report
// them. It leaves out no source line.
func align(source, rendered []string) []row {
	rows := make([]row, len(rendered))
	all, starts := letters(source)
	at := 0
	for i, line := range rendered {
		rows[i].text = line
		if len(source) == 1 {
			continue
		}
		here := lettersOf(plainText(line))
		if n := strings.Index(all[at:], here[:min(len(here), keyLength)]); n > 0 && here != "" {
			at += n
		}
		last := min(at+max(len(here)-1, 0), max(len(all)-1, 0))
		rows[i].from, rows[i].to = lineOf(starts, at), lineOf(starts, last)
		if i == 0 {
			rows[i].from = 0
		} else {
			rows[i].from = min(rows[i].from, rows[i-1].to+1)
		}
		rows[i].to = max(rows[i].to, rows[i].from)
		at = min(at+len(here)*3/4, len(all)) // not all of it: a mark can have become a letter
	}
	rows[len(rows)-1].to = int32(len(source) - 1)
	return rows
}

// keyLength is how many bytes of letters identify a rendered line in its source.
const keyLength = 24

// letters returns the letters and digits of lines, and where those of each line begin.
func letters(lines []string) (all string, starts []int) {
	var b strings.Builder
	for _, line := range lines {
		starts = append(starts, b.Len())
		b.WriteString(lettersOf(line))
	}
	return b.String(), starts
}

func plainText(line string) string { return ansi.Strip(line) }

func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// lineOf returns the last line that begins at or before at.
func lineOf(starts []int, at int) int32 {
	return int32(max(sort.SearchInts(starts, at+1)-1, 0))
}
