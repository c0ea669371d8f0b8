package glamour

import (
	"strings"

	"charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark/ast"

	"vise/themes"
	"vise/ui/markdown"
)

// sheet returns Glamour's style sheet for a block. Only letters have a colour, so that padding has no style.
func sheet(l markdown.Look, block ast.Node) ansi.StyleConfig {
	const (
		listIndent = 2
		ruleLength = 8
	)
	margin, indent := uint(2), uint(1)
	p, g := l.Palette, l.Glyphs
	bar := g.Light.Left + " "
	text, words := color(p.Text), color(p.Accent)
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
		BlockQuote:    ansi.StyleBlock{Indent: &indent, IndentToken: &bar},
		List:          ansi.StyleList{LevelIndent: listIndent},
		Item:          ansi.StylePrimitive{BlockPrefix: g.Bullet + " ", Color: words.Color},
		Enumeration:   ansi.StylePrimitive{BlockPrefix: ". ", Color: words.Color},
		Task:          tasks(p, g),
		Table: ansi.StyleTable{
			CenterSeparator: quiet(p, g.Light.Middle), ColumnSeparator: quiet(p, g.Light.Left), RowSeparator: quiet(p, g.Light.Top),
		},
		HorizontalRule: ansi.StylePrimitive{Color: color(p.Faint).Color, Format: strings.Repeat(g.Rule, ruleLength)},
	}
	if block != nil && block.Kind() == ast.KindHeading {
		s.Text, s.Strong = bold(words), bold(words)
		s.Emph = ansi.StylePrimitive{Color: words.Color, Bold: yes(), Italic: yes()}
	}
	return s
}

// tasks returns boxes for tasks if the terminal has such characters.
func tasks(p themes.Palette, g themes.Glyphs) ansi.StyleTask {
	if g == themes.ASCII {
		return ansi.StyleTask{Ticked: "[x] ", Unticked: "[ ] "}
	}
	return ansi.StyleTask{Ticked: p.Styles().Done.Render("☑") + " ", Unticked: p.Styles().Text.Render("☐") + " "}
}

// quiet returns a line between cells in the colour of borders: Glamour has no style for it.
func quiet(p themes.Palette, line string) *string { return new(p.Styles().Border.Render(line)) }

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
