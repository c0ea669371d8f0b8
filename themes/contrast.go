package themes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
)

// Valid reports whether c has a form that Color allows.
func (c Color) Valid() bool {
	n, err := strconv.Atoi(string(c))
	return c == "" || err == nil && n >= 0 && n <= 255 && strconv.Itoa(n) == string(c) ||
		len(c) == 7 && c[0] == '#' && strings.Trim(string(c[1:]), "0123456789abcdefABCDEF") == ""
}

// The least contrasts of WCAG 2.2, level AA: for text, and for lines without words.
const (
	textContrast = 4.5
	lineContrast = 3.0
)

// weakness is a colour that is hard to read.
type weakness struct {
	// Token is the colour's name in a theme file. On is what is behind it.
	Token, On string
	// Contrast is the measured value. Want is the required one.
	Contrast, Want float64
}

// String describes the weakness on one line.
func (w weakness) String() string {
	return fmt.Sprintf("%s has a contrast of %.1f to 1 on the %s; %.1f can be read", w.Token, w.Contrast, w.On, w.Want)
}

// Weaknesses returns the colours of p that do not meet WCAG AA. It does not measure the terminal's own colours, because they are not known.
func (p Palette) Weaknesses() []weakness {
	var out []weakness
	judge := func(token string, c Color, on string, ground Color, want float64) {
		if got, known := Contrast(c, ground); known && got < want {
			out = append(out, weakness{token, on, got, want})
		}
	}
	for token, c := range p.letters() {
		judge(token, c, "background", p.Background, textContrast)
		judge(token, c, "selection", p.Selection, textContrast)
		judge(token, c, "code", p.Code, textContrast)
	}
	judge("faint", p.Faint, "background", p.Background, textContrast)
	judge("border", cmp.Or(p.Border, p.Faint), "background", p.Background, lineContrast)
	slices.SortFunc(out, func(a, b weakness) int {
		return cmp.Or(strings.Compare(a.Token, b.Token), strings.Compare(a.On, b.On))
	})
	return out
}

// letters are the colours of text, by their names in a theme file.
func (p Palette) letters() map[string]Color {
	return map[string]Color{
		"text": p.Text, "muted": p.Muted, "accent": p.Accent, "focus": p.Focus,
		"current": p.Current, "triggered": p.Triggered, "needs_you": p.NeedsYou,
		"queued": p.Queued, "blocked": p.Blocked, "done": p.Done,
		"added": p.Added, "removed": p.Removed,
	}
}

// Contrast returns the contrast ratio of two colours after WCAG 2.2, 1 to 21. known is false if one of them is the terminal's own.
func Contrast(a, b Color) (ratio float64, known bool) {
	x, isKnown := a.rgb()
	y, isKnown2 := b.rgb()
	if !isKnown || !isKnown2 {
		return 0, false
	}
	lx, ly := luminance(x), luminance(y)
	return (math.Max(lx, ly) + 0.05) / (math.Min(lx, ly) + 0.05), true
}

// rgb returns a colour that is the same on every terminal. Indexed colours from 16 on are.
func (c Color) rgb() (colorful.Color, bool) {
	if n, err := strconv.Atoi(string(c)); err == nil && n >= 16 && n <= 255 {
		rgb, ok := colorful.MakeColor(ansi.IndexedColor(n))
		return rgb, ok
	}
	rgb, err := colorful.Hex(string(c))
	return rgb, err == nil
}

func luminance(c colorful.Color) float64 {
	r, g, b := c.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}
