package text

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vise/model"
)

// The UTC times of a text are written as people read them; everything else stays.
func TestUTCTimesAreWrittenInLocalTime(t *testing.T) {
	got := LocalTimes("last at 2026-01-02T09:07:00Z, not 2026-13-45T00:00:00Z or x2026-01-02T09:07:00Z", time.FixedZone("", 2*3600))
	if want := "last at 2026-01-02 11:07:00, not 2026-13-45T00:00:00Z or x2026-01-02T09:07:00Z"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCutEndsInAnEllipsisAtExactlyTheWidth(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"short", 10, "short"},
		{"exactly", 7, "exactly"},
		{"too long", 5, "too …"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日… "},
		{"日本語", 1, "…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"anything", 0, ""},
		{"anything", -3, ""},
		{"", 4, ""},
		{"\x1b[31mred words\x1b[m", 4, "\x1b[31mred…\x1b[m"},
		{"\x1b[31m1\uFE0F\u20E3 key cap\x1b[m", 4, "\x1b[31m1\uFE0F\u20E3 …\x1b[m"},
		{"\x1b[31mred\x1b[m", 3, "\x1b[31mred\x1b[m"},
		{"\x1b[1m日本語\x1b[m", 4, "\x1b[1m日… \x1b[m"},
	} {
		if got := Cut(c.s, c.width); got != c.want {
			t.Errorf("Cut(%q, %d): got %q, want %q", c.s, c.width, got, c.want)
		}
	}
}

func TestPaddingFillsOnTheOtherSide(t *testing.T) {
	if got := Pad("日本", 6); got != "日本  " {
		t.Errorf("got %q", got)
	}
	if got := PadLeft("41s", 5); got != "  41s" {
		t.Errorf("got %q", got)
	}
	if got := Pad("", 200); got != strings.Repeat(" ", 200) {
		t.Errorf("got %d spaces", len(got))
	}
	if got := Sides("Tidy CI matrix", "40m", 20); got != "Tidy CI matrix   40m" {
		t.Errorf("got %q", got)
	}
	if got := Sides("Upgrade Postgres driver", "9m", 12); got != "Upgrade … 9m" {
		t.Errorf("got %q", got)
	}
	if got := Sides("Upgrade", "reason too long", 9); got != "Upgrade  " {
		t.Errorf("got %q", got)
	}
}

func TestAPathThatIsCutKeepsItsEnd(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"agents/claude/work-items/wi-1/plan.md", 15, "…s/wi-1/plan.md"},
		{"日本語日本語", 7, "…日本語"},
		{"日本語日本語", 6, "…本語 "},
		{"short", 5, "short"},
		{"short", 1, "…"},
		{"short", 2, "…t"},
	} {
		if got := CutStart(c.s, c.width); Width(got) != min(c.width, Width(c.s)) || got != c.want {
			t.Errorf("CutStart(%q, %d): got %q, want %q", c.s, c.width, got, c.want)
		}
	}
}

func TestAWindowShowsTheCellsFromTheLeftOn(t *testing.T) {
	for _, c := range []struct {
		s           string
		left, width int
		want        string
	}{
		{"0123456789", 3, 4, "345…"},
		{"0123456789", 3, 7, "3456789"},
		{"0123456789", 12, 3, "   "},
		{"0123456789", 0, 3, "01…"},
		{"日本語", 2, 4, "本語"},
		{"日本語", 1, 5, " 本語"},
		{"日本語", 3, 3, " 語"},
		{"\x1b[31mred\x1b[m blue", 1, 4, "\x1b[31med\x1b[m …"},
		{"\x1b[31mred\x1b[m blue", 5, 3, "\x1b[31m\x1b[mlue"},
		{"", 2, 2, "  "},
	} {
		if got := Window(c.s, c.left, c.width); got != c.want {
			t.Errorf("Window(%q, %d, %d): got %q, want %q", c.s, c.left, c.width, got, c.want)
		}
	}
}

func TestWrapBreaksBetweenWords(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one two three", 5, []string{"one", "two", "three"}},
		{"onetwothree", 4, []string{"onet", "woth", "ree"}},
		{"  indented words stay", 10, []string{"  indented", "words stay"}},
		{"a\n\nb", 5, []string{"a", "", "b"}},
		{"日本語の文", 4, []string{"日本", "語の", "文"}},
		{"日本", 1, []string{"…", "…", ""}},
		{"trailing   ", 8, []string{"trailing"}},
		{"words", 0, nil},
	} {
		got := Wrap(c.s, c.width)
		if strings.Join(got, "|") != strings.Join(c.want, "|") || len(got) != len(c.want) {
			t.Errorf("Wrap(%q, %d): got %q, want %q", c.s, c.width, got, c.want)
		}
	}
}

