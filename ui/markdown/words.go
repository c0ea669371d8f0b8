package markdown

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"vise/ui/text"
)

// Words are the words in which the changed lines of a document differ, by source line. A line without an entry is not changed. A line whose
// words are all marks, such as a ticked box, is highlighted as a whole.
type Words map[int][]string

// mostWords bounds the words of a hunk that are compared. If there are more, all count as new.
const mostWords = 4000

// Words compares the lines of each hunk word by word.
func (c Changes) Words() Words {
	out := Words{}
	for len(c.Edits) > 0 {
		n := slices.IndexFunc(c.Edits, func(e edit) bool { return e.hunk != c.Edits[0].hunk })
		if n < 0 {
			n = len(c.Edits)
		}
		out.add(c.Edits[:n])
		c.Edits = c.Edits[n:]
	}
	return out
}

// add notes the new words of a hunk.
func (w Words) add(hunk []edit) {
	var before, now []string
	var lines []int // of each word of now
	for _, e := range hunk {
		words := strings.Fields(e.Text)
		if e.New == 0 {
			before = append(before, words...)
			continue
		}
		w[e.New] = nil
		for _, x := range words {
			now, lines = append(now, x), append(lines, e.New)
		}
	}
	if len(before) == 0 || len(before)+len(now) > mostWords {
		for i, x := range now {
			w[lines[i]] = append(w[lines[i]], bare(x))
		}
		return
	}
	for _, e := range compared(terminated(strings.Join(before, "\n")), terminated(strings.Join(now, "\n"))) {
		if e.New > 0 {
			line := lines[e.New-1]
			w[line] = append(w[line], bare(e.Text))
		}
	}
}

// bare returns a word without the marks around it, which are laid out differently. For a box it is empty.
func bare(word string) string {
	if word == "[x]" || word == "[X]" {
		return ""
	}
	return strings.TrimFunc(text.Whole(word), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// On returns the places of new words in a line on screen.
func (w Words) On(l Line) (found []Match) {
	var words []string
	for n := l.From; n > 0 && n <= l.To; n++ {
		words = append(words, w[n]...)
	}
	if len(words) == 0 {
		return nil
	}
	marks := !slices.ContainsFunc(words, func(x string) bool { return x != "" })
	line := ansi.Strip(l.text)
	for at := 0; at < len(line); {
		from := at + len(line[at:]) - len(strings.TrimLeft(line[at:], " "))
		word, _, _ := strings.Cut(line[from:], " ")
		at = from + len(word)
		if word != "" && (marks || bare(word) != "" && slices.Contains(words, bare(word))) {
			found = append(found, Match{At: l.At, Column: text.Width(line[:from]), Width: text.Width(word)})
		}
	}
	return found
}
