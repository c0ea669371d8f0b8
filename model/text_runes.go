package model

import "unicode"

// isHiddenRune reports whether a terminal obeys or does not show r, whatever stands around it.
func isHiddenRune(r rune) bool {
	return r <= 0xFFFF && unicode.Is(hiddenRunes, r) || r > 0xFFFF && (r&0xFFFE == 0xFFFE || unicode.Is(hiddenRunes, r))
}

// hiddenRunes are the control and format characters and the ignorable ones of Unicode 15
// (DerivedCoreProperties, Default_Ignorable_Code_Point), less those that are judged by
// their neighbours (joiners, variation selectors) and the Arabic and Kaithi number signs,
// which are seen; plus non-characters.
var hiddenRunes = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x0000, Hi: 0x0008, Stride: 1},
		{Lo: 0x000B, Hi: 0x001F, Stride: 1},
		{Lo: 0x007F, Hi: 0x009F, Stride: 1}, // DEL and C1: some terminals obey U+009B as CSI
		{Lo: 0x00AD, Hi: 0x00AD, Stride: 1},
		{Lo: 0x034F, Hi: 0x034F, Stride: 1},
		{Lo: 0x061C, Hi: 0x061C, Stride: 1}, // bidirectional mark
		{Lo: 0x115F, Hi: 0x1160, Stride: 1},
		{Lo: 0x17B4, Hi: 0x17B5, Stride: 1},
		{Lo: 0x180B, Hi: 0x180F, Stride: 1},
		{Lo: 0x200B, Hi: 0x200B, Stride: 1},
		{Lo: 0x200E, Hi: 0x200F, Stride: 1}, // bidirectional marks
		{Lo: 0x2028, Hi: 0x202E, Stride: 1}, // separators, embeddings, overrides
		{Lo: 0x2060, Hi: 0x206F, Stride: 1}, // word joiner, isolates
		{Lo: 0x3164, Hi: 0x3164, Stride: 1},
		{Lo: 0xFDD0, Hi: 0xFDEF, Stride: 1},
		{Lo: 0xFEFF, Hi: 0xFEFF, Stride: 1},
		{Lo: 0xFFA0, Hi: 0xFFA0, Stride: 1},
		{Lo: 0xFFF0, Hi: 0xFFFB, Stride: 1},
		{Lo: 0xFFFE, Hi: 0xFFFF, Stride: 1},
	},
	R32: []unicode.Range32{
		{Lo: 0x13430, Hi: 0x1343F, Stride: 1},
		{Lo: 0x1BCA0, Hi: 0x1BCA3, Stride: 1},
		{Lo: 0x1D173, Hi: 0x1D17A, Stride: 1},
		{Lo: 0xE0000, Hi: 0xE00FF, Stride: 1}, // tag characters
		{Lo: 0xE01F0, Hi: 0xE0FFF, Stride: 1},
	},
	LatinOffset: 4,
}

// isSelector reports whether r chooses between the looks of the character before.
func isSelector(r rune) bool {
	return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF
}

// maySelect reports whether selector r has a known meaning after base; elsewhere it is
// a way to smuggle bytes.
func maySelect(r, base rune) bool {
	if r == 0xFE0E || r == 0xFE0F {
		return isPictograph(base) || base >= '0' && base <= '9' || base == '#' || base == '*'
	}
	return (r <= 0xFE02 || r >= 0xE0100) && unicode.Is(unicode.Han, base)
}

// mayJoin reports whether a joiner or non-joiner between prev and next shapes letters of
// a script that needs it, or one emoji out of several.
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

// shapes reports whether r belongs to the scripts whose letters change shape in company:
// Arabic and its neighbours, and the Brahmic scripts.
func shapes(r rune) bool {
	return r >= 0x0600 && r <= 0x08FF || r >= 0x0900 && r <= 0x109F || r >= 0x1780 && r <= 0x18AF ||
		r >= 0xFB50 && r <= 0xFDCF || r >= 0xFE70 && r <= 0xFEFC
}

// clings reports whether r, though no mark, becomes one character with prev: the parts of
// an emoji after a joiner, consonants after a virama, the letters of a Korean syllable,
// a number under its sign.
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
	return r >= 0x0600 && r <= 0x0605 || r == 0x06DD || r == 0x070F || r == 0x0890 || r == 0x0891 ||
		r == 0x08E2 || r == 0x0D4E || r == 0x110BD || r == 0x110CD
}

func isJamo(r rune) bool {
	return r >= 0x1100 && r <= 0x11FF || r >= 0xA960 && r <= 0xA97F || r >= 0xD7B0 && r <= 0xD7FB
}

func isLeadingJamo(r rune) bool { return r >= 0x1100 && r < 0x115F || r >= 0xA960 && r <= 0xA97F }

func isSyllable(r rune) bool { return r >= 0xAC00 && r <= 0xD7A3 }
