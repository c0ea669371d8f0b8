package widget

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"vise/model"
	"vise/themes"
	"vise/ui/action"
	"vise/ui/markdown"
	"vise/ui/text"
)

// Ink is a style as the sequences around what it paints. A frame paints some three hundred
// pieces; a lipgloss.Style would be worked out anew for each.
type Ink struct{ on, off string }

func inkOf(s lipgloss.Style) Ink {
	on, off, _ := strings.Cut(s.Render("x"), "x")
	return Ink{on, off}
}

// Paint is s in the ink.
func (k Ink) Paint(s string) string {
	if s == "" || k.on == "" {
		return s
	}
	return k.on + s + k.off
}

// Styles are how everything looks. They are made when the palette is chosen, and handed to
// whatever is drawn.
type Styles struct {
	Glyph themes.Glyphs
	// chosen stands around what is chosen among its like: ‹Plan›.
	chosen [2]string

	Text, Strong, Muted, Faint                          Ink
	Accent, Key, Badge                                  Ink
	Selected, Border, Focus                             Ink
	Current, Triggered, NeedsYou, Queued, Blocked, Done Ink
	Class                                               map[model.Class]Ink
	Added, Removed, Match                               Ink
	// Page is how plans look.
	Page *markdown.Style
	// Clusters tells that the terminal measures joined characters as one (mode 2027).
	Clusters bool
}

// NewStyles makes the styles of a palette; clusters: the terminal measures joined characters as one.
func NewStyles(p themes.Palette, ascii, clusters bool) *Styles {
	s := p.Styles()
	k := &Styles{
		Glyph: themes.Unicode, Clusters: clusters, Class: map[model.Class]Ink{}, chosen: [2]string{"‹", "›"},
		Text: inkOf(s.Text), Strong: inkOf(s.Strong), Muted: inkOf(s.Muted), Faint: inkOf(s.Faint),
		Accent: inkOf(s.Accent), Key: inkOf(s.Key), Badge: inkOf(s.Badge),
		Selected: inkOf(s.Selected), Border: inkOf(s.Border), Focus: inkOf(s.Focus),
		Current: inkOf(s.Current), Triggered: inkOf(s.Triggered), NeedsYou: inkOf(s.NeedsYou),
		Queued: inkOf(s.Queued), Blocked: inkOf(s.Blocked), Done: inkOf(s.Done),
		Added: inkOf(s.Added), Removed: inkOf(s.Removed), Match: inkOf(s.Match),
	}
	for _, c := range append(slices.Clip(model.Classes), model.ReportOffered) {
		k.Class[c] = inkOf(action.MarkOf(c).Style(s))
	}
	if ascii {
		k.Glyph, k.chosen = themes.ASCII, [2]string{"<", ">"}
	}
	k.Page = markdown.NewStyle(p, k.Glyph, clusters)
	return k
}

// Safe is s as this terminal shows it without pushing a line's rest aside.
func (k *Styles) Safe(s string) string { return text.Safe(s, k.Clusters) }

// Piece is some text with its ink, which Strip paints.
type Piece struct {
	s   string
	ink Ink
}

// Of is s as a piece in the ink.
func (k Ink) Of(s string) Piece { return Piece{s, k} }

// Pad fills a piece up to w cells, or cuts it; PadLeft puts the blanks before it.
func (p Piece) Pad(w int) Piece     { return Piece{text.Pad(p.s, w), p.ink} }
func (p Piece) PadLeft(w int) Piece { return Piece{text.PadLeft(p.s, w), p.ink} }

// Width is how many cells a piece takes.
func (p Piece) Width() int { return text.Width(p.s) }

// Strip joins pieces to exactly width cells. A selected strip has one ink for all.
func (k *Styles) Strip(width int, selected bool, pieces ...Piece) string {
	if selected {
		var plain strings.Builder
		for _, p := range pieces {
			plain.WriteString(p.s)
		}
		return k.Selected.Paint(text.Pad(plain.String(), width))
	}
	var b strings.Builder
	room := width
	for _, p := range pieces {
		s := text.Cut(p.s, room)
		room -= text.Width(s)
		b.WriteString(p.ink.Paint(s))
		if room <= 0 {
			break
		}
	}
	if room > 0 {
		b.WriteString(text.Pad("", room))
	}
	return b.String()
}

// Mark puts the signs of the chosen one around s.
func (k *Styles) Mark(s string) string { return k.chosen[0] + s + k.chosen[1] }
