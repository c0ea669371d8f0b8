// Package glamour renders blocks of Markdown with Glamour, goldmark and chroma. A program that links it takes 16 ms longer to start.
package glamour

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strings"

	gansi "charm.land/glamour/v2/ansi"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"vise/model"
	"vise/ui/markdown"
)

// engine is Glamour in this process.
type engine struct{}

// New returns an engine.
func New() engine { return engine{} }

// Ready implements markdown.Engine.
func (engine) Ready() error { return nil }

// Render implements markdown.Engine. It cannot be cancelled.
func (engine) Render(s markdown.Source) ([]string, error) {
	painter.Lock()
	defer painter.Unlock()
	painter.styles = s.Look.Palette.Styles()
	source := []byte(s.Text)
	doc := newParser().Parse(text.NewReader(source))
	source = spellLinks(doc, source)
	source = mend(doc, source)
	glamour := gansi.NewRenderer(gansi.Options{
		WordWrap: s.Width, InlineTableLinks: true, ChromaFormatter: formatter, Styles: sheet(s.Look, doc.FirstChild()),
	})
	var out bytes.Buffer
	if err := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(glamour, 100))).Render(&out, source, doc); err != nil {
		return nil, fmt.Errorf("glamour: %w", err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, line := range lines {
		lines[i] = markdown.Styled(line)
	}
	if code, ok := doc.FirstChild().(*ast.FencedCodeBlock); ok && doc.ChildCount() == 1 {
		return lines[1:min(1+code.Lines().Len(), len(lines))], nil
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines, nil
}

// newParser returns a parser without HTML. HTML is shown as text, because all of a plan must be visible.
func newParser() parser.Parser {
	notHTML := func(all []util.PrioritizedValue) []util.PrioritizedValue {
		return slices.DeleteFunc(all, func(v util.PrioritizedValue) bool {
			return v.Value == parser.NewHTMLBlockParser() || v.Value == parser.NewRawHTMLParser()
		})
	}
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(
			parser.WithBlockParsers(notHTML(parser.DefaultBlockParsers())...),
			parser.WithInlineParsers(notHTML(parser.DefaultInlineParsers())...),
			parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
		)),
		goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.Table, extension.TaskList),
	).Parser()
}

// mend changes what Glamour does not render well. It returns source with added words at its end.
func mend(doc ast.Node, source []byte) []byte {
	segment, source := added(source, noLanguage)
	info := ast.NewTextSegment(segment)
	var code, paragraphs []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		fenced, ok := n.(*ast.FencedCodeBlock)
		next := n.NextSibling()
		words, isText := n.(*ast.Text)
		switch {
		case !entering:
		case isText:
			if text := string(words.Segment.Value(source)); strings.Contains(text, "&#") && model.Text(html.UnescapeString(text)).Hidden() {
				words.Segment, source = added(source, disarmed(text))
			}
		case n.Kind() == ast.KindCodeBlock || ok && lexers.Get(string(fenced.Language(source))) == nil:
			code = append(code, n)
		case n.Kind() == ast.KindParagraph && n.Parent().Kind() == ast.KindListItem && next != nil && next.Kind() == ast.KindParagraph:
			paragraphs = append(paragraphs, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range code {
		nameLanguage(n, info)
	}
	for _, n := range paragraphs {
		for range 2 { // Glamour joins the paragraphs of an item
			end := ast.NewTextSegment(text.NewSegment(0, 0))
			end.SetHardLineBreak(true)
			n.AppendChild(n, end)
		}
	}
	return source
}

// added appends words to source.
func added(source []byte, words string) (text.Segment, []byte) {
	start := len(source)
	source = append(source, words...)
	return text.NewSegment(start, len(source)), source
}

// disarmed shows references to hidden characters (&#27;) as written: such a character can begin a style that hides text.
func disarmed(s string) string { return strings.ReplaceAll(s, "&#", "&amp;#") }

// nameLanguage marks code as in no known language. Otherwise chroma would guess one, which takes five times as long as colouring it. An
// unknown name is put before the code, because Glamour would hide it.
func nameLanguage(n ast.Node, none *ast.Text) {
	if code, ok := n.(*ast.FencedCodeBlock); ok && code.Info != nil {
		name := ast.NewParagraph()
		name.AppendChild(name, ast.NewTextSegment(code.Info.Segment))
		n.Parent().InsertBefore(n.Parent(), n, name)
	}
	named := ast.NewFencedCodeBlock(none)
	named.SetLines(n.Lines())
	n.Parent().ReplaceChild(n.Parent(), n, named)
}
