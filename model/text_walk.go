package model

import (
	"unicode"
	"unicode/utf8"
)

// verdict is what String does with a character.
type verdict uint8

const (
	keep verdict = iota
	lineBreak
	tab
	hide
	broken
)

// merges reports whether a run of v leaves one stand-in.
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

// maxAttached bounds what may hang on one base character. The longest in use is the emoji
// of a kiss with two skin tones: nine.
const maxAttached = 9

// walk goes through a text one character at a time and judges each in its context.
type walk struct {
	at       int
	prev     rune // the character before, 0 at the start of a line and after a hidden one
	attached int  // how many characters hang on the base before
}

// skip moves past plain ASCII, which needs no judging, and reports whether there was any.
func (w *walk) skip(s string) bool {
	n := plainPrefix(s[w.at:])
	if n == 0 {
		return false
	}
	w.at += n
	w.base(rune(s[w.at-1]))
	return true
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

// wide judges a character beyond Latin, w.at being past it.
func (w *walk) wide(s string, r rune) verdict {
	switch {
	case isHiddenRune(r):
		w.rest()
		return hide
	case r == joiner || r == nonJoiner:
		next, _ := utf8.DecodeRuneInString(s[w.at:])
		room := w.attached+1 < maxAttached // for the next one too: a joiner joins two
		return w.attach(r, room && mayJoin(r, w.prev, next))
	case isSelector(r):
		return w.attach(r, maySelect(r, w.prev))
	case isMark(r):
		return w.attach(r, w.prev != 0)
	case clings(w.prev, r):
		return w.attach(r, true)
	}
	w.base(r)
	return keep
}

// attach hangs r on the base before it, if that is allowed and there is room.
func (w *walk) attach(r rune, allowed bool) verdict {
	if w.attached++; !allowed || w.attached > maxAttached {
		w.rest()
		return hide
	}
	w.prev = r
	return keep
}

func (w *walk) base(r rune) { w.prev, w.attached = r, 0 }

// rest forgets the base: what follows has nothing to hang on.
func (w *walk) rest() { w.base(0) }

// plainPrefix is the length of s before the first byte that is not printable ASCII,
// less one if that byte is not ASCII, because it may hang on the character before.
func plainPrefix(s string) int {
	for i := range len(s) {
		if c := s[i]; c-' ' >= 0x7F-' ' {
			if c >= utf8.RuneSelf && i > 0 {
				return i - 1
			}
			return i
		}
	}
	return len(s)
}

const (
	softHyphen = 0xAD
	nonJoiner  = 0x200C
	joiner     = 0x200D
)

// isMark reports whether r is drawn upon the character before it: combining marks and skin tones.
func isMark(r rune) bool { return unicode.Is(unicode.M, r) || r >= 0x1F3FB && r <= 0x1F3FF }
