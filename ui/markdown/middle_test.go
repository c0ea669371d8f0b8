package markdown

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The middle is found by bytes. Around it lie equal lines, and, where both texts end with a
// line break, no equal line lies at its beginning or its end.
func TestAroundTheMiddleLieEqualLines(t *testing.T) {
	long := strings.Repeat("l", chunk+3)
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) string {
			lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "ab", "c", long}), 0, 12).Draw(t, name)
			return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, name+" ends")
		}
		a, b := draw("a"), draw("b")
		before, as, bs := middle(a, b)
		if a == b {
			return
		}
		la, lb := linesOf(a), linesOf(b)
		endA, endB := before+len(as), before+len(bs)
		if endA > len(la) || endB > len(lb) || !slices.Equal(la[:before], lb[:before]) || !slices.Equal(la[before:endA], as) ||
			!slices.Equal(lb[before:endB], bs) || !slices.Equal(la[endA:], lb[endB:]) {
			t.Fatalf("%d lines before, %q and %q", before, as, bs)
		}
		whole := strings.HasSuffix(a, "\n") && strings.HasSuffix(b, "\n") && len(as) > 0 && len(bs) > 0
		if whole && (as[0] == bs[0] || as[len(as)-1] == bs[len(bs)-1]) {
			t.Fatalf("the middle holds equal lines: %q and %q", as, bs)
		}
	})
}
