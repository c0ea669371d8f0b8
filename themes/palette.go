// Package themes holds the palettes: colours by meaning, the styles made from them, and the glyphs. No other package names a colour or
// builds a style.
//
// Every state has a word or a glyph in addition to its colour, the selected row a marker and the focused pane a heavy border, so that a
// palette without colours shows everything.
package themes

import (
	"cmp"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// Color is "#rrggbb", one of the terminal's own colours "0" to "255", or empty: the terminal's default.
type Color string

// Valid reports whether c has a form that Color allows.
func (c Color) Valid() bool {
	n, err := strconv.Atoi(string(c))
	return c == "" || err == nil && n >= 0 && n <= 255 && strconv.Itoa(n) == string(c) ||
		len(c) == 7 && c[0] == '#' && strings.Trim(string(c[1:]), "0123456789abcdefABCDEF") == ""
}

// Palette is a set of colours by meaning. Warnings use NeedsYou, errors Blocked, success Done.
type Palette struct {
	Name string `yaml:"name"`
	Dark bool   `yaml:"dark"`
	// Background is the background for which the colours are made. It is never painted: the terminal has its own.
	Background Color `yaml:"background"`

	Text  Color `yaml:"text"`
	Muted Color `yaml:"muted"` // ids, ages, reasons: less important text
	Faint Color `yaml:"faint"` // disabled hints, authors: still readable
	// Border is for lines without words. If it is empty, Faint is used.
	Border Color `yaml:"border"`

	Accent    Color `yaml:"accent"`    // titles, keys, links, the search match
	Focus     Color `yaml:"focus"`     // border of the pane with the keyboard
	Selection Color `yaml:"selection"` // background of the selected row; empty reverses the row
	Code      Color `yaml:"code"`      // background of a plan's code blocks; empty: the default

	Current   Color `yaml:"current"`
	Triggered Color `yaml:"triggered"`
	NeedsYou  Color `yaml:"needs_you"`
	Queued    Color `yaml:"queued"`
	Blocked   Color `yaml:"blocked"`
	Done      Color `yaml:"done"`

	Added   Color `yaml:"added"`   // plan lines that are new or changed
	Removed Color `yaml:"removed"` // plan lines that were removed
}

// Ink is a style in the form of the sequences around its text. A frame paints about three hundred pieces; a lipgloss.Style would be
// computed again for each. The zero value paints nothing.
type Ink struct{ on, off string }

func inkOf(s lipgloss.Style) Ink {
	on, off, _ := strings.Cut(s.Render("x"), "x")
	return Ink{on, off}
}

// Paint returns s, which is one line, in the ink.
func (k Ink) Paint(s string) string {
	if s == "" || k.on == "" {
		return s
	}
	return k.on + s + k.off
}

// Piece is a text that is painted later, in its ink.
type Piece struct {
	Text string
	Ink
}

// String returns the piece painted.
func (p Piece) String() string { return p.Paint(p.Text) }

// Of returns s as a piece in the ink.
func (k Ink) Of(s string) Piece { return Piece{s, k} }

// Styles are the styles of a palette. They are made once and never changed. Use NeedsYou for warnings and Blocked for errors.
type Styles struct {
	Text, Strong, Muted, Faint                          Ink
	Accent, Key, Match, Badge                           Ink
	Selected                                            Ink // a whole row, which must have no styles of its own
	Border, Focus                                       Ink // the borders of a pane, and of the focused pane
	Code                                                Ink // the background of code
	Current, Triggered, NeedsYou, Queued, Blocked, Done Ink
	Added, Removed                                      Ink
	Changed                                             Ink // words that are new in a save of a plan
}

// Styles builds the styles of p.
func (p Palette) Styles() *Styles {
	return &Styles{
		Text:      p.Text.ink(),
		Strong:    p.Text.bold(),
		Muted:     p.Muted.ink(),
		Faint:     inkOf(faint(p.Faint)),
		Accent:    p.Accent.ink(),
		Key:       p.Accent.bold(),
		Match:     inkOf(p.Accent.style().Reverse(true)),
		Badge:     inkOf(p.NeedsYou.style().Bold(true).Reverse(true)),
		Selected:  inkOf(p.selected()),
		Border:    inkOf(faint(cmp.Or(p.Border, p.Faint))),
		Focus:     inkOf(p.Focus.style().Bold(p.Focus == "")),
		Code:      inkOf(p.Code.ground(lipgloss.NewStyle())),
		Current:   p.Current.bold(),
		Triggered: p.Triggered.ink(),
		NeedsYou:  p.NeedsYou.bold(),
		Queued:    p.Queued.ink(),
		Blocked:   p.Blocked.ink(),
		Done:      p.Done.ink(),
		Added:     p.Added.ink(),
		Changed:   inkOf(p.Added.style().Bold(true).Underline(true)),
		Removed:   inkOf(p.Removed.style().Strikethrough(p.Removed == "")),
	}
}

func (c Color) ink() Ink  { return inkOf(c.style()) }
func (c Color) bold() Ink { return inkOf(c.style().Bold(true)) }

func faint(c Color) lipgloss.Style { return c.style().Faint(c == "") }

// selected is always bold, and reversed if there is no selection colour.
func (p Palette) selected() lipgloss.Style {
	s := p.Text.style().Bold(true)
	if p.Selection == "" {
		return s.Reverse(true)
	}
	return p.Selection.ground(s)
}

// ground gives s the background c, if c is not empty.
func (c Color) ground(s lipgloss.Style) lipgloss.Style {
	if c == "" {
		return s
	}
	return s.Background(lipgloss.Color(string(c)))
}

func (c Color) style() lipgloss.Style {
	if c == "" {
		return lipgloss.NewStyle()
	}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(string(c)))
}