func TestUnsteadyCharactersGetASteadyOneOfTheirWidth(t *testing.T) {
	for _, c := range []struct{ s, want string }{
		{"plain", "plain"},
		{"日本語 naïve e\u0301 ▶◆○", "日本語 naïve e\u0301 ▶◆○"},
		{"👍", "👍"},
		{"a👍🏽b", "a👍b"},
		{"👩‍👩‍👧‍👦!", "👩!"},
		{"from 🇩🇪 to 🇯🇵", "from DE to JP"},
		{"🇩", "D "},
		{"I ❤️ Go", "I ❤  Go"},
		{"1️⃣", "1 "},
		{"🏴‍☠️", "🏴"},
		{"क्षमा", "क्" + apart + "षम" + apart + "ा"},
		{"จำ ｶﾞ", "จ" + apart + "ำ ｶ" + apart + "ﾞ"},
		{"\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"},
		{"\u1100\u1100\u1161", "\u1100" + apart + "\u1100" + apart + "\u1161"},
		{"\u06001", "\uFFFD"},
		{"a\u0600", "a\uFFFD"},
		{"\x1b[1mbold 👍🏽\x1b[m", "\x1b[1mbold 👍\x1b[m"},
		{"a\nb", "a\nb"},
		{"\uff9e\n\uff9ex", ring + apart + "\uff9e\n" + ring + apart + "\uff9ex"}, // a half-width sound mark without its kana
	} {
		if got := Safe(c.s, false); got != c.want {
			t.Errorf("Safe(%q): got %q, want %q", c.s, got, c.want)
		}
	}
	for _, s := range []string{"👩‍👩‍👧‍👦 🇩🇪 ❤️ क्षमा"} {
		if got := Safe(s, true); got != s {
			t.Errorf("with clusters: got %q, want %q", got, s)
		}
	}
	if got := Safe("x"+strings.Repeat("क्", 100)+"क", true); Width(got) != 2 || len(got) > 10 {
		t.Errorf("an endless character: got %q", got)
	}
}

func TestAgeIsTheLargestFullUnit(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Hour: "0s", 0: "0s", 999 * time.Millisecond: "0s", 41 * time.Second: "41s", 59 * time.Second: "59s",
		time.Minute: "1m", 9*time.Minute + 59*time.Second: "9m", 3 * time.Hour: "3h", 23*time.Hour + 59*time.Minute: "23h",
		2 * day: "2d", 99 * day: "99d", 100 * day: "14w", 729 * day: "104w", 730 * day: "2y", 4000 * day: "10y",
	} {
		if got := Age(d); got != want {
			t.Errorf("Age(%v): got %s, want %s", d, got, want)
		}
	}
}

// shown draws a text from outside: hostile, of many scripts, made safe.
func shown(t *rapid.T, clusters bool) string {
	pieces := []string{"a", "word ", " ", "日", "本語", "e\u0301", "\u0301", "👍🏽", "👩‍👩‍👧", "🇩🇪", "🇯", "❤️", "1️⃣", "क्षि", "नि", "นำ", "\u1100\u1161\u11a8",
		"\u0600", "\u06dd", "\u200b", "\u202e", "\x1b[31m", "\t", "ﷺ", "｡ﾞ", "ﾞ", "\u3000", "가\u11a8", "\U0001F3FB", "\u200d", "\ufe0f", "·", "…"}
	drawn := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.StringN(0, 3, -1)), 0, 20).Draw(t, "pieces")
	return Safe(model.Text(strings.Join(drawn, "")).String(), clusters)
}

func TestEveryWayOfMeasuringSafeTextAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shown(t, false)
		if g, wc := ansi.StringWidth(s), ansi.StringWidthWc(s); g != wc || Width(s) != g {
			t.Fatalf("%q: %d by characters, %d by code points, %d by Width", s, g, wc, Width(s))
		}
		if again := Safe(s, false); again != s {
			t.Fatalf("%q becomes %q the second time", s, again)
		}
	})
}

func TestCutAndPaddedTextHasExactlyItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shown(t, rapid.Bool().Draw(t, "clusters"))
		if rapid.Bool().Draw(t, "styled") {
			s = "\x1b[1;38;2;1;2;3m" + s + "\x1b[m"
		}
		width := rapid.IntRange(0, 40).Draw(t, "width")
		left := rapid.IntRange(0, 20).Draw(t, "left")
		for name, got := range map[string]string{"Pad": Pad(s, width), "PadLeft": PadLeft(s, width), "Sides": Sides(s, "2d", width), "Window": Window(s, left, width)} {
			if ansi.StringWidth(got) != width {
				t.Fatalf("%s(%q, %d): got %q of width %d", name, s, width, got, ansi.StringWidth(got))
			}
		}
		cut, whole := Cut(s, width), ansi.StringWidth(s)
		if whole <= width && cut != s && width > 0 || whole > width && ansi.StringWidth(cut) != width {
			t.Fatalf("Cut(%q, %d): got %q of width %d", s, width, cut, ansi.StringWidth(cut))
		}
		ended := CutStart(ansi.Strip(s), width)
		if got := ansi.StringWidth(ended); got != min(width, whole) {
			t.Fatalf("CutStart(%q, %d): got %q of width %d", s, width, ended, got)
		}
	})
}

func TestWrappedTextFitsAndLosesNoWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shown(t, false)
		width := rapid.IntRange(2, 30).Draw(t, "width")
		lines := Wrap(s, width)
		for _, line := range lines {
			if Width(line) > width {
				t.Fatalf("line %q of width %d, want at most %d", line, Width(line), width)
			}
		}
		squeeze := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := squeeze(strings.Join(lines, "")); got != squeeze(s) {
			t.Fatalf("got %q, want %q", got, squeeze(s))
		}
	})
}
