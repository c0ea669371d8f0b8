package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/term"

	"vise/model"
	"vise/themes"
	"vise/ui/action"
	"vise/ui/text"
)

// page collects what is written for people. Everything on it is safe on a terminal: texts
// from outside get here through model.Text's String.
type page struct {
	b strings.Builder
	// styles are nil without colours.
	styles *themes.Styles
	// width is the terminal's, or 0 where lines may have any length.
	width int
	now   time.Time
}

// page is an empty page for this run's output. It never asks the terminal anything: its
// colours are the terminal's own sixteen.
func (a *app) page() *page {
	p := &page{now: a.now()}
	if !a.ttyOut {
		return p
	}
	if w, _, err := term.GetSize(os.Stdout.Fd()); err == nil {
		p.width = w
	}
	if a.colours() {
		palette, _ := themes.ByName("ansi16")
		p.styles = palette.Styles()
	}
	return p
}

// colours reports whether the output may be coloured.
func (a *app) colours() bool {
	return a.ttyOut && !a.flags.noColor && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

func (p *page) flush(w io.Writer) error {
	_, err := io.WriteString(w, p.b.String())
	return err
}

// line writes one line. Arguments of type model.Text are made safe by fmt itself.
func (p *page) line(format string, args ...any) {
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// paint colours s by what it means; plain without colours.
func (p *page) paint(s string, style func(*themes.Styles) lipgloss.Style) string {
	if p.styles == nil || s == "" {
		return s
	}
	return style(p.styles).Render(s)
}

func (p *page) strong(s string) string {
	return p.paint(s, func(s *themes.Styles) lipgloss.Style { return s.Strong })
}

func (p *page) muted(s string) string {
	return p.paint(s, func(s *themes.Styles) lipgloss.Style { return s.Muted })
}

// class colours s as the class is coloured everywhere.
func (p *page) class(c model.Class, s string) string { return p.paint(s, action.MarkOf(c).Style) }

// className is a class in a word, and its mark.
func className(c model.Class) (mark, name string) {
	l := action.MarkOf(c)
	return l.Mark(&themes.Unicode), l.Word
}

// age is how long ago t was.
func (p *page) age(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return text.Age(p.now.Sub(t))
}

// when spells an instant for people, in their own time.
func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// cell is one field of a table.
type cell struct {
	text string
	// paint colours the cell after it was measured; nil does not.
	paint func(string) string
}

// table writes rows of equal length, aligned by width on screen. The column wide takes
// what the terminal has left and is cut there; the last column is not padded.
func (p *page) table(wide int, rows [][]cell) {
	if len(rows) == 0 {
		return
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], text.Width(c.text))
		}
	}
	if p.width > 0 {
		widths[wide] = min(widths[wide], max(minWide, p.width-sum(widths)+widths[wide]-gap*(len(widths)-1)))
	}
	for _, row := range rows {
		p.row(row, widths, wide)
	}
}

const (
	// gap is the space between two columns, minWide the least that the wide one is cut to.
	gap     = 2
	minWide = 20
)

func (p *page) row(row []cell, widths []int, wide int) {
	var line strings.Builder
	for i, c := range row {
		s := c.text
		if i == wide {
			s = text.Cut(s, widths[i])
		}
		fill := widths[i] - text.Width(s) + gap
		if c.paint != nil {
			s = c.paint(s)
		}
		line.WriteString(s)
		if i < len(row)-1 {
			line.WriteString(strings.Repeat(" ", fill))
		}
	}
	p.b.WriteString(strings.TrimRight(line.String(), " "))
	p.b.WriteByte('\n')
}

func sum(list []int) int {
	total := 0
	for _, n := range list {
		total += n
	}
	return total
}

// plainTable writes rows of texts as a table: the first column is strong, the third muted.
func (p *page) plainTable(wide int, rows [][]string) {
	paints := []func(string) string{p.strong, nil, p.muted}
	cells := make([][]cell, len(rows))
	for i, row := range rows {
		for j, s := range row {
			cells[i] = append(cells[i], cell{text: s, paint: paints[min(j, len(paints)-1)]})
		}
	}
	p.table(wide, cells)
}
