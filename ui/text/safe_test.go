package text

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vise/model"
)

// What the console draws has every letter and mark of what was written, in each script, and takes the cells that it was laid out in.
func TestNoLetterOrMarkIsLost(t *testing.T) {
	for name, script := range unicode.Scripts {
		letters, all := spellers(script)
		if len(letters) == 0 {
			continue
		}
		for i, r := range all {
			if name == "Han" && i%97 > 0 {
				continue
			}
			keepsLetters(t, string(r))
			keepsLetters(t, string([]rune{letters[i%len(letters)], r, letters[(i*7+1)%len(letters)]}))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(unicode.Scripts))).Draw(t, "script")
		if _, all := spellers(unicode.Scripts[name]); len(all) > 0 {
			keepsLetters(t, string(rapid.SliceOfN(rapid.SampledFrom(all), 1, 6).Draw(t, "word")))
		}
	})
}

func keepsLetters(t interface{ Fatalf(string, ...any) }, word string) {
	text := model.Text("a " + word + " b").String()
	for _, clusters := range []bool{false, true} {
		laidOut := Safe(text, clusters)
		if got, want := spelling(Whole(laidOut)), spelling(text); got != want {
			t.Fatalf("%+q became %+q (clusters %v)", want, got, clusters)
		}
		if got := ansi.StringWidthWc(Whole(laidOut)); !clusters && Width(laidOut) != got {
			t.Fatalf("%+q is laid out in %d cells and takes %d", text, Width(laidOut), got)
		}
	}
}

// spellers are the letters of a script, and its letters and marks. Single Korean letters are left out: they are shown as syllables.
func spellers(script *unicode.RangeTable) (letters, all []rune) {
	ranges := slices.Clone(script.R32)
	for _, r := range script.R16 {
		ranges = append(ranges, unicode.Range32{Lo: uint32(r.Lo), Hi: uint32(r.Hi), Stride: uint32(r.Stride)})
	}
	for _, of := range ranges {
		for r := rune(of.Lo); r <= rune(of.Hi); r += rune(of.Stride) {
			if r < 0x80 || !unicode.In(r, unicode.L, unicode.M) || r >= 0x1100 && r <= 0x11FF {
				continue
			}
			if all = append(all, r); unicode.IsLetter(r) {
				letters = append(letters, r)
			}
		}
	}
	return letters, all
}

// spelling is the letters and marks of s.
func spelling(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.L, unicode.M) {
			return r
		}
		return -1
	}, s)
}
