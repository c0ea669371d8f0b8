package markdown

import (
	"vise/themes"
	"vise/ui/markdown/layout"
)

// Style is how documents look. It never changes.
type Style struct {
	id       uint64 // same for styles that look the same
	look     layout.Look
	paint    *themes.Styles
	rule     string
	bar      string // before the lines of a quote
	bullet   string
	clusters bool
}

// NewStyle is the look of palette p with glyphs g. With clusters the terminal measures
// joined characters as one (mode 2027).
func NewStyle(p themes.Palette, g themes.Glyphs, clusters bool) *Style {
	s := &Style{
		look: layout.Look{Palette: p, Glyphs: g}, paint: p.Styles(), rule: g.Rule, bar: g.Light.Left, bullet: g.Bullet, clusters: clusters,
	}
	s.id = hashOf(p.Name) ^ hashOfValue(p) ^ hashOfValue(g.Rule+g.Bullet)
	if clusters {
		s.id++
	}
	return s
}
