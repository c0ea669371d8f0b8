package markdown

import (
	"bytes"
	"fmt"
	"strings"

	gansi "charm.land/glamour/v2/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// prose is what Glamour is given: one paragraph, heading or table.
type prose struct {
	kind  Kind
	src   string
	refs  map[string]reference
	width int
	sheet *gansi.StyleConfig
}

// render lets Glamour lay out p. It may take long for hostile text and cannot be
// cancelled: call it through a guard.
func render(p prose) ([]string, error) {
	engine := newEngine(p)
	context := parser.NewContext()
	for label, ref := range p.refs {
		context.AddReference(parser.NewReference([]byte(label), []byte(ref.address), []byte(ref.title)))
	}
	source := []byte(disarm(p.src))
	doc := engine.Parser().Parse(text.NewReader(source), parser.WithContext(context))
	source = spellLinks(doc, source)
	var out bytes.Buffer
	if err := engine.Renderer().Render(&out, source, doc); err != nil {
		return nil, fmt.Errorf("glamour: %w", err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, line := range lines {
		lines[i] = Styled(line)
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
func newEngine(p prose) goldmark.Markdown {
	blocks := []util.PrioritizedValue{util.Prioritized(parser.NewParagraphParser(), 1000)}
	extensions := []goldmark.Extender{extension.Linkify, extension.Strikethrough}
	switch p.kind {
	case Heading:
		blocks = append(blocks, util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewATXHeadingParser(), 600))
	case Table:
		extensions = append(extensions, extension.Table)
	}
	glamour := gansi.NewRenderer(gansi.Options{WordWrap: p.width, InlineTableLinks: true, Styles: *p.sheet})
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
