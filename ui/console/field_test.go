package console

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vise/ui/text"
)

func TestKeysEditAField(t *testing.T) {
	for _, c := range []struct {
		name, start string
		keys        []string
		want        string
	}{
		{"typing", "", []string{"a", "b", "space", "c"}, "ab c"},
		{"in the middle", "ac", []string{"left", "b"}, "abc"},
		{"backspace takes a whole character", "a👩‍👩‍👧‍👦", []string{"backspace"}, "a"},
		{"a mark joins the letter before it", "e", []string{"\u0301", "backspace"}, ""},
		{"delete", "abc", []string{"home", "delete"}, "bc"},
		{"word back", "one two", []string{"ctrl+w"}, "one "},
		{"to the start", "one two", []string{"ctrl+u"}, ""},
		{"to the end", "one two", []string{"home", "ctrl+k"}, ""},
		{"by words", "one two", []string{"alt+left", "x"}, "one xtwo"},
		{"enter breaks the line", "ab", []string{"left", "enter"}, "a\nb"},
		{"up and down keep the column", "abc\nxyz", []string{"up", "!"}, "abc!\nxyz"},
		{"home and end are the line's", "abc\nxyz", []string{"up", "home", "!", "end", "?"}, "!abc?\nxyz"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newField(c.start, 3, 1000)
			for _, k := range c.keys {
				f.press(keyOf(k), 40)
			}
			if f.value() != c.want {
				t.Errorf("got %q, want %q", f.value(), c.want)
			}
		})
	}
}

func TestAFieldOfOneRowHoldsOneLine(t *testing.T) {
	f := newField("", 1, 100)
	f.insert("a\r\nb\nc\n")
	if f.value() != "a b c" {
		t.Errorf("got %q", f.value())
	}
}

func TestAFieldKeepsToItsLimit(t *testing.T) {
	f := newField("abc", 1, 5)
	f.insert("defgh")
	if f.value() != "abcde" {
		t.Errorf("got %q", f.value())
	}
}

// Whatever is typed and pasted, at whatever width: what is drawn fits, the cursor is on it,
// and nothing of the text is lost.
func TestAFieldDrawsWhatItHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(3, 60).Draw(t, "width")
		f := newField("", rapid.IntRange(1, 5).Draw(t, "rows"), 10_000)
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "typed") {
				f.insert(rapid.StringN(0, 12, -1).Draw(t, "text"))
			} else {
				f.press(keyOf(rapid.SampledFrom([]string{"left", "right", "up", "down", "home", "end", "backspace", "enter", "ctrl+w", "alt+left"}).Draw(t, "key")), w)
			}
		}
		lines, x, y := f.draw(w, &skin{clusters: rapid.Bool().Draw(t, "clusters")})
		if len(lines) != f.rows || y < 0 || y >= f.rows || x < 0 || x >= w {
			t.Fatalf("%d lines of %d, cursor at %d,%d of width %d", len(lines), f.rows, x, y, w)
		}
		for _, l := range lines {
			if text.Width(l) > w {
				t.Fatalf("line %q is wider than %d", l, w)
			}
		}
		all, next := 0, 0
		for _, s := range f.spans(w) {
			if s.first != next && !(s.first == next+1 && f.clusters[next] == "\n") {
				t.Fatalf("spans leave a gap at %d: %v", next, f.spans(w))
			}
			all, next = all+s.last-s.first, s.last
		}
		if all+strings.Count(f.value(), "\n") < len(f.clusters) {
			t.Fatalf("spans hold %d of %d characters", all, len(f.clusters))
		}
	})
}
