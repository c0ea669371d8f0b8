package glamour

import (
	"html"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// spellLinks writes the address of each link and image in brackets after its words, as in the source: a terminal must not hide where a link
// leads. (Glamour drops addresses that it cannot parse and changes relative ones.) An address of the web is a link itself, so that a click
// on any of its pieces opens all of it. It returns source with the added words at its end.
func spellLinks(doc ast.Node, source []byte) []byte {
	type spelled struct{ address, title string }
	links := map[ast.Node]spelled{}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			links[n] = spelled{string(n.Destination), string(n.Title)}
			n.Destination = []byte("#") // Glamour shows no address for it
		case *ast.Image:
			links[n] = spelled{string(n.Destination), string(n.Title)}
			n.Destination = nil
		}
		return ast.WalkContinue, nil
	})
	for n, to := range links {
		if to.address == "" || n.Parent() == nil {
			continue
		}
		at := n
		put := func(words string, web bool) {
			var segment text.Segment
			segment, source = added(source, words)
			var node ast.Node = ast.NewTextSegment(segment)
			if web {
				node = ast.NewAutoLink(ast.AutoLinkURL, node.(*ast.Text))
			}
			at.Parent().InsertAfter(at.Parent(), at, node)
			at = node
		}
		put(" (", false)
		put(to.address, ofWeb(to.address))
		if to.title != "" {
			put(` "`+to.title+`"`, false)
		}
		put(")", false)
	}
	return source
}

// ofWeb reports whether an address is one of the web that Glamour shows as it is written.
func ofWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") &&
		html.UnescapeString(address) == address && !strings.Contains(address, `\`)
}
