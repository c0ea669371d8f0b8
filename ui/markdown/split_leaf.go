package markdown

import (
	"strings"
	"unicode/utf8"

	"vise/ui/markdown/layout"
)

// leafLine adds the line, its containers being open, to the leaf or begins another.
func (s *splitter) leafLine() {
	if s.leaf.open && s.continues() {
		return
	}
	s.close()
	rest := s.rest()
	spaces := indentation(rest)
	text := rest[spaces:]
	switch {
	case s.deep:
		s.begin(Plain)
	case spaces >= codeIndent:
		s.begin(Code)
	case headingLevel(text) > 0:
		s.begin(Heading)
		s.close()
	case fenceLength(text) > 0:
		s.beginFence(text, spaces)
	case isRule(text):
		s.begin(Rule)
		s.close()
	case htmlEnd(text) != "":
		s.beginHTML(text)
	case s.define(text):
		s.begin(Definition)
		s.close()
	default:
		s.begin(Paragraph)
	}
}

// continues adds the line to the open leaf if it belongs there.
func (s *splitter) continues() bool {
	rest := s.rest()
	switch s.leaf.Kind {
	case Paragraph:
		return s.continuesParagraph(rest)
	case Table:
		if s.startsBlock(false) {
			return false
		}
	case Code:
		if indentation(rest) < codeIndent {
			return false
		}
	}
	s.extend()
	if end := s.leaf.until; end != "" && strings.Contains(rest, end) {
		s.close()
	}
	return true
}

func (s *splitter) continuesParagraph(rest string) bool {
	text := strings.TrimLeft(rest, " ")
	switch {
	case isUnderline(text):
		s.leaf.Kind = Heading
		s.extend()
		s.close()
	case s.leaf.lines == 1 && isTableRule(text) && strings.Contains(s.doc.src[s.leaf.start:s.leaf.end], "|"):
		s.leaf.Kind = Table
		s.leaf.aux = s.leaf.start
		s.extend()
	case s.startsBlock(false):
		return false
	default:
		s.extend()
	}
	return true
}

// startsBlock reports whether what is left of the line cannot go on with a paragraph. After
// an item of a list any mark of an item begins a sibling.
func (s *splitter) startsBlock(sibling bool) bool {
	rest := s.rest()
	spaces := indentation(rest)
	if spaces >= codeIndent || spaces == len(rest) {
		return false
	}
	text := rest[spaces:]
	if headingLevel(text) > 0 || fenceLength(text) > 0 || isRule(text) || htmlEnd(text) != "" {
		return true
	}
	marker, columns := nestMarker(text)
	return columns > 0 && (sibling || interrupts(marker, text))
}

// begin opens a leaf with what is left of the line.
func (s *splitter) begin(k Kind) {
	s.leaf = leaf{Block: Block{Kind: k, Gap: s.gap, From: s.line, To: s.line, fresh: s.fresh, start: int32(s.at), end: int32(s.at)}, open: true}
	if len(s.open) > 0 {
		s.leaf.nest = s.open[len(s.open)-1]
	}
	s.gap, s.fresh = false, 0
	s.extend()
}

func (s *splitter) beginFence(text string, spaces int) {
	n := fenceLength(text)
	s.begin(Fence)
	s.leaf.char, s.leaf.length = text[0], n
	s.leaf.aux = int32(len(s.doc.fences))
	s.doc.fences = append(s.doc.fences, fence{info: strings.TrimSpace(text[n:]), indent: spaces, opened: s.line})
	s.leaf.start, s.leaf.lines = int32(min(s.end+1, len(s.doc.src))), 0
	s.leaf.end = s.leaf.start
}

