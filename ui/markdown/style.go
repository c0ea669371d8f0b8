package markdown

import (
	"fmt"
	"hash/crc32"
	"hash/maphash"

	"vise/themes"
)

// Style is how documents look. It never changes.
type Style struct {
	id       uint64 // same for styles that look the same
	look     Look
	paint    *themes.Styles
	clusters bool
}

// Name tells styles apart that do not look the same, in this process and the next.
func (s *Style) Name() string {
	return fmt.Sprintf("%s %08x", s.look.Palette.Name, crc32.ChecksumIEEE(fmt.Appendf(nil, "%v %v", s.look, s.clusters)))
}

// NewStyle is the look of palette p with glyphs g. With clusters the terminal measures
// joined characters as one (mode 2027).
func NewStyle(p themes.Palette, g themes.Glyphs, clusters bool) *Style {
	s := &Style{look: Look{Palette: p, Glyphs: g}, paint: p.Styles(), clusters: clusters}
	s.id = maphash.Comparable(seed, s.look)
	if clusters {
		s.id++
	}
	return s
}
