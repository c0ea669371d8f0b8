package thread

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vise/model"
)

// Diff are the files that differ between where work began and a work tree.
type Diff struct {
	// Dir is the work tree.
	Dir model.Text
	// Base is the commit that the work tree is compared with. Began: it was recorded as the one where the work began;
	// else Since is the branch that HEAD left there, and empty where there is none.
	Base  string
	Began bool
	Since model.Text
	Files []DiffFile
	// More is how many files are left out.
	More int
	// Problem is why there is nothing to show.
	Problem model.Text
}

// DiffFile is a file that differs.
type DiffFile struct {
	// Path is where it is below the work tree, Old where it was if that was elsewhere.
	Path, Old model.Text
	// Status is git's letter: A, M, D, R, C, T or U; ? stands for a file that git does not track.
	Status byte
	// Binary: it is no text. Counted: Added and Removed are known.
	Binary, Counted bool
	Added, Removed  int
	// Print differs when the file does.
	Print string
}

// Hunks are the lines of a file that differ.
type Hunks struct {
	List []Hunk
	// Cut: there are more than are kept. Problem is why they are not known.
	Cut     bool
	Problem model.Text
}

// Hunk is a run of lines that differ, with some around them.
type Hunk struct {
	// Old and New are the numbers of its first line.
	Old, New int
	// Heading is what git found it in: a function, a section.
	Heading model.Text
	Lines   []DiffLine
}

// LineOf is the number of a line in the new file; of one that is gone that of the next that is there.
func (h Hunk) LineOf(i int) int {
	n := h.New
	for _, l := range h.Lines[:i+1] {
		if l.New > 0 {
			n = l.New
		}
	}
	if h.Lines[i].New == 0 && i > 0 && slices.ContainsFunc(h.Lines[:i], func(l DiffLine) bool { return l.New > 0 }) {
		n++
	}
	return max(n, 1)
}

// DiffLine is a line of a hunk.
type DiffLine struct {
	// Sign is a blank, + or -, as in a patch.
	Sign byte
	// Old and New are its numbers; 0 where it is not.
	Old, New int
	Text     model.Text
	// From and To are the bytes of Text that differ from the line that stands for it on the other side.
	From, To int
}

// Bounds of a patch: its lines, and the bytes of a line that are kept.
const (
	maxPatchLines = 20_000
	maxLineBytes  = 4 << 10
)

// ParseHunks reads the hunks of one file's patch, as git prints it; what stands before a hunk is passed over. A patch
// that breaks off gives what is there of it.
func ParseHunks(raw []byte) (p Hunks) {
	var hunk *Hunk
	var old, next, oldLeft, newLeft, lines int
	for len(raw) > 0 {
		var line []byte
		line, raw, _ = bytes.Cut(raw, []byte{'\n'})
		if oldLeft <= 0 && newLeft <= 0 {
			var h Hunk
			if h, oldLeft, newLeft = hunkOf(line); oldLeft > 0 || newLeft > 0 {
				p.List = append(p.List, h)
				hunk, old, next = &p.List[len(p.List)-1], h.Old, h.New
			}
			continue
		}
		if lines++; lines > maxPatchLines {
			p.Cut = true
			break
		}
		l := DiffLine{Sign: ' '}
		if len(line) > 0 {
			l.Sign, line = line[0], line[1:]
		}
		switch l.Sign {
		case '+':
			l.New, next, newLeft = next, next+1, newLeft-1
		case '-':
			l.Old, old, oldLeft = old, old+1, oldLeft-1
		case '\\':
			continue // no line break at the end: not a line
		default:
			l.Old, l.New, old, next, oldLeft, newLeft = old, next, old+1, next+1, oldLeft-1, newLeft-1
		}
		l.Text = lineText(line)
		hunk.Lines = append(hunk.Lines, l)
	}
	for i := range p.List {
		p.List[i].pair()
	}
	return p
}

