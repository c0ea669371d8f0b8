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

// Diff is the set of files that differ between the start of the work and a work tree.
type Diff struct {
	// Dir is the work tree.
	Dir model.Text `json:"worktree,omitempty"`
	// Base is the commit with which the work tree is compared. Began says that it was recorded as the start of the work. Otherwise Since is
	// the branch that HEAD left at this commit, or empty.
	Base  string     `json:"base,omitempty"`
	Began bool       `json:"began,omitempty"`
	Since model.Text `json:"since,omitempty"`
	Files []DiffFile `json:"-"`
	// More is the number of files that are left out.
	More int `json:"more_files,omitempty"`
	// Problem is the reason why there is nothing to show.
	Problem model.Text `json:"problem,omitempty"`
}

// DiffFile is a file that differs.
type DiffFile struct {
	// Path is the file's path below the work tree. Old is its earlier path, if that was another.
	Path, Old model.Text
	// Status is git's letter: A, M, D, R, C, T or U, or ? for an untracked file.
	Status byte
	// Binary: the file is no text. Counted: Added and Removed are known.
	Binary, Counted bool
	Added, Removed  int
	// Print changes when the file changes.
	Print string
}

// Hunks are the changed lines of a file.
type Hunks struct {
	List []Hunk
	// Cut: there are more lines than are kept. Problem is the reason why the lines are not known.
	Cut     bool
	Problem model.Text
}

// Hunk is a run of changed lines, with some lines around them.
type Hunk struct {
	// Old and New are the line numbers of its first line.
	Old, New int
	// Heading is the function or section in which git found it.
	Heading model.Text
	Lines   []DiffLine
}

// LineOf returns a line's number in the new file. For a removed line it is the number of the next line that exists.
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
	// Old and New are its line numbers, or 0 on the side where it does not exist.
	Old, New int
	Text     model.Text
	// From and To bound the bytes of Text that differ from the matching line on the other side.
	From, To int
}

// Bounds of a patch: the number of lines, and the bytes that are kept of a line.
const (
	maxPatchLines = 20_000
	maxLineBytes  = 4 << 10
)

// ParseHunks reads the hunks of one file's patch, as git prints it. It skips text before a hunk. From an incomplete patch it returns the
// part that is there.
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
			continue // "no newline at end of file" is not a line
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

// hunkOf reads the head of a hunk, and the number of its lines in the old and the new file. For any other line it returns zero values.
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

// lineText returns a line as it is kept. A long line is cut at the end of a character.
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

// AddedHunks returns the patch of a new file.
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

// pair marks the differences in lines that match each other: removed lines followed by the same number of added lines.
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

// run counts the lines with a sign at the start of lines.
func run(lines []DiffLine, sign byte) int {
	for i, l := range lines {
		if l.Sign != sign {
			return i
		}
	}
	return len(lines)
}

// differ returns the parts of a and b between their common first and last words. If they have no word in common, it returns nothing.
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

// wordStart returns at, or the start of the word around it.
func wordStart(a, b string, at int) int {
	for at > 0 && (inWord(a, at) || inWord(b, at)) {
		at--
	}
	return at
}

// inWord reports whether a byte offset is inside a word or a character.
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

// nearLines is how far from its old place a commented line is searched for.
const nearLines = 60

// Changed reports whether the lines of a comment have changed. raw and hash are the file's present content. The lines have changed if the
// file has, and no line near the old place has the quoted text.
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

// QuoteOf returns what a comment quotes of a line. A removed line has a - before it.
func QuoteOf(l DiffLine) model.Text {
	if l.Sign == '-' {
		return "-" + l.Text
	}
	return l.Text
}
