package console

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"vise/model"
	"vise/themes"
	"vise/ui/classes"
	"vise/ui/markdown"
	"vise/ui/text"
)

// ink is a style as the sequences around what it paints. A frame paints some three hundred
// pieces; a lipgloss.Style would be worked out anew for each.
type ink struct{ on, off string }

func inkOf(s lipgloss.Style) ink {
	on, off, _ := strings.Cut(s.Render("x"), "x")
	return ink{on, off}
}

func (k ink) paint(s string) string {
	if s == "" || k.on == "" {
		return s
	}
	return k.on + s + k.off
}

// skin is how everything looks: made when the palette is chosen, handed to every view.
type skin struct {
	glyph themes.Glyphs
	// chosen stands around what is chosen among its like: ‹Plan›.
	chosen [2]string

	text, strong, muted, faint                          ink
	accent, key, badge                                  ink
	selected, border, focus                             ink
	current, triggered, needsYou, queued, blocked, done ink
	class                                               map[model.Class]ink
	added, removed, match                               ink
	// page is how plans look.
	page *markdown.Style
	// clusters tells that the terminal measures joined characters as one (mode 2027).
	clusters bool
}

func newSkin(p themes.Palette, ascii, clusters bool) *skin {
	s := p.Styles()
	k := &skin{
		glyph: themes.Unicode, clusters: clusters, class: map[model.Class]ink{}, chosen: [2]string{"‹", "›"},
		text: inkOf(s.Text), strong: inkOf(s.Strong), muted: inkOf(s.Muted), faint: inkOf(s.Faint),
		accent: inkOf(s.Accent), key: inkOf(s.Key), badge: inkOf(s.Badge),
		selected: inkOf(s.Selected), border: inkOf(s.Border), focus: inkOf(s.Focus),
		current: inkOf(s.Current), triggered: inkOf(s.Triggered), needsYou: inkOf(s.NeedsYou),
		queued: inkOf(s.Queued), blocked: inkOf(s.Blocked), done: inkOf(s.Done),
		added: inkOf(s.Added), removed: inkOf(s.Removed), match: inkOf(s.Match),
	}
	for _, c := range append(slices.Clip(model.Classes), model.ReportOffered) {
		k.class[c] = inkOf(classes.Of(c).Style(s))
	}
	if ascii {
		k.glyph, k.chosen = themes.ASCII, [2]string{"<", ">"}
	}
	k.page = markdown.NewStyle(p, k.glyph, clusters)
	return k
}

// safe is s as this terminal shows it without pushing a line's rest aside.
func (k *skin) safe(s string) string { return text.Safe(s, k.clusters) }

// piece is some text with its ink.
type piece struct {
	s   string
	ink ink
}

// strip joins pieces to exactly width cells. A selected strip has one ink for all.
func (k *skin) strip(width int, selected bool, pieces ...piece) string {
	if selected {
		var plain strings.Builder
		for _, p := range pieces {
			plain.WriteString(p.s)
		}
		return k.selected.paint(text.Pad(plain.String(), width))
	}
	var b strings.Builder
	room := width
	for _, p := range pieces {
		s := text.Cut(p.s, room)
		room -= text.Width(s)
		b.WriteString(p.ink.paint(s))
		if room <= 0 {
			break
		}
	}
	if room > 0 {
		b.WriteString(text.Pad("", room))
	}
	return b.String()
}

// mark puts the signs of the chosen one around s.
func (k *skin) mark(s string) string { return k.chosen[0] + s + k.chosen[1] }
