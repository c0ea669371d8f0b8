package markdown

import (
	"fmt"
	"hash/crc32"

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

// Name tells styles apart that do not look the same, in this process and the next.
func (s *Style) Name() string {
	return fmt.Sprintf("%s %08x", s.look.Palette.Name, crc32.ChecksumIEEE(fmt.Appendf(nil, "%v %v", s.look, s.clusters)))
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
