package glamour

import (
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// spellLinks writes the address of each link and image in brackets after its words, as in the source: a terminal must not hide where a link
// leads. (Glamour drops addresses that it cannot parse and changes relative ones.) It returns source with the added words at its end.
func spellLinks(doc ast.Node, source []byte) []byte {
	links := map[ast.Node]string{}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			links[n] = titled(n.Destination, n.Title)
			n.Destination = []byte("#") // Glamour shows no address for it
		case *ast.Image:
			links[n] = titled(n.Destination, n.Title)
			n.Destination = nil
		}
		return ast.WalkContinue, nil
	})
	for n, address := range links {
		if address == "" || n.Parent() == nil {
			continue
		}
		var segment text.Segment
		segment, source = added(source, " ("+address+")")
		n.Parent().InsertAfter(n.Parent(), n, ast.NewTextSegment(segment))
	}
	return source
}

func titled(address, title []byte) string {
	if len(title) == 0 {
		return string(address)
	}
	return string(address) + ` "` + string(title) + `"`
}
