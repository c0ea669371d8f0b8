package markdown

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// maxDepth bounds nested lists and quotes. Deeper ones are shown as written.
	maxDepth = 12
	// maxBlocks bounds the memory of a document. The rest is shown as written.
	maxBlocks = 100_000
	// partLines and partBytes bound a block. Longer ones are split into parts, because a block is rendered as a whole: Glamour takes 1.5 ms
	// per KB for prose, and 5 for code.
	partLines = 400
	partBytes = 8 << 10
	// maxRefs bounds the number of link definitions in a document, and maxRef the bytes of each.
	maxRefs = 500
	maxRef  = 1 << 10
	// codeIndent is the indentation that makes a line code.
	codeIndent = 4
)

// splitter finds top-level blocks, line by line. Glamour's parser, goldmark, finds them too. But linking it adds 1.2 ms to each start of a
// program, and it needs a minute for a megabyte of link definitions. If the splitter is wrong, a block looks different, but no letter is
// lost.
type splitter struct {
	doc *Document

	line    int32 // number of the line
	at, end int   // the line's bytes in the source
	gap     bool  // a blank line came before

	open   bool // lines are being added to leaf
	leaf   block
	lines  int
	quote  bool   // leaf is a quote
	closes string // the end of leaf, if it is a fence
	item   int    // where the text of leaf begins, if it is a list item; otherwise 0
	number int32  // of leaf, if it is an item of a numbered list

	numberEnd byte // what ends the numbers of the last such list
}

func (s *splitter) run() {
	src := s.doc.src
	for next := s.frontMatter(); next < len(src); {
		s.at, s.end = next, len(src)
		if i := strings.IndexByte(src[next:], '\n'); i >= 0 {
			s.end = next + i
		}
		next = s.end + 1
		s.line++
		s.takeLine(src[s.at:s.end])
	}
	s.close()
	s.doc.lines = int(s.line)
}

// frontMatter makes a block of metadata between lines of dashes and returns where the text begins. If a line does not look like metadata,
// all of it is text.
func (s *splitter) frontMatter() int {
	const longest = 200
	src := s.doc.src
	if !strings.HasPrefix(src, "---\n") {
		return 0
	}
	keys := 0
	for at, line := 4, int32(2); at < len(src) && line < longest; line++ {
		text, _, _ := strings.Cut(src[at:], "\n")
		at += len(text) + 1
		switch {
		case keys > 0 && (text == "---" || text == "..."):
			s.leaf, s.open = block{kind: frontMatter, from: 1, to: line, end: int32(at - 1)}, true
			s.close()
			s.line, s.gap = line, true
			return at
		case isKey(text):
			keys++
		case keys == 0 || text != "" && text[0] != ' ' && text[0] != '-' && text[0] != '#':
			return 0
		}
	}
	return 0
}

func (s *splitter) takeLine(line string) {
	text := strings.TrimLeft(line, " ")
	spaces := len(line) - len(text)
	switch {
	case len(s.doc.blocks) >= maxBlocks:
		if s.leaf.kind != plain {
			s.close()
			s.begin(plain)
			return
		}
		s.extend()
	case s.open && s.leaf.kind == fence:
		s.extend()
		if spaces < codeIndent && fenceLength(text) >= len(s.closes) && strings.Trim(text, s.closes[:1]+" ") == "" {
			s.close()
		}
	case text == "":
		if s.gap = true; s.item == 0 {
			s.close()
		}
	case s.open && s.continues(text, spaces):
		s.extend()
	default:
		s.close()
		s.beginBlock(text, spaces)
	}
}

// continues reports whether a line belongs to the open block.
func (s *splitter) continues(text string, spaces int) bool {
	switch {
	case s.item > 0 && spaces >= s.item:
		s.gap = false
		return true
	case s.gap || s.leaf.kind == plain:
		return false
	case s.quote && text[0] == '>' || spaces >= codeIndent:
		return true
	}
	if s.item == 0 && !s.quote && s.leaf.kind == prose {
		if isUnderline(text) {
			s.leaf.kind = heading
			return true
		}
		if s.lines == 1 && isTableRule(text) && strings.Contains(s.doc.src[s.leaf.start:s.leaf.end], "|") {
			s.leaf.kind = table
			return true
		}
	}
	return s.leaf.kind != heading && !startsBlock(text, s.item > 0)
}

// startsBlock reports whether a line cannot continue a paragraph. After a list item every list mark begins another item.
func startsBlock(text string, sibling bool) bool {
	if isHeading(text) || fenceLength(text) > 0 || isRule(text) || text[0] == '>' || isFootnote(text) {
		return true
	}
	marker, columns := itemMarker(text)
	return columns > 0 && (sibling || interrupts(marker, text))
}