func (s *splitter) fenceLine() {
	text := strings.TrimLeft(s.rest(), " ")
	if n := fenceLength(text); n >= s.leaf.length && text[0] == s.leaf.char && isBlank(text[n:]) {
		s.leaf.To = s.line
		s.close()
		return
	}
	s.doc.fences[s.leaf.aux].bytes += s.end - s.at + 1
	if s.leaf.lines == 0 {
		s.leaf.start, s.leaf.end = int32(s.at), int32(s.at)
	}
	s.extend()
}

func (s *splitter) beginHTML(text string) {
	until := htmlEnd(text)
	s.begin(HTML)
	if until == "\n" {
		return
	}
	if s.leaf.until = until; strings.Contains(text, until) {
		s.close()
	}
}

// define remembers a link definition.
func (s *splitter) define(text string) bool {
	const most = 500
	label, ref, ok := definition(text)
	if !ok {
		return false
	}
	if s.doc.refs == nil {
		s.doc.refs = map[string]layout.Reference{}
	}
	key := refKey(label)
	if _, known := s.doc.refs[key]; !known && len(s.doc.refs) < most {
		s.doc.refs[key] = ref
		s.doc.refsHash += hashOf(key, ref.Address, ref.Title)
	}
	return true
}

// extend adds what is left of the line to the leaf, in parts if there is too much.
func (s *splitter) extend() {
	size := partBytes
	if s.leaf.Kind == Paragraph || s.leaf.Kind == Heading || s.leaf.Kind == Table {
		size = proseSize
	}
	if s.leaf.lines > 0 && (s.leaf.lines >= partLines || s.end-int(s.leaf.start) > size) {
		s.split(s.at)
	}
	s.leaf.To, s.leaf.end = s.line, int32(s.end)
	s.leaf.lines++
	switch s.leaf.Kind {
	case Fence, Code, Rule:
		return // a long line of code is cut when it is shown
	case Table:
		if s.end-s.at <= size {
			return
		}
		s.leaf.Kind = Plain
	}
	for int(s.leaf.end-s.leaf.start) > size {
		cut := breakAt(s.doc.src[s.leaf.start:s.leaf.end], size)
		s.leaf.end = s.leaf.start + int32(cut)
		s.split(int(s.leaf.end))
		s.leaf.end = int32(s.end)
		s.leaf.lines++
	}
}

// split emits the leaf and goes on with another of its kind that starts at at.
func (s *splitter) split(at int) {
	part := leaf{Block: s.leaf.Block, open: true, char: s.leaf.char, length: s.leaf.length, until: s.leaf.until}
	part.part, part.Gap, part.fresh = true, false, 0
	part.From, part.To, part.start, part.end = s.line, s.line, int32(at), int32(at)
	s.close()
	s.leaf = part
}

// close emits the open leaf.
func (s *splitter) close() {
	if !s.leaf.open {
		return
	}
	b := s.leaf.Block
	s.leaf.open = false
	flags := [...]byte{byte(b.Kind), b.fresh, 0}
	if b.part {
		flags[2] = 1
	}
	if b.Kind == Fence {
		flags[2] |= 2
	}
	b.hash = hashOf(s.doc.src[b.start:b.end], string(flags[:]), s.info(&b)) + s.doc.nests[b.nest].hash
	b.links = strings.IndexByte(s.doc.src[b.start:b.end], '[') >= 0
	if n := len(s.doc.Blocks); n == 0 {
		b.Gap = false
	} else if before := s.doc.Blocks[n-1].Kind; before == Heading {
		b.Gap = false
	} else if b.Kind == Heading {
		b.Gap = !b.part
	}
	s.doc.Blocks = append(s.doc.Blocks, b)
}

func (s *splitter) info(b *Block) string {
	if b.Kind == Fence {
		return s.doc.fences[b.aux].info
	}
	return ""
}

// breakAt is where to break a text that is too long: after a space, else between characters.
func breakAt(text string, size int) int {
	if i := strings.LastIndexByte(text[:size], ' '); i > size/2 {
		return i + 1
	}
	for size > 1 && !utf8.RuneStart(text[size]) {
		size--
	}
	return size
}
