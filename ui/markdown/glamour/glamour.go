// Package glamour lays out leaves with Glamour, goldmark and chroma. What links it pays for
// their start: 16 ms.
package glamour

import (
	"bytes"
	"fmt"
	"strings"
	"sync"

	gansi "charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"vise/themes"
	"vise/themes/sheet"
	"vise/ui/markdown/layout"
)

// Engine is Glamour and chroma in this process.
type Engine struct {
	mu     sync.Mutex // protects what follows
	look   layout.Look
	looked looked
}

// looked is a look as Glamour and lipgloss take it.
type looked struct {
	sheet, heading gansi.StyleConfig
	paint          *themes.Styles
}

// New returns an engine.
func New() *Engine { return &Engine{} }

// Ready is part of layout.Engine.
func (e *Engine) Ready() error { return nil }

// in is what a look comes to. One look is used over and over.
func (e *Engine) in(l layout.Look) looked {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.looked.paint == nil || e.look != l {
		e.look = l
		e.looked = looked{sheet.Of(l.Palette, l.Glyphs), sheet.Heading(l.Palette, l.Glyphs), l.Palette.Styles()}
	}
	return e.looked
}

// Prose is part of layout.Engine. It cannot be cancelled.
func (e *Engine) Prose(p layout.Prose) ([]string, error) {
	style := e.in(p.Look)
	s := &style.sheet
	if p.Kind == layout.Heading {
		s = &style.heading
	}
	engine := newEngine(p, s)
	context := parser.NewContext()
	for label, ref := range p.Refs {
		context.AddReference(parser.NewReference([]byte(label), []byte(ref.Address), []byte(ref.Title)))
	}
	source := []byte(layout.Disarm(p.Src))
	doc := engine.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	source = spellLinks(doc, source)
	var out bytes.Buffer
	if err := engine.Renderer().Render(&out, source, doc); err != nil {
		return nil, fmt.Errorf("glamour: %w", err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, line := range lines {
		lines[i] = layout.Styled(line)
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines, nil
}

// newEngine puts Glamour's renderer behind a parser that knows this kind of block alone:
// nothing nests, nothing is a definition and HTML is text, because what a plan says must
// be seen.
func newEngine(p layout.Prose, s *gansi.StyleConfig) goldmark.Markdown {
	blocks := []util.PrioritizedValue{util.Prioritized(parser.NewParagraphParser(), 1000)}
	extensions := []goldmark.Extender{extension.Linkify, extension.Strikethrough}
	switch p.Kind {
	case layout.Heading:
		blocks = append(blocks, util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewATXHeadingParser(), 600))
	case layout.Table:
		extensions = append(extensions, extension.Table)
	}
	glamour := gansi.NewRenderer(gansi.Options{WordWrap: p.Width, InlineTableLinks: true, Styles: *s})
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(blocks...),
			parser.WithInlineParsers(
				util.Prioritized(parser.NewCodeSpanParser(), 100),
				util.Prioritized(parser.NewLinkParser(), 200),
				util.Prioritized(parser.NewAutoLinkParser(), 300),
				util.Prioritized(parser.NewEmphasisParser(), 500),
			),
		)),
		goldmark.WithExtensions(extensions...),
		goldmark.WithRenderer(renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(glamour, 100)))),
	)
}