func (s *splitter) beginBlock(text string, spaces int) {
	marker, columns := itemMarker(text)
	switch {
	case spaces >= codeIndent:
		s.begin(prose)
	case isHeading(text):
		s.begin(heading)
		s.close()
	case fenceLength(text) > 0:
		s.closes = text[:fenceLength(text)]
		s.begin(fence)
	case isRule(text):
		s.begin(prose)
		s.close()
	case s.define(text):
		s.begin(plain)
		s.close()
	default:
		s.quote = text[0] == '>'
		if marker != "" {
			s.item = spaces + columns
		}
		s.number = s.numberOf(marker)
		s.begin(prose)
	}
}

// numberOf is the number and one of a list item. Only the first of a list counts as written.
func (s *splitter) numberOf(marker string) int32 {
	number, err := strconv.Atoi(marker[:max(len(marker)-1, 0)])
	if err != nil {
		return 0
	}
	end := marker[len(marker)-1]
	if n := len(s.doc.blocks); n > 0 && s.doc.blocks[n-1].number > 0 && s.numberEnd == end {
		return s.doc.blocks[n-1].number + 1
	}
	s.numberEnd = end
	return int32(number) + 1
}

// begin opens a block with the line.
func (s *splitter) begin(k kind) {
	at := int32(s.at)
	s.leaf, s.open = block{kind: k, gap: s.gap, from: s.line, start: at, end: at, head: at, number: s.number}, true
	s.gap, s.lines = false, 0
	s.extend()
}

// extend adds the line to the block, and splits the block if it is too long.
func (s *splitter) extend() {
	if s.lines > 0 && (s.lines >= partLines || s.end-int(s.leaf.start) > partBytes) {
		s.split(s.at)
	}
	s.leaf.to, s.leaf.end = s.line, int32(s.end)
	s.lines++
	if s.leaf.kind == fence {
		return // a long line of code is cut when it is shown
	}
	if tooDeep(s.doc.src[s.at:s.end]) || s.leaf.kind == table && s.end-s.at > partBytes {
		s.leaf.kind = plain
	}
	for int(s.leaf.end-s.leaf.start) > partBytes {
		cut := int(s.leaf.start) + breakAt(s.doc.src[s.leaf.start:s.leaf.end], partBytes)
		s.leaf.end = int32(cut)
		s.split(cut)
		s.leaf.end, s.lines = int32(s.end), 1
	}
}

// split ends the block and continues it with another part from at on.
func (s *splitter) split(at int) {
	part, item, quote := s.leaf, s.item, s.quote
	part.part, part.gap, part.indent = true, false, int32(item)
	part.from, part.to, part.start, part.end = s.line, s.line, int32(at), int32(at)
	s.close()
	s.leaf, s.open, s.lines, s.item, s.quote = part, true, 0, item, quote
}

// close ends the open block.
func (s *splitter) close() {
	s.item, s.quote, s.number = 0, false, 0
	if !s.open {
		return
	}
	s.open = false
	b, d := s.leaf, s.doc
	text := d.src[b.start:b.end]
	b.hash = hashOf(text, d.header(&b), string([]byte{byte(b.kind), byte(b.indent)}), strconv.Itoa(int(b.number)))
	b.links = strings.IndexByte(text, '[') >= 0
	if n := len(d.blocks); n == 0 || d.blocks[n-1].kind == heading {
		b.gap = false
	} else if b.kind == heading {
		b.gap = !b.part
	}
	d.blocks = append(d.blocks, b)
}

// define keeps a link definition, "[label]: address "title"".
func (s *splitter) define(text string) bool {
	label, address, ok := strings.Cut(text, "]:")
	if !ok || len(label) < 2 || label[0] != '[' || isFootnote(text) || strings.ContainsAny(label[1:], "[]") ||
		strings.TrimSpace(address) == "" || len(text) > maxRef {
		return false
	}
	if s.doc.refs == nil {
		s.doc.refs = map[string]string{}
	}
	key := refKey(label[1:])
	if _, known := s.doc.refs[key]; !known && len(s.doc.refs) < maxRefs {
		s.doc.refs[key] = text
		s.doc.refsHash += hashOf(text)
	}
	return true
}

// breakAt returns where to break a text that is too long: after a space, or else between characters.
func breakAt(text string, size int) int {
	if i := strings.LastIndexByte(text[:size], ' '); i > size/2 {
		return i + 1
	}
	for size > 1 && !utf8.RuneStart(text[size]) {
		size--
	}
	return size
}
