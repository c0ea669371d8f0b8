package markdown

import (
	"hash/maphash"
	"strings"

	"vise/themes"
)

// Style says how documents look. It never changes.
type Style struct {
	id       uint64 // the same for styles that look the same
	palette  themes.Palette
	paint    *themes.Styles
	ground   string // the sequence before a line of code
	clusters bool
}

// NewStyle returns the style with palette p. With clusters, the terminal measures joined characters as one (mode 2027).
func NewStyle(p themes.Palette, clusters bool) *Style {
	s := &Style{palette: p, paint: p.Styles(), clusters: clusters}
	s.ground, _, _ = strings.Cut(s.paint.Code.Paint(" "), " ")
	s.id = maphash.Comparable(seed, p)
	if clusters {
		s.id++
	}
	return s
}
