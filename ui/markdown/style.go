package markdown

import (
	"hash/maphash"
	"strings"

	"vise/themes"
)

// Style is how documents look. It never changes.
type Style struct {
	id       uint64 // same for styles that look the same
	look     Look
	paint    *themes.Styles
	ground   string // what lines of code begin with
	clusters bool
}

// NewStyle is the look of palette p with glyphs g. With clusters the terminal measures
// joined characters as one (mode 2027).
func NewStyle(p themes.Palette, g themes.Glyphs, clusters bool) *Style {
	s := &Style{look: Look{Palette: p, Glyphs: g}, paint: p.Styles(), clusters: clusters}
	s.ground, _, _ = strings.Cut(s.paint.Code.Render(" "), " ")
	s.id = maphash.Comparable(seed, s.look)
	if clusters {
		s.id++
	}
	return s
}