// hunkOf reads the head of a hunk, and how many lines it has of the old file and of the new one; none of another line.
func hunkOf(line []byte) (h Hunk, old, next int) {
	head, heading, ok := strings.Cut(strings.TrimPrefix(string(line), "@@ "), " @@")
	if !ok || !bytes.HasPrefix(line, []byte("@@ ")) {
		return h, 0, 0
	}
	was, is, _ := strings.Cut(head, " ")
	span := func(s string, sign string) (from, n int) {
		if _, err := fmt.Sscanf(s, sign+"%d,%d", &from, &n); err == nil {
			return from, n
		}
		if _, err := fmt.Sscanf(s, sign+"%d", &from); err != nil {
			return 0, 0
		}
		return from, 1
	}
	h.Old, old = span(was, "-")
	h.New, next = span(is, "+")
	h.Heading = lineText([]byte(strings.TrimSpace(heading)))
	return h, old, next
}

// lineText is a line as it is kept: a long one is cut, at the end of a character.
func lineText(line []byte) model.Text {
	if len(line) > maxLineBytes {
		n := maxLineBytes
		for n > 0 && !utf8.RuneStart(line[n]) {
			n--
		}
		return model.Text(line[:n]) + "…"
	}
	return model.Text(bytes.TrimSuffix(line, []byte{'\r'}))
}

// AddedHunks is the patch of a file that was not there before.
func AddedHunks(raw []byte) (p Hunks) {
	var h Hunk
	for line := range bytes.Lines(raw) {
		if len(h.Lines) == maxPatchLines {
			p.Cut = true
			break
		}
		n := len(h.Lines) + 1
		h.Lines = append(h.Lines, DiffLine{Sign: '+', New: n, Text: lineText(bytes.TrimSuffix(line, []byte{'\n'}))})
	}
	if h.New = 1; len(h.Lines) > 0 {
		p.List = []Hunk{h}
	}
	return p
}

// pair marks what differs in lines that stand for each other: as many that came as went before them.
func (h *Hunk) pair() {
	for i := 0; i < len(h.Lines); {
		gone := run(h.Lines[i:], '-')
		came := run(h.Lines[i+gone:], '+')
		if gone == came {
			for k := i; k < i+gone; k++ {
				a, b := &h.Lines[k], &h.Lines[k+gone]
				a.From, a.To, b.From, b.To = differ(string(a.Text), string(b.Text))
			}
		}
		i += max(gone+came, 1)
	}
}

// run counts the lines with a sign at the beginning of some.
func run(lines []DiffLine, sign byte) int {
	for i, l := range lines {
		if l.Sign != sign {
			return i
		}
	}
	return len(lines)
}

// differ is the part of a and the part of b between the words with which both begin and end; nothing where they have
// no word in common.
func differ(a, b string) (aFrom, aTo, bFrom, bTo int) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	head = wordStart(a, b, head)
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	for tail > 0 && (inWord(a, len(a)-tail) || inWord(b, len(b)-tail)) {
		tail--
	}
	if strings.TrimSpace(a[:head]) == "" && strings.TrimSpace(a[len(a)-tail:]) == "" {
		return 0, 0, 0, 0
	}
	return head, len(a) - tail, head, len(b) - tail
}

// wordStart is at, or where the word begins that it is inside of.
func wordStart(a, b string, at int) int {
	for at > 0 && (inWord(a, at) || inWord(b, at)) {
		at--
	}
	return at
}

// inWord reports whether a byte offset is inside of a word or of a character.
func inWord(s string, at int) bool {
	if at <= 0 || at >= len(s) {
		return false
	}
	if !utf8.RuneStart(s[at]) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	word := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	return word(before) && word(after)
}

// nearLines is how far from where it stood a line is looked for that was commented on.
const nearLines = 60

// Changed reports whether the lines that a comment is about are not as they were, in a file that has these bytes and
// this hash now: the file is another, and no line near there says what was quoted.
func Changed(x model.Comment, raw []byte, hash string) bool {
	if hash == x.Hash {
		return false
	}
	quote := strings.TrimSpace(x.Quote.Raw())
	if quote == "" || x.Line == 0 || strings.HasPrefix(x.Quote.Raw(), "-") {
		return true
	}
	n := 0
	for line := range bytes.Lines(raw) {
		n++
		if n >= x.Line-nearLines && n <= x.Line+nearLines && strings.HasPrefix(strings.TrimSpace(string(line)), quote) {
			return false
		}
	}
	return true
}

// QuoteOf is what a comment quotes of a line: one that is gone has a - before it.
func QuoteOf(l DiffLine) model.Text {
	if l.Sign == '-' {
		return "-" + l.Text
	}
	return l.Text
}
