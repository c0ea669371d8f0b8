package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is words from outside: an agent, an operator, a file, a webhook. Its String is safe on a terminal; fmt uses it, so a
// printed Text cannot drive one. Raw is the original, for files, comparisons and storage.
//
// Characters that a terminal would obey or not show (controls, escape sequences, bidirectional overrides, zero-width and tag
// characters) become TextMark; bytes that are not UTF-8 become U+FFFD. Nothing else changes, and nothing vanishes: a run of
// hidden characters leaves one mark.
type Text string

// TextMark stands for a run of characters that a terminal would obey or not show.
const TextMark = "·"

const (
	textBroken = "\uFFFD"
	textTab    = "    "
)

// Raw is the text as it was written.
func (t Text) Raw() string { return string(t) }

// Textf is fmt.Sprintf for a Text.
func Textf(format string, args ...any) Text { return Text(fmt.Sprintf(format, args...)) }

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

// Hidden reports whether the text contains characters that String shows as a mark.
func (t Text) Hidden() bool {
	var w walk
	for w.at < len(t) {
		if v := w.step(string(t)); v == hide || v == broken {
			return true
		}
	}
	return false
}

// rewrite replaces line breaks, tabs and hidden characters. It returns a text without any of them unchanged.
func rewrite(s, newline, tabs string) string {
	var b strings.Builder
	var w walk
	copied, last := 0, keep
	for w.at < len(s) {
		start := w.at
		v := w.step(s)
		if v != keep {
			b.WriteString(s[copied:start])
			copied = w.at
			if v != last || !v.merges(newline) {
				b.WriteString(v.stand(newline, tabs))
			}
		}
		last = v
	}
	return b.String() + s[copied:]
}

// verdict says what String does with a character.
type verdict uint8

const (
	keep verdict = iota
	lineBreak
	tab
	hide
	broken
)

// merges reports whether a run of v becomes one character.
func (v verdict) merges(newline string) bool {
	return v == hide || v == broken || v == lineBreak && newline == " "
}

func (v verdict) stand(newline, tabs string) string {
	switch v {
	case lineBreak:
		return newline
	case tab:
		return tabs
	case hide:
		return TextMark
	default:
		return textBroken
	}
}

// maxAttached bounds the characters that are attached to one base character. The longest in use is the emoji of a kiss with two
// skin tones: nine.
const maxAttached = 9

// walk goes through a text one character at a time and judges each in its context.
type walk struct {
	at       int
	prev     rune // the previous character; 0 at the start of a line and after a hidden one
	attached int  // how many characters are attached to the base
}

// step judges the character at w.at and moves past it.
func (w *walk) step(s string) verdict {
	c := s[w.at]
	if c < utf8.RuneSelf {
		return w.ascii(s, c)
	}
	r, size := utf8.DecodeRuneInString(s[w.at:])
	w.at += size
	if r == utf8.RuneError && size == 1 {
		w.rest()
		return broken
	}
	if r >= 0xA0 && r < 0x300 && r != softHyphen {
		w.base(r)
		return keep
	}
	return w.wide(s, r)
}

func (w *walk) ascii(s string, c byte) verdict {
	w.at++
	if c >= ' ' && c < 0x7F {
		w.base(rune(c))
		return keep
	}
	w.rest()
	switch {
	case c == '\n':
		return lineBreak
	case c == '\r' && w.at < len(s) && s[w.at] == '\n':
		w.at++
		return lineBreak
	case c == '\t':
		return tab
	}
	return hide
}

// wide judges a character beyond Latin; w.at is already past it.
func (w *walk) wide(s string, r rune) verdict {
	switch {
	case isHiddenRune(r):
		w.rest()
		return hide
	case r == joiner || r == nonJoiner:
		next, _ := utf8.DecodeRuneInString(s[w.at:])
		fits := w.attached+1 < maxAttached // room for the next one too: a joiner joins two
		return w.attach(r, fits && mayJoin(r, w.prev, next))
	case unicode.Is(unicode.Variation_Selector, r):
		return w.attach(r, maySelect(r, w.prev))
	case isMark(r):
		return w.attach(r, w.prev != 0)
	case clings(w.prev, r):
		return w.attach(r, true)
	}
	w.base(r)
	return keep
}

// attach attaches r to the base, if that is allowed and the base has not too many.
func (w *walk) attach(r rune, allowed bool) verdict {
	if w.attached++; !allowed || w.attached > maxAttached {
		w.rest()
		return hide
	}
	w.prev = r
	return keep
}

func (w *walk) base(r rune) { w.prev, w.attached = r, 0 }

// rest forgets the base: the next character has none to attach to.
func (w *walk) rest() { w.base(0) }

const (
	softHyphen = 0xAD
	nonJoiner  = 0x200C
	joiner     = 0x200D
)

