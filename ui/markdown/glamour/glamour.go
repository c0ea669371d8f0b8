// Package glamour renders blocks of Markdown with Glamour, goldmark and chroma. A program that links it takes 16 ms longer to start.
package glamour

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	gansi "charm.land/glamour/v2/ansi"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"vise/model"
	"vise/themes"
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
	if painter.styles == nil || painter.palette != s.Palette {
		painter.palette, painter.styles = s.Palette, s.Palette.Styles()
	}
	p := page{source: []byte(s.Text), palette: s.Palette, styles: painter.styles}
	doc := newParser().Parse(text.NewReader(p.source))
	if list, ok := doc.FirstChild().(*ast.List); ok && list.IsOrdered() && s.Number >= 0 {
		list.Start = s.Number
	}
	p.source = spellLinks(doc, p.source)
	p.source = mend(doc, p.source)
	lines := p.blocks(doc, s.Width)
	return lines, p.err
}

// page is a source that is being rendered.
type page struct {
	source  []byte
	palette themes.Palette
	styles  *themes.Styles
	err     error // the first of Glamour
}

// leaf renders a block that holds no other block, by Glamour.
func (p *page) leaf(n ast.Node, width int) []string {
	doc := ast.NewDocument()
	doc.AppendChild(doc, n)
	lines := p.glamour(doc, width)
	wide := slices.ContainsFunc(lines, func(line string) bool { return ansi.StringWidth(line) > width })
	if wide && (n.Kind() == ast.KindParagraph || n.Kind() == ast.KindTextBlock) {
		lines = p.glamour(doc, width-1) // Glamour lets a comma or a hyphen stand in the cell after the last
	}
	if code, ok := n.(*ast.FencedCodeBlock); ok {
		return lines[1:min(1+code.Lines().Len(), len(lines))]
	}
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// glamour renders doc. The first error is kept.
func (p *page) glamour(doc ast.Node, width int) []string {
	glamour := gansi.NewRenderer(gansi.Options{
		WordWrap: width, InlineTableLinks: true, PreserveNewLines: true, ChromaFormatter: formatter,
		Styles: sheet(p.palette, p.styles, doc.FirstChild()),
	})
	var out bytes.Buffer
	if err := renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(glamour, 100))).Render(&out, p.source, doc); err != nil {
		p.err = cmp.Or(p.err, fmt.Errorf("glamour: %w", err))
	}
	lines := strings.Split(out.String(), "\n")
	for i, line := range lines {
		lines[i] = markdown.Styled(line)
	}
	return lines
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
	space, source := added(source, " ")
	var code, broken []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		fenced, ok := n.(*ast.FencedCodeBlock)
		words, isText := n.(*ast.Text)
		switch {
		case !entering:
		case isText:
			if text := string(words.Segment.Value(source)); strings.Contains(text, "&#") && model.Text(html.UnescapeString(text)).Hidden() {
				words.Segment, source = added(source, disarmed(text))
			}
			if words.SoftLineBreak() {
				broken = append(broken, n)
			}
		case n.Kind() == ast.KindCodeBlock || ok && lexers.Get(string(fenced.Language(source))) == nil:
			code = append(code, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range code {
		nameLanguage(n, info)
	}
	for _, n := range broken { // Glamour would keep the line break
		n.(*ast.Text).SetSoftLineBreak(false)
		n.Parent().InsertAfter(n.Parent(), n, ast.NewTextSegment(space))
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
