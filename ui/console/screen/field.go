package screen

import (
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/ui/text"
)

// Field is a text input: grapheme clusters with a cursor between them. It makes its text safe to draw, like any other text from outside,
// because pasted text and an agent's text also get into it. (The text widgets of bubbles draw their value unchanged. Importing them also
// searches PATH for clipboard programs at every start of the program, including the command line.)
type Field struct {
	clusters []string
	at       int
	// Rows is the number of visible lines. A field of one row holds one line.
	Rows int
	// top is the first visible visual line.
	top int
	// limit bounds the text in Unicode scalars.
	limit int
}

// NewField makes a field with a value, a number of rows and a limit.
func NewField(value string, rows, limit int) Field {
	f := Field{Rows: rows, limit: limit}
	f.Insert(value)
	return f
}

// Value is the text. Empty reports whether it has only blanks.
func (f Field) Value() string { return strings.Join(f.clusters, "") }
func (f Field) Empty() bool   { return strings.TrimSpace(f.Value()) == "" }

// Set replaces the text.
func (f *Field) Set(value string) (lost int) {
	f.clusters, f.at = nil, 0
	return f.Insert(value)
}

// Insert inserts typed or pasted text at the cursor, up to the limit, and returns how many Unicode scalars did not fit.
func (f *Field) Insert(s string) (lost int) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	if f.Rows == 1 {
		s = strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", " ")
	}
	before, after := strings.Join(f.clusters[:f.at], ""), strings.Join(f.clusters[f.at:], "")
	free := f.limit - utf8.RuneCountInString(before) - utf8.RuneCountInString(after)
	lost = max(utf8.RuneCountInString(s)-free, 0)
	s = firstRunes(s, free)
	f.clusters = clustersOf(before + s + after)
	f.at = 0
	for n := len(before) + len(s); n > 0 && f.at < len(f.clusters); f.at++ {
		n -= len(f.clusters[f.at])
	}
	return lost
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

func clustersOf(s string) []string {
	var out []string
	for s != "" {
		c, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if c == "" {
			c = s[:1]
		}
		out = append(out, c)
		s = s[len(c):]
	}
	return out
}

// Press handles an editing key. It reports whether the key had a meaning.
func (f *Field) Press(k tea.KeyPressMsg, w int) bool {
	switch s := k.String(); s {
	case "left", "ctrl+b":
		f.at = max(f.at-1, 0)
	case "right", "ctrl+f":
		f.at = min(f.at+1, len(f.clusters))
	case "home", "ctrl+a":
		f.at = f.lineStart()
	case "end", "ctrl+e":
		f.at = f.lineEnd()
	case "alt+left", "alt+b":
		f.at = f.wordStart()
	case "alt+right", "alt+f":
		f.at = f.wordEnd()
	case "backspace":
		f.cut(f.at-1, f.at)
	case "delete":
		f.cut(f.at, f.at+1)
	case "ctrl+w", "alt+backspace":
		f.cut(f.wordStart(), f.at)
	case "ctrl+u":
		f.cut(f.lineStart(), f.at)
	case "ctrl+k":
		f.cut(f.at, f.lineEnd())
	case "up", "down":
		return f.vertical(s == "down", w)
	default:
		typed := k.Text
		if s == "enter" && f.Rows > 1 {
			typed = "\n"
		}
		if typed == "" || k.Mod&^tea.ModShift != 0 {
			return false
		}
		f.Insert(typed)
	}
	return true
}

func (f *Field) cut(from, to int) {
	from, to = max(from, 0), min(to, len(f.clusters))
	if from >= to {
		return
	}
	f.clusters = slices.Concat(f.clusters[:from], f.clusters[to:])
	f.at = from
}

// back and forth return the place reached from at over clusters that are (in) or are not in the set.
func (f Field) back(at int, set string, in bool) int {
	for at > 0 && strings.Contains(set, f.clusters[at-1]) == in {
		at--
	}
	return at
}

func (f Field) forth(at int, set string, in bool) int {
	for at < len(f.clusters) && strings.Contains(set, f.clusters[at]) == in {
		at++
	}
	return at
}

const blanks = " \n\t"

func (f Field) lineStart() int { return f.back(f.at, "\n", false) }
func (f Field) lineEnd() int   { return f.forth(f.at, "\n", false) }
func (f Field) wordStart() int { return f.back(f.back(f.at, blanks, true), blanks, false) }
func (f Field) wordEnd() int   { return f.forth(f.forth(f.at, blanks, true), blanks, false) }

// span is a visual line: clusters from first to last, without the line break at its end.
type span struct{ first, last int }

// spans breaks the text into visual lines of at most w cells, between words if possible.
func (f Field) spans(w int) []span {
	w = max(w-1, 1) // the cursor needs a cell after the last character
	var out []span
	start, cells, word := 0, 0, 0
	for i, c := range f.clusters {
		if c == "\n" {
			out = append(out, span{start, i})
			start, cells, word = i+1, 0, i+1
			continue
		}
		n := text.Width(shownCluster(c))
		if cells+n > w && i > start {
			if word <= start {
				word = i
			}
			out = append(out, span{start, word})
			start, cells = word, 0
			for _, d := range f.clusters[start:i] {
				cells += text.Width(shownCluster(d))
			}
		}
		cells += n
		if c == " " {
			word = i + 1
		}
	}
	return append(out, span{start, len(f.clusters)})
}

// shownCluster returns a character safe to draw on a terminal of unknown abilities, with the same width on every terminal.
func shownCluster(c string) string { return text.Safe(model.Text(c).String(), false) }

// vertical moves the cursor by a visual line. It returns false at the first and the last line.
func (f *Field) vertical(down bool, w int) bool {
	spans := f.spans(w)
	line := f.lineOf(spans)
	next := line - 1
	if down {
		next = line + 1
	}
	if next < 0 || next >= len(spans) {
		return false
	}
	column := f.at - spans[line].first
	f.at = min(spans[next].first+column, spans[next].last)
	if next+1 < len(spans) && f.at == spans[next+1].first && f.at > spans[next].first {
		f.at--
	}
	return true
}

func (f Field) lineOf(spans []span) int {
	for i := len(spans) - 1; i > 0; i-- {
		if f.at >= spans[i].first {
			return i
		}
	}
	return 0
}

// Draw returns the field's rows at width w, and the cursor's place in them.
func (f Field) Draw(w int, k *Styles) (lines []string, x, y int) {
	spans := f.spans(w)
	line := f.lineOf(spans)
	top := min(max(f.top, line-f.Rows+1), line)
	if f.Rows == 1 {
		top = line
	}
	for i := top; i < min(top+f.Rows, len(spans)); i++ {
		var b strings.Builder
		for j := spans[i].first; j < spans[i].last; j++ {
			b.WriteString(k.Safe(model.Text(f.clusters[j]).String()))
		}
		lines = append(lines, b.String())
	}
	for j := spans[line].first; j < f.at; j++ {
		x += text.Width(shownCluster(f.clusters[j]))
	}
	for len(lines) < f.Rows {
		lines = append(lines, "")
	}
	return lines, x, line - top
}
