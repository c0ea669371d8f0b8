// Package markdown shows a plan as it is edited: it splits Markdown into small blocks,
// renders those that are visible, and keeps what it rendered.
//
// Containers (lists, quotes) and code are laid out here; what is left for Glamour is a
// paragraph, a heading or a table of at most 8 KB at a time, whose cost is bounded. All
// text is sanitised before it is split, and what Glamour makes of it once more.
//
// A Document never changes and is free to share. A Renderer keeps the rendered blocks of
// all documents and widths and may be used by many goroutines; rendering takes
// milliseconds, so a program with an event loop asks for lines outside of the loop.
package markdown

import (
	"hash/maphash"
	"strings"

	"vise/model"
	"vise/ui/markdown/layout"
)

// Kind is what a block is.
type Kind uint8

// The kinds of blocks.
const (
	Paragraph   Kind = iota
	Heading          // with # or underlined
	Fence            // code between fences, or a part of it
	Code             // indented code
	Table            // with its header, repeated for each part of a long table
	Rule             // a thematic break
	HTML             // shown as written
	Definition       // of a link, shown as written
	Plain            // too deep or too much to lay out: shown as written
	FrontMatter      // metadata before the text: shown as one line that says so
)

// Block is a leaf of the document: what stands in lists and quotes, not these themselves.
type Block struct {
	Kind Kind
	Gap  bool // a blank line stands before it
	// From and To are its first and last source line, counted from one.
	From, To int32

	links      bool  // may use link definitions
	part       bool  // continues the block before
	fresh      uint8 // how many of its containers begin with it
	nest       int32 // its innermost container in Document.nests, 0 for none
	start, end int32 // its text in the source
	aux        int32 // of a Fence: which in Document.fences; of a Table's part: its header's place
	hash       uint64
}

// nest is a list item or a quote around blocks.
type nest struct {
	parent int32
	indent int32  // columns that its content is indented by; of a quote 0
	marker string // "-", "3."; of a quote ">"
	hash   uint64
}

// fence is what the parts of a fenced code block share.
type fence struct {
	info   string // what stands behind the opening fence: a language, as a rule
	indent int
	bytes  int
	opened int32 // source line of the opening fence
}

// Document is a Markdown text split into blocks.
type Document struct {
	Blocks []Block

	src    string
	lines  int
	nests  []nest
	fences []fence
	refs   map[string]layout.Reference // link definitions by label

	refsHash uint64
}

// Lines is how many source lines the document has.
func (d *Document) Lines() int { return d.lines }

// seed makes block hashes that a hostile text cannot make collide.
var seed = maphash.MakeSeed()

func hashOf(parts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, p := range parts {
		_, _ = h.WriteString(p)
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

func hashOfValue[T comparable](v T) uint64 { return maphash.Comparable(seed, v) }

// path is the containers of b, the outermost first.
func (d *Document) path(b *Block) []nest {
	var path [maxDepth]nest
	i := maxDepth
	for at := b.nest; at != 0 && i > 0; at = d.nests[at].parent {
		i--
		path[i] = d.nests[at]
	}
	return path[i:]
}

// text is the lines of b without the marks of its containers.
func (d *Document) text(b *Block) []string {
	lines := strings.Split(d.src[b.start:b.end], "\n")
	path := d.path(b)
	for i := range lines {
		if i > 0 {
			lines[i] = strip(lines[i], path)
		}
		switch b.Kind {
		case Fence:
			lines[i] = dedent(lines[i], d.fences[b.aux].indent)
		case Code:
			lines[i] = dedent(lines[i], codeIndent)
		}
	}
	return lines
}

// strip takes the marks of containers from the beginning of a line, those that are there.
func strip(line string, path []nest) string {
	for _, n := range path {
		if n.indent > 0 {
			line = dedent(line, int(n.indent))
			continue
		}
		rest := strings.TrimLeft(line, " ")
		if strings.HasPrefix(rest, ">") {
			line = strings.TrimPrefix(rest[1:], " ")
		}
	}
	return line
}

func dedent(line string, columns int) string {
	n := 0
	for n < len(line) && n < columns && line[n] == ' ' {
		n++
	}
	return line[n:]
}

// Split splits Markdown into blocks, in time proportional to its length.
func Split(t model.Text) *Document {
	s := splitter{doc: &Document{src: t.Multiline(), nests: make([]nest, 1)}}
	s.run()
	return s.doc
}
