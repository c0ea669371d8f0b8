package screen

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
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
			f := NewField(c.start, 3, 1000)
			for _, k := range c.keys {
				f.Press(keyOf(k), 40)
			}
			if f.Value() != c.want {
				t.Errorf("got %q, want %q", f.Value(), c.want)
			}
		})
	}
}

func TestAFieldOfOneRowHoldsOneLine(t *testing.T) {
	f := NewField("", 1, 100)
	f.Insert("a\r\nb\nc\n")
	if f.Value() != "a b c" {
		t.Errorf("got %q", f.Value())
	}
}

func TestAFieldKeepsToItsLimit(t *testing.T) {
	f := NewField("abc", 1, 5)
	f.Insert("defgh")
	if f.Value() != "abcde" {
		t.Errorf("got %q", f.Value())
	}
}

// Whatever is typed and pasted, at whatever width: what is drawn fits, the cursor is on it,
// and nothing of the text is lost.
func TestAFieldDrawsWhatItHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(3, 60).Draw(t, "width")
		f := NewField("", rapid.IntRange(1, 5).Draw(t, "rows"), 10_000)
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "typed") {
				f.Insert(rapid.StringN(0, 12, -1).Draw(t, "text"))
			} else {
				f.Press(keyOf(rapid.SampledFrom([]string{"left", "right", "up", "down", "home", "end", "backspace", "enter", "ctrl+w", "alt+left"}).Draw(t, "key")), w)
			}
		}
		lines, x, y := f.Draw(w, &Styles{Clusters: rapid.Bool().Draw(t, "clusters")})
		if len(lines) != f.Rows || y < 0 || y >= f.Rows || x < 0 || x >= w {
			t.Fatalf("%d lines of %d, cursor at %d,%d of width %d", len(lines), f.Rows, x, y, w)
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
		if all+strings.Count(f.Value(), "\n") < len(f.clusters) {
			t.Fatalf("spans hold %d of %d characters", all, len(f.clusters))
		}
	})
}

// keyOf is the key called name, as Bubble Tea spells it.
func keyOf(name string) tea.KeyPressMsg {
	var k tea.Key
	for _, m := range []struct {
		prefix string
		mod    tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"shift+", tea.ModShift}, {"alt+", tea.ModAlt}} {
		if rest, ok := strings.CutPrefix(name, m.prefix); ok {
			name, k.Mod = rest, k.Mod|m.mod
		}
	}
	special := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft,
		"right": tea.KeyRight, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "home": tea.KeyHome, "end": tea.KeyEnd,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "space": tea.KeySpace,
	}
	if code, ok := special[name]; ok {
		k.Code = code
		if name == "space" {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	k.Code = []rune(name)[0]
	if k.Mod == 0 {
		k.Text = name
	}
	return tea.KeyPressMsg(k)
}
