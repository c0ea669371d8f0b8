package model

import "strings"

// Text is words from outside: an agent, an operator, a file, a webhook. Its String is
// safe on a terminal; fmt uses it, so that printing a Text cannot drive one. Raw is what
// was written, for files, comparisons and storage.
//
// What a terminal would obey or not show (controls, escape sequences, bidirectional
// overrides, zero-width and tag characters) becomes TextMark, bytes that are not UTF-8
// become U+FFFD. Nothing else changes, and nothing vanishes: a run of hidden characters
// leaves one mark.
type Text string

// TextMark stands for a run of characters that a terminal would obey or not show.
const TextMark = "·"

const (
	textBroken = "\uFFFD"
	textTab    = "    "
)

// Raw is the text as it was written.
func (t Text) Raw() string { return string(t) }

// String is the text on one line, safe on a terminal. A run of line breaks and a tab are a space.
func (t Text) String() string { return rewrite(string(t), " ", " ") }

// Multiline is the text safe on a terminal with its line breaks kept. A tab is four spaces.
func (t Text) Multiline() string { return rewrite(string(t), "\n", textTab) }

// Lines are the lines of Multiline. A last line break starts no line; an empty text has none.
func (t Text) Lines() []string {
	if t == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(t.Multiline(), "\n"), "\n")
}

// Hidden reports whether the text contains what String shows as a mark.
func (t Text) Hidden() bool {
	s := string(t)
	var w walk
	for w.skip(s); w.at < len(s); w.skip(s) {
		if v := w.step(s); v == hide || v == broken {
			return true
		}
	}
	return false
}

// rewrite replaces line breaks, tabs and hidden characters. Text that needs no
// replacement is returned as it is.
func rewrite(s, newline, tabs string) string {
	var (
		w      walk
		b      strings.Builder
		copied int
		last   verdict
	)
	for w.at < len(s) {
		if w.skip(s) {
			last = keep
			continue
		}
		start := w.at
		v := w.step(s)
		if v != keep {
			if copied == 0 {
				b.Grow(len(s))
			}
			b.WriteString(s[copied:start])
			copied = w.at
			if v != last || !v.merges(newline) {
				b.WriteString(v.stand(newline, tabs))
			}
		}
		last = v
	}
	if copied == 0 {
		return s
	}
	b.WriteString(s[copied:])
	return b.String()
}
