package markdown

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"vise/ui/markdown/layout"
	"vise/ui/text"
)

// minWidth is the narrowest column that text is laid out in; what is narrower is cut.
const minWidth = 8

// proseKind is what a block is to an engine, where that is not a paragraph.
var proseKind = map[Kind]layout.Kind{Heading: layout.Heading, Table: layout.Table}

// lay lays out one block of d in width columns. The error says why it is shown as
// written, if it is.
func (r *Renderer) lay(d *Document, b *Block, width int, s *Style) ([]row, error) {
	first, others, cells := d.margins(b, s)
	inner := max(width-cells, minWidth)
	rows, err := r.leaf(d, b, inner, s)
	for i := range rows {
		margin := others
		if i == 0 {
			margin = first
		}
		rows[i].text = margin + text.Safe(rows[i].text, s.clusters)
	}
	return rows, err
}

// leaf lays out a block without its margins; there is at least one row.
func (r *Renderer) leaf(d *Document, b *Block, width int, s *Style) ([]row, error) {
	if b.Kind == FrontMatter {
		words := fmt.Sprintf("front matter, %d lines", b.To-b.From+1)
		return []row{{text: s.paint.Muted.Render(words), to: b.To - b.From}}, nil
	}
	lines := d.text(b)
	switch b.Kind {
	case Rule:
		return []row{{text: s.paint.Faint.Render(strings.Repeat(s.rule, width))}}, nil
	case Fence, Code:
		return r.code(d, b, lines, width, s)
	case HTML, Definition, Plain:
		return asWritten(lines, width, s), nil
	}
	if box, after, ok := task(d, b, lines[0]); ok {
		lines[0] = after
		rows, err := r.prose(d, b, lines, width-len(box), s)
		for i := range rows {
			margin := box
			if i > 0 {
				margin = strings.Repeat(" ", len(box))
			}
			rows[i].text = margin + rows[i].text
		}
		return rows, err
	}
	return r.prose(d, b, lines, width, s)
}

// prose lays out a paragraph, a heading or a table.
func (r *Renderer) prose(d *Document, b *Block, lines []string, width int, s *Style) ([]row, error) {
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " ") // which says nothing here, but to Glamour
	}
	src := strings.Join(lines, "\n")
	if b.Kind != Table && isPlainProse(src) {
		if b.Kind == Paragraph {
			return wrapped(lines, src, width, s.paint.Text), nil
		} else if len(lines) == 1 && !strings.HasSuffix(src, "#") {
			return wrapped(lines, src, width, s.paint.Key), nil
		}
	}
	if b.Kind == Table {
		head := d.tableHead(b)
		if b.part {
			src = head + src
		}
		if !fitsTable(head, lines) {
			return asWritten(lines, width, s), nil
		}
	}
	p := layout.Prose{Kind: proseKind[b.Kind], Src: src, Refs: d.references(src), Width: width, Look: s.look}
	out, err := r.run(b, func() ([]string, error) { return r.engine.Prose(p) })
	if err != nil {
		return asWritten(lines, width, s), err
	}
	const cut = "…" // Glamour shortens a table's words that are too wide
	if len(out) == 0 || b.Kind == Table && strings.Count(strings.Join(out, ""), cut) > strings.Count(src, cut) {
		return asWritten(lines, width, s), nil
	}
	return align(lines, out), nil
}

// wrapped is prose without marks, which needs no Glamour.
func wrapped(lines []string, src string, width int, paint lipgloss.Style) []row {
	out := text.Wrap(strings.ReplaceAll(src, "\n", " "), width)
	rows := align(lines, out)
	for i := range rows {
		if rows[i].text != "" {
			rows[i].text = paint.Render(rows[i].text)
		}
	}
	return rows
}

// asWritten shows source lines as they are, wrapped.
func asWritten(lines []string, width int, s *Style) []row {
	var rows []row
	for i, line := range lines {
		for _, part := range text.Wrap(line, width) {
			if part != "" {
				part = s.paint.Muted.Render(part)
			}
			rows = append(rows, row{text: part, from: int32(i), to: int32(i)})
		}
	}
	return rows
}

// tableHead is the header of the table that b is a part of.
func (d *Document) tableHead(b *Block) string {
	head, rest, _ := strings.Cut(d.src[b.aux:], "\n")
	rule, _, _ := strings.Cut(rest, "\n")
	return head + "\n" + strip(rule, d.path(b)) + "\n"
}

// fitsTable reports whether a table can be laid out so that all its cells are seen: a
// cell without a column is left out by the rules of GitHub's Markdown.
func fitsTable(head string, rows []string) bool {
	const most = 40 // columns; a screen has no room for more, and their widths take long to balance
	columns := cells(head[strings.IndexByte(head, '\n')+1:])
	if columns > most {
		return false
	}
	for _, row := range rows {
		if cells(row) > columns {
			return false
		}
	}
	return true
}

// cells counts the cells of a table's row.
func cells(row string) int {
	row = strings.TrimSpace(row)
	n := strings.Count(row, "|") - strings.Count(row, `\|`) + 1
	if strings.HasPrefix(row, "|") {
		n--
	}
	if strings.HasSuffix(row, "|") && !strings.HasSuffix(row, `\|`) {
		n--
	}
	return n
}

// task takes the box of a task from the first line of a list item.
func task(d *Document, b *Block, line string) (box, after string, ok bool) {
	if b.Kind != Paragraph || b.fresh == 0 || d.nests[b.nest].indent == 0 || len(line) < 4 || line[3] != ' ' {
		return "", line, false
	}
	switch line[:3] {
	case "[ ]":
		return "[ ] ", line[4:], true
	case "[x]", "[X]":
		return "[x] ", line[4:], true
	}
	return "", line, false
}

// margins are what stands before the first row of b and before its other rows, for the
// containers that it is in, and how many cells they take.
func (d *Document) margins(b *Block, s *Style) (first, others string, cells int) {
	path := d.path(b)
	var f, o strings.Builder
	for i, n := range path {
		mark := s.bullet
		switch {
		case n.indent == 0:
			bar := s.paint.Faint.Render(s.bar) + " "
			f.WriteString(bar)
			o.WriteString(bar)
			cells += 2
			continue
		case len(n.marker) > 1:
			mark = ordinal(n.marker)
		}
		width := text.Width(mark) + 1
		blank := strings.Repeat(" ", width)
		if i >= len(path)-int(b.fresh) {
			f.WriteString(s.paint.Accent.Render(mark) + " ")
		} else {
			f.WriteString(blank)
		}
		o.WriteString(blank)
		cells += width
	}
	return f.String(), o.String(), cells
}

// ordinal is a number's mark, without leading zeros.
func ordinal(marker string) string {
	n, err := strconv.Atoi(marker[:len(marker)-1])
	if err != nil {
		return marker
	}
	return strconv.Itoa(n) + "."
}
