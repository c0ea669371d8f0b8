package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	noGlyph = "\uFFFD"
	// longestCluster bounds the code points of one character: Unicode's longest emoji has ten.
	longestCluster = 32
)

// Safe replaces each character on whose width terminals disagree by one of the same width
// on which they agree: joined and toned emoji become the first of them, flags their two
// letters. Without it such a character pushes the rest of its line, borders too, aside.
// With clusters (the terminal has mode 2027 on) only what no terminal shows is replaced.
//
// A syllable of an Indic or Thai script, whose vowel stands beside its consonant, may lose
// the vowel where the terminal has no mode 2027. Bytes that are not UTF-8 become U+FFFD.
func Safe(s string, clusters bool) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, noGlyph)
	}
	var b strings.Builder
	copied := 0
	for at := 0; at < len(s); {
		cluster, cells := first(s[at:])
		if stand, ok := stand(cluster, cells, clusters); ok {
			b.WriteString(s[copied:at])
			b.WriteString(stand)
			copied = at + len(cluster)
		}
		at += len(cluster)
	}
	if copied == 0 {
		return s
	}
	b.WriteString(s[copied:])
	return b.String()
}

// stand is what to show for a character instead, if it cannot be shown itself.
func stand(cluster string, cells int, clusters bool) (string, bool) {
	if cluster[0] < ' ' || len(cluster) == 1 && cells == 1 {
		return "", false // the escape of a style, a line break; ASCII
	}
	if cells == 0 {
		return noGlyph, true
	}
	if utf8.RuneCountInString(cluster) > longestCluster {
		return filled(noGlyph, cells), true
	}
	if clusters {
		return "", false
	}
	if flag, ok := letters(cluster); ok {
		return filled(flag, cells), true
	}
	if ansi.StringWidthWc(cluster) == cells {
		return "", false
	}
	return filled(beginning(cluster, cells), cells), true
}

// letters spells a flag as its country code.
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

// beginning is as much of a cluster as everybody shows in at most cells cells.
func beginning(cluster string, cells int) string {
	if syllable := composed(cluster); syllable != 0 {
		return string(syllable)
	}
	end := 0
	for i, r := range cluster {
		next := i + utf8.RuneLen(r)
		if ansi.StringWidthWc(cluster[:next]) > cells || unicode.In(r, unicode.Cf, unicode.Variation_Selector) {
			break
		}
		end = next
	}
	part := closed(cluster[:end])
	if w := Width(part); w == 0 || w > cells || w != ansi.StringWidthWc(part) {
		return noGlyph
	}
	return part
}

// closed is part without what would draw the next character into it: a virama, a Korean letter.
func closed(part string) string {
	for part != "" {
		consonant, _ := first(part + "\u0915")
		syllable, _ := first(part + "\uAC00")
		if len(consonant) <= len(part) && len(syllable) <= len(part) {
			break
		}
		_, size := utf8.DecodeLastRuneInString(part)
		part = part[:len(part)-size]
	}
	return part
}

// composed is the syllable that a cluster of two or three Korean letters spells (Unicode
// 3.12), 0 if it spells none. File names of macOS come in letters.
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

// filled is s with spaces up to cells cells.
func filled(s string, cells int) string { return s + spaces(cells-Width(s)) }
