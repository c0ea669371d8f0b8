// Package markdown shows a plan as it is edited. It splits Markdown into its top-level blocks, lets Glamour render the visible ones, and
// keeps the result.
//
// All text is sanitised before it is split. A block has at most 8 KB and a bounded depth, and Glamour's output is filtered. If Glamour
// would hide words of a block, the block is shown as written.
//
// A Document never changes and can be shared. A Renderer keeps the rendered blocks of all documents and widths; goroutines can share it.
// Rendering takes milliseconds, so a program with an event loop renders outside the loop.
package markdown

import (
	"hash/maphash"
	"strings"

	"vise/model"
)

type kind uint8

const (
	prose       kind = iota // paragraphs, a list item, a quote, indented code, a rule
	heading                 // with # or underlined
	fence                   // code between fences, or a part of it
	table                   // with its header, repeated for each part of a long table
	plain                   // too deep or too long to render, or a link's definition: shown as written
	frontMatter             // metadata before the text: shown as one line that says so
)

// block is a top-level block, or an item of a top-level list.
type block struct {
	kind kind
	gap  bool // a blank line comes before it
	// from and to are its first and last source line, counted from one.
	from, to int32

	links      bool  // can use link definitions
	part       bool  // continues the block before
	indent     int32 // of a part of a list item: the indentation of its lines
	number     int32 // of an item of a numbered list: its number and one; otherwise 0
	start, end int32 // its bytes in the source
	head       int32 // of a part of a fence or a table: where its first line is
	hash       uint64
}

// Document is a Markdown text split into blocks.
type Document struct {
	blocks []block

	src   string
	lines int
	refs  map[string]string // link definitions by label

	refsHash uint64
}

// seed makes block hashes in which a hostile text cannot cause collisions.
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

// text returns the lines of b.
func (d *Document) text(b *block) []string {
	lines := strings.Split(d.src[b.start:b.end], "\n")
	if b.indent > 0 {
		for i := range lines {
			lines[i] = lines[i][min(indentation(lines[i]), int(b.indent)):]
		}
	}
	return lines
}

// header returns the lines of a fence or a table that its parts repeat before their own lines.
func (d *Document) header(b *block) string {
	first, rest, _ := strings.Cut(d.src[b.head:], "\n")
	switch {
	case !b.part || b.kind != fence && b.kind != table:
		return ""
	case b.kind == fence:
		return first + "\n"
	}
	rule, _, _ := strings.Cut(rest, "\n")
	return first + "\n" + rule + "\n"
}

// definitions returns the link definitions that a text can use.
func (d *Document) definitions(text string) string {
	const longest = 200
	var b strings.Builder
	used := map[string]bool{}
	for rest := text; len(d.refs) > 0; {
		_, after, ok := strings.Cut(rest, "[")
		if !ok {
			break
		}
		rest = after
		label, _, _ := strings.Cut(after[:min(len(after), longest)], "]")
		if key := refKey(label); d.refs[key] != "" && !used[key] {
			used[key] = true
			b.WriteString("\n" + d.refs[key])
		}
	}
	return b.String()
}

// Split splits Markdown into blocks, in time proportional to its length.
func Split(t model.Text) *Document {
	s := splitter{doc: &Document{src: t.Multiline()}}
	s.run()
	return s.doc
}
