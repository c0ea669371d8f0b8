package markdown

import "strings"

const (
	// maxDepth bounds lists and quotes in one another; what lies deeper is shown as written.
	maxDepth = 12
	// maxBlocks bounds the memory of a document; what follows is shown as written.
	maxBlocks = 100_000
	// partLines and partBytes bound a block. Longer ones are split into parts, because a
	// block is rendered whole: Glamour takes 1.5 ms a KB for a paragraph.
	partLines = 400
	partBytes = 16 << 10
	proseSize = 8 << 10
	// codeIndent is what makes an indented line code.
	codeIndent = 4
)

// splitter goes through a text line by line. It knows as much of CommonMark's block
// structure as a reader of plans does; where it errs, a block looks different but no
// letter is lost.
type splitter struct {
	doc *Document

	line    int32 // number of the line
	at, end int   // what is left of the line in src
	open    []int32
	leaf    leaf
	gap     bool  // a blank line came before
	fresh   uint8 // containers opened since the last block
	deep    bool  // this line goes deeper than maxDepth
}

// leaf is the block that lines are being added to.
type leaf struct {
	Block
	open  bool
	lines int
	// of a fence
	char   byte
	length int
	// of HTML: what ends it, a blank line if empty
	until string
}

func (s *splitter) run() {
	src := s.doc.src
	for next := s.frontMatter(); next < len(src); {
		s.at, s.end = next, len(src)
		if i := strings.IndexByte(src[next:], '\n'); i >= 0 {
			s.end = next + i
		}
		empty := s.end == next
		next = s.end + 1
		s.line++
		if len(s.doc.Blocks) < maxBlocks && len(s.doc.nests) < maxBlocks {
			s.takeLine()
		} else {
			s.takePlain()
		}
		// What is empty behind an empty line changes nothing.
		for empty && !s.leaf.open && next < len(src) && src[next] == '\n' {
			s.line++
			next++
		}
	}
	s.close()
	s.doc.lines = int(s.line)
}

// frontMatter makes a block of metadata between lines of dashes and returns where the text
// begins. What does not look like metadata throughout is text.
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
			s.leaf = leaf{Block: Block{Kind: FrontMatter, From: 1, To: line, end: int32(at - 1)}, open: true}
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

func (s *splitter) rest() string { return s.doc.src[s.at:s.end] }

func (s *splitter) takeLine() {
	matched := s.match()
	if s.leaf.open && s.leaf.Kind == Fence && matched == len(s.open) {
		s.fenceLine()
		return
	}
	if isBlank(s.rest()) {
		s.blankLine(matched)
		return
	}
	if matched < len(s.open) {
		sibling := s.doc.nests[s.open[matched]].indent > 0
		if s.leaf.open && s.leaf.Kind == Paragraph && !s.startsBlock(sibling) {
			s.extend()
			return
		}
		s.close()
		s.open = s.open[:matched]
	}
	s.deep = false
	if opened := s.openNests(); opened && isBlank(s.rest()) {
		s.emptyItem()
		return
	}
	s.leafLine()
}

// match moves past the marks of the open containers and counts those that go on.
func (s *splitter) match() int {
	for i, at := range s.open {
		n := &s.doc.nests[at]
		rest := s.rest()
		spaces := indentation(rest)
		switch {
		case n.indent == 0 && spaces < codeIndent && spaces < len(rest) && rest[spaces] == '>':
			s.at += spaces + 1
			if s.at < s.end && s.doc.src[s.at] == ' ' {
				s.at++
			}
		case n.indent > 0 && spaces >= int(n.indent):
			s.at += int(n.indent)
		case n.indent > 0 && spaces == len(rest): // a blank line stays in its item
			s.at = s.end
		default:
			return i
		}
	}
	return len(s.open)
}

func (s *splitter) blankLine(matched int) {
	if s.leaf.open && s.leaf.until != "" && matched == len(s.open) {
		s.extend()
		return
	}
	s.close()
	s.open = s.open[:matched]
	s.gap = true
}

// openNests opens the list items and quotes that begin here.
func (s *splitter) openNests() (opened bool) {
	for s.at < s.end {
		rest := s.rest()
		spaces := indentation(rest)
		if spaces >= codeIndent || spaces == len(rest) || s.leaf.open && s.leaf.until != "" {
			return opened
		}
		if rest[spaces] != '>' && isRule(rest[spaces:]) {
			return opened
		}
		marker, columns := nestMarker(rest[spaces:])
		inParagraph := s.leaf.open && s.leaf.Kind == Paragraph
		if columns == 0 || inParagraph && !interrupts(marker, rest[spaces:]) {
			return opened
		}
		if len(s.open) == maxDepth {
			s.deep = true
			return opened
		}
		s.close()
		s.push(marker, spaces+columns)
		opened = true
	}
	return opened
}

func (s *splitter) push(marker string, columns int) {
	parent := int32(0)
	if len(s.open) > 0 {
		parent = s.open[len(s.open)-1]
	}
	n := nest{parent: parent, indent: int32(columns), marker: marker}
	if marker == ">" {
		n.indent = 0
	}
	n.hash = s.doc.nests[parent].hash*31 + hashOf(marker) + uint64(n.indent)
	s.open = append(s.open, int32(len(s.doc.nests)))
	s.doc.nests = append(s.doc.nests, n)
	s.at = min(s.at+columns, s.end)
	s.fresh++
}

// emptyItem shows a list item without text by its mark; an empty line of a quote is blank.
func (s *splitter) emptyItem() {
	if s.doc.nests[s.open[len(s.open)-1]].indent == 0 {
		s.gap = true
		return
	}
	s.begin(Paragraph)
	s.close()
}

// takePlain adds the line to what is shown as written.
func (s *splitter) takePlain() {
	if s.leaf.open && s.leaf.Kind != Plain {
		s.close()
	}
	s.open = s.open[:0]
	if !s.leaf.open {
		s.begin(Plain)
		return
	}
	s.extend()
}
