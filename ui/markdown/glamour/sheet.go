package glamour

import (
	"strings"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/ast"

	"vise/themes"
)

// sheet returns Glamour's style sheet for a block. Only letters have a colour, so that padding has no style.
func sheet(p themes.Palette, paint *themes.Styles, block ast.Node) ansi.StyleConfig {
	const ruleLength = 8
	margin := uint(2)
	g := themes.Unicode
	text, words := color(p.Text), color(p.Accent)
	quiet := func(line string) *string { return new(paint.Border.Paint(line)) } // Glamour has no style for the lines between cells
	s := ansi.StyleConfig{
		Text:          text,
		Heading:       ansi.StyleBlock{StylePrimitive: bold(words)},
		H1:            prefixed("# "),
		H2:            prefixed("## "),
		H3:            prefixed("### "),
		H4:            prefixed("#### "),
		H5:            prefixed("##### "),
		H6:            prefixed("###### "),
		Strong:        bold(text),
		Emph:          ansi.StylePrimitive{Color: text.Color, Italic: yes()},
		Strikethrough: ansi.StylePrimitive{Color: color(p.Muted).Color, CrossedOut: yes()},
		Link:          color(p.Muted),
		LinkText:      ansi.StylePrimitive{Color: words.Color, Underline: yes()},
		Image:         color(p.Muted),
		ImageText:     ansi.StylePrimitive{Color: words.Color, Format: "image: {{.text}}"},
		Code:          ansi.StyleBlock{StylePrimitive: code(p)},
		CodeBlock:     ansi.StyleCodeBlock{StyleBlock: ansi.StyleBlock{Margin: &margin}, Theme: formatter},
		Table: ansi.StyleTable{
			CenterSeparator: quiet(g.Light.Middle), ColumnSeparator: quiet(g.Light.Left), RowSeparator: quiet(g.Light.Top),
		},
		HorizontalRule: ansi.StylePrimitive{Color: color(p.Faint).Color, Format: strings.Repeat(g.Rule, ruleLength)},
	}
	if block != nil && block.Kind() == ast.KindHeading {
		s.Text, s.Strong = bold(words), bold(words)
		s.Emph = ansi.StylePrimitive{Color: words.Color, Bold: yes(), Italic: yes()}
	}
	return s
}

// box is the box of a task.
func (p *page) box(checked bool) string {
	if checked {
		return p.styles.Done.Paint("☑") + " "
	}
	return p.styles.Text.Paint("☐") + " "
}

// code marks a code span with quotes if there is no colour for it.
func code(p themes.Palette) ansi.StylePrimitive {
	if p.Queued == "" {
		return ansi.StylePrimitive{Prefix: "`", Suffix: "`"}
	}
	return color(p.Queued)
}

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

func yes() *bool { return new(true) }