// isMark reports whether r is drawn on the character before it: combining marks and skin tones.
func isMark(r rune) bool { return unicode.Is(unicode.M, r) || r >= 0x1F3FB && r <= 0x1F3FF }

// MarshalJSON writes the raw text. It escapes every control, bidirectional and hidden character, so a JSON document cannot
// drive a terminal either; decoding returns the raw text. Bytes that are not UTF-8 become U+FFFD, as in encoding/json.
func (t Text) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(string(t)); err != nil {
		return nil, err
	}
	raw := bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
	if !bytes.ContainsFunc(raw, escapesInJSON) {
		return raw, nil
	}
	var out []byte
	for _, r := range string(raw) {
		if escapesInJSON(r) {
			out = AppendEscape(out, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out, nil
}

// escapesInJSON excepts joiners and variation selectors, because they belong to letters and emoji.
func escapesInJSON(r rune) bool {
	return r >= 0x7F && (r < 0xA0 || r >= 0x300 || r == softHyphen) && isHiddenRune(r)
}

// AppendEscape appends a character as JSON escapes it.
func AppendEscape(dst []byte, r rune) []byte {
	if r > 0xFFFF {
		r -= 0x10000
		dst = AppendEscape(dst, 0xD800+r>>10)
		r = 0xDC00 + r&0x3FF
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// isHiddenRune reports whether a terminal obeys or does not show r, whatever its context: the control and format characters, those that
// Unicode calls ignorable, and the non-characters. Excepted are those that are judged in their context (line breaks, tabs, joiners,
// variation selectors) and the signs below numbers, which are visible.
func isHiddenRune(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == joiner, r == nonJoiner, isNumberSign(r):
		return false
	case unicode.Is(unicode.Variation_Selector, r):
		return r < 0xFE00 // those of Mongolian
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// maySelect reports whether selector r has a known meaning after base; elsewhere it can smuggle bytes.
func maySelect(r, base rune) bool {
	if r == 0xFE0E || r == 0xFE0F {
		return isPictograph(base) || base >= '0' && base <= '9' || base == '#' || base == '*'
	}
	return (r <= 0xFE02 || r >= 0xE0100) && unicode.Is(unicode.Han, base)
}

// mayJoin reports whether a joiner or non-joiner between prev and next shapes letters of a script that needs it, or makes one
// emoji of several.
func mayJoin(r, prev, next rune) bool {
	if r == joiner && isPictograph(next) {
		return isPictograph(prev) || prev == 0xFE0F || prev == 0x20E3
	}
	return shapes(prev) && shapes(next) && !isHiddenRune(next)
}

// isPictograph reports whether r can be an emoji or part of one.
func isPictograph(r rune) bool {
	switch {
	case r < 0x203C:
		return r == 0xA9 || r == 0xAE
	case r < 0x1F000:
		return r <= 0x2049 || r >= 0x2100 && r <= 0x2BFF || r >= 0x3030 && r <= 0x3299
	}
	return r <= 0x1FAFF
}

// shapes reports whether r belongs to a script whose letters change shape in context: Arabic and related scripts, and the
// Brahmic scripts.
func shapes(r rune) bool {
	return r >= 0x0600 && r <= 0x08FF || r >= 0x0900 && r <= 0x109F || r >= 0x1780 && r <= 0x18AF ||
		r >= 0xFB50 && r <= 0xFDCF || r >= 0xFE70 && r <= 0xFEFC
}

// clings reports whether r, although not a mark, becomes one character with prev: the parts of an emoji after a joiner,
// consonants after a virama, the letters of a Korean syllable, a number under its sign.
func clings(prev, r rune) bool {
	switch {
	case prev == joiner:
		return isPictograph(r)
	case isVirama(prev):
		return shapes(r)
	case isNumberSign(prev):
		return true
	case isJamo(r):
		return isJamo(prev) && (isLeadingJamo(prev) || !isLeadingJamo(r)) || isSyllable(prev) && !isLeadingJamo(r)
	}
	return false
}

func isVirama(r rune) bool {
	return r >= 0x094D && r <= 0x0D4D && r&0x7F == 0x4D || r == 0x1039 || r == 0x17D2
}

func isNumberSign(r rune) bool {
	return r == 0x0D4E || unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}

func isJamo(r rune) bool {
	return r >= 0x1100 && r <= 0x11FF || r >= 0xA960 && r <= 0xA97F || r >= 0xD7B0 && r <= 0xD7FB
}

func isLeadingJamo(r rune) bool { return r >= 0x1100 && r < 0x115F || r >= 0xA960 && r <= 0xA97F }

func isSyllable(r rune) bool { return r >= 0xAC00 && r <= 0xD7A3 }
