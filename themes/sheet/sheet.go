// Package sheet derives Glamour's style sheets from the palettes. It stands apart from
// package themes because Glamour costs a program 15 ms at its start.
package sheet

import (
	"charm.land/glamour/v2/ansi"

	"vise/themes"
)

// Of is the style sheet of palette p. Nothing is coloured but letters, so that padding
// carries no style.
func Of(p themes.Palette, g themes.Glyphs) ansi.StyleConfig {
	text := color(p.Text)
	return ansi.StyleConfig{
		Text:          text,
		Heading:       ansi.StyleBlock{StylePrimitive: bold(color(p.Accent))},
		H1:            prefixed("# "),
		H2:            prefixed("## "),
		H3:            prefixed("### "),
		H4:            prefixed("#### "),
		H5:            prefixed("##### "),
		H6:            prefixed("###### "),
		Strong:        bold(text),
		Emph:          ansi.StylePrimitive{Color: text.Color, Italic: yes()},
		Strikethrough: ansi.StylePrimitive{Color: muted(p).Color, CrossedOut: yes()},
		Link:          muted(p),
		LinkText:      ansi.StylePrimitive{Color: color(p.Accent).Color, Underline: yes()},
		Image:         muted(p),
		ImageText:     ansi.StylePrimitive{Color: color(p.Accent).Color, Format: "image: {{.text}}"},
		Code:          ansi.StyleBlock{StylePrimitive: code(p)},
		Table: ansi.StyleTable{
			CenterSeparator: &g.Light.Middle, ColumnSeparator: &g.Light.Left, RowSeparator: &g.Light.Top,
		},
	}
}

// Heading is the style sheet for the words of a heading.
func Heading(p themes.Palette, g themes.Glyphs) ansi.StyleConfig {
	s := Of(p, g)
	s.Text = bold(color(p.Accent))
	s.Strong = s.Text
	s.Emph = ansi.StylePrimitive{Color: s.Text.Color, Bold: yes(), Italic: yes()}
	return s
}

// code marks a code span by quotes where no colour can.
func code(p themes.Palette) ansi.StylePrimitive {
	if p.Queued == "" {
		return ansi.StylePrimitive{Prefix: "`", Suffix: "`"}
	}
	return color(p.Queued)
}

func muted(p themes.Palette) ansi.StylePrimitive { return color(p.Muted) }

func color(c themes.Color) ansi.StylePrimitive {
	if c == "" {
		return ansi.StylePrimitive{}
	}
	name := string(c)
	return ansi.StylePrimitive{Color: &name}
}

func bold(s ansi.StylePrimitive) ansi.StylePrimitive {
	s.Bold = yes()
	return s
}

func prefixed(marks string) ansi.StyleBlock {
	return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: marks}}
}

func yes() *bool {
	t := true
	return &t
}
