package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	noGlyph = "\uFFFD"
	// apart stands between the letters of a syllable that a terminal without mode 2027 shows side by side, so that everything here measures
	// them as such a terminal does. No safe text has it otherwise: model.Text marks it as hidden.
	apart = "\u200B"
	// ring is what Unicode shows a mark on that has no letter of its own.
	ring = "\u25CC"
	// longestCluster bounds the code points of one character: Unicode's longest emoji has ten.
	longestCluster = 32
)

// Safe replaces each character whose width differs between terminals with text that all terminals agree on: joined and toned emoji become
// their first emoji, flags their two letters. Without this such a character would shift the rest of its line, including borders. With
// clusters (the terminal has mode 2027 on) only characters that no terminal shows are replaced.
//
// Letters and marks are never left out. A terminal without mode 2027 counts each letter of a syllable (Thai, Indic scripts, half-width
// kana), so Safe takes them apart: Whole must join what is written to a terminal. Bytes that are not UTF-8 become U+FFFD.
func Safe(s string, clusters bool) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, noGlyph)
	}
	var b strings.Builder
	copied := 0
	begins := true // at the beginning of a line, or after the escape of a style
	for at := 0; at < len(s); {
		cluster, cells := first(s[at:])
		if cluster == apart {
			at += len(cluster)
			continue
		}
		stand, ok := stand(cluster, cells, clusters)
		if begins && joins(cluster, cells) {
			stand, ok = onRing(cluster), true
		}
		if ok {
			b.WriteString(s[copied:at])
			b.WriteString(stand)
			copied = at + len(cluster)
		}
		begins = cluster[0] < ' '
		at += len(cluster)
	}
	if copied == 0 {
		return s
	}
	b.WriteString(s[copied:])
	return b.String()
}

// Whole joins the letters that Safe took apart.
func Whole(s string) string { return strings.ReplaceAll(s, apart, "") }

// joins reports whether a cluster is a mark without its character, which would join a space before it.
func joins(cluster string, cells int) bool {
	r, _ := utf8.DecodeRuneInString(cluster)
	return r >= utf8.RuneSelf && unicode.In(r, unicode.M, unicode.Lm, unicode.Sk, unicode.Cf) && Width(" "+cluster) <= cells
}

// stand returns the replacement of a character that cannot be shown itself.
func stand(cluster string, cells int, clusters bool) (string, bool) {
	if cluster[0] < ' ' || len(cluster) == 1 && cells == 1 {
		return "", false // ASCII, a line break, or the escape of a style
	}
	long := utf8.RuneCountInString(cluster) > longestCluster
	switch flag, isFlag := letters(cluster); {
	case cells == 0:
		return onRing(cluster), true
	case clusters && !long, !clusters && !isFlag && ansi.StringWidthWc(cluster) == cells:
		return "", false
	case isFlag:
		return filled(flag, cells), true
	case composed(cluster) != 0:
		return string(composed(cluster)), true
	case !clusters && spelled(cluster):
		return takenApart(cluster), true
	case long:
		return filled(noGlyph, cells), true
	}
	return filled(beginning(cluster, cells), cells), true
}

// prefixes are the format characters that terminals show, each in cells of its own choice: Arabic, Syriac and Kaithi number signs.
var prefixes = unicode.Prepended_Concatenation_Mark

// spelled reports whether a cluster has a letter or a mark that must be kept: it is no emoji.
func spelled(cluster string) bool {
	return strings.ContainsFunc(cluster, func(r rune) bool { return unicode.In(r, unicode.L, unicode.M) }) &&
		!strings.ContainsFunc(cluster, func(r rune) bool { return unicode.Is(unicode.Variation_Selector, r) })
}

// takenApart separates the letters of a cluster that take a cell of their own by code points.
func takenApart(cluster string) string {
	var b strings.Builder
	for i, r := range cluster {
		letter := string(r)
		if unicode.Is(prefixes, r) {
			letter = noGlyph
		}
		if i > 0 && ansi.StringWidthWc(letter) > 0 {
			b.WriteString(apart)
		}
		b.WriteString(letter)
	}
	return b.String()
}

// onRing shows a mark that has no letter.
func onRing(cluster string) string {
	if !spelled(cluster) {
		return noGlyph
	}
	return takenApart(ring + cluster)
}

// letters returns the country code of a flag.
func letters(cluster string) (string, bool) {
	const regionalA, regionalZ = 0x1F1E6, 0x1F1FF
	var code []byte
	for _, r := range cluster {
		if r >= regionalA && r <= regionalZ {
			code = append(code, byte('A'+r-regionalA))
		}
	}
	return string(code), code != nil
}

// beginning returns the first character of a cluster, if all terminals show it in at most cells cells.
func beginning(cluster string, cells int) string {
	_, size := utf8.DecodeRuneInString(cluster)
	if w := Width(cluster[:size]); w == 0 || w > cells || w != ansi.StringWidthWc(cluster[:size]) {
		return noGlyph
	}
	return cluster[:size]
}

// composed is the syllable that a cluster of two or three Korean letters spells (Unicode 3.12), or 0. File names of macOS come as single
// letters.
func composed(cluster string) rune {
	const leading, vowel, trailing, syllable = 0x1100, 0x1161, 0x11A7, 0xAC00
	r := []rune(cluster)
	if len(r) == 2 {
		r = append(r, trailing)
	}
	if len(r) != 3 || r[0] < leading || r[0] >= leading+19 || r[1] < vowel || r[1] >= vowel+21 || r[2] < trailing || r[2] >= trailing+28 {
		return 0
	}
	return syllable + (r[0]-leading)*588 + (r[1]-vowel)*28 + r[2] - trailing
}

// filled returns s padded with spaces to cells cells.
func filled(s string, cells int) string { return s + spaces(cells-Width(s)) }
