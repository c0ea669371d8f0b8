package text

import (
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// A file name, or a text that was cut between bytes, is not always UTF-8.
func TestBytesThatAreNotUTF8AreShownAsSuch(t *testing.T) {
	for in, want := range map[string]string{"\xff": noGlyph, "a\xc3": "a" + noGlyph, "\xe6\x97": noGlyph, "日\x80本": "日" + noGlyph + "本"} {
		for _, clusters := range []bool{false, true} {
			if got := Safe(in, clusters); got != want {
				t.Errorf("%q: got %q, want %q", in, got, want)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		in := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if out := Safe(in, false); !utf8.ValidString(out) {
			t.Errorf("%q became %q", in, out)
		}
	})
}
