package markdown

import (
	"iter"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vise/ui/text"
)

// Match is a place where the searched words are, in cells of a line.
type Match struct {
	At            Position
	Column, Width int
}

// Find returns the places of query in the lines as they are shown, in any case. It lays out only blocks that hold the query's letters, and
// only as many as the caller reads.
func (v view) Find(query string) iter.Seq[Match] {
	query = strings.ToLower(text.Safe(query, v.style.clusters))
	return func(yield func(Match) bool) {
		for i := range v.d.blocks {
			for _, m := range v.matches(i, query) {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// matches returns the places in block i.
func (v view) matches(i int, query string) []Match {
	if query == "" || !v.d.mayHold(i, lettersOf(query)) {
		return nil
	}
	var found []Match
	for n, r := range v.rows(i) {
		line := strings.ToLower(ansi.Strip(r.text))
		for at := 0; ; {
			k := strings.Index(line[at:], query)
			if k < 0 {
				break
			}
			at += k
			found = append(found, Match{At: Position{i, n + v.gap(i)}, Column: text.Width(line[:at]), Width: text.Width(query)})
			at += len(query)
		}
	}
	return found
}

// mayHold reports whether block i can show the letters. They must be in its source, except for references, which stand for other text, and
// for the lines that a part repeats from its whole.
func (d *Document) mayHold(i int, letters string) bool {
	b := &d.blocks[i]
	src := d.header(b) + d.src[b.start:b.end]
	return strings.IndexByte(src, '&') >= 0 || b.links && len(d.refs) > 0 || b.kind == frontMatter ||
		strings.Contains(strings.ToLower(lettersOf(src)), letters)
}
