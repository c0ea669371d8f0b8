package model

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// What a hostile text can do to a terminal, and how it is shown instead.
var hostileTexts = []struct{ name, raw, shown string }{
	{"clear screen", "a\x1b[2Jb", "a·[2Jb"},
	{"cursor home", "\x1b[Hroot", "·[Hroot"},
	{"leave the alternate screen", "\x1b[?1049l", "·[?1049l"},
	{"ask for the cursor", "\x1b[6n", "·[6n"},
	{"title", "\x1b]0;owned\x07", "·]0;owned·"},
	{"notification", "\x1b]9;4;1\x1b\\", "·]9;4;1·\\"},
	{"clipboard", "\x1b]52;c;cm0gLXJm\x07", "·]52;c;cm0gLXJm·"},
	{"file transfer", "\x1b]1337;File=inline=1:AAAA\x07", "·]1337;File=inline=1:AAAA·"},
	{"link", "\x1b]8;;http://evil.example\x1b\\good\x1b]8;;\x1b\\", "·]8;;http://evil.example·\\good·]8;;·\\"},
	{"unterminated OSC", "LINE1\x1b]0;\nLINE2 APPROVE? y/n", "LINE1·]0; LINE2 APPROVE? y/n"},
	{"unterminated DCS", "\x1bPq#0", "·Pq#0"},
	{"tmux passthrough", "\x1bPtmux;\x1b\x1b]52;c;AA\x07\x1b\\", "·Ptmux;·]52;c;AA·\\"},
	{"reset", "\x1bc", "·c"},
	{"lone escape", "x\x1b", "x·"},
	{"conceal", "\x1b[8mhidden\x1b[0m", "·[8mhidden·[0m"},
	{"C1 CSI", "a\u009b2Jb", "a·2Jb"},
	{"C1 OSC", "\u009d52;c;AA\u009c", "·52;c;AA·"},
	{"raw C1 byte", "a\x9b2Jb", "a\uFFFD2Jb"},
	{"next line", "a\u0085b", "a·b"},
	{"bell and backspace", "a\x07\x08b", "a·b"},
	{"delete", "a\x7fb", "a·b"},
	{"nul", "a\x00b", "a·b"},
	{"carriage return overwrites", "safe text\revil", "safe text·evil"},
	{"override", "user\u202Egpj.exe", "user·gpj.exe"},
	{"isolate", "a\u2066b\u2069c", "a·b·c"},
	{"marks of direction", "a\u200eb\u200fc\u061cd", "a·b·c·d"},
	{"zero width", "pass\u200bword\u2060\ufeff", "pass·word·"},
	{"soft hyphen", "a\u00adb", "a·b"},
	{"tag characters", "ok\U000E0001\U000E0068\U000E0069\U000E007F", "ok·"},
	{"flag made of tags", "\U0001F3F4\U000E0067\U000E0062\U000E007F", "\U0001F3F4·"},
	{"separators", "a\u2028b\u2029c", "a·b·c"},
	{"fillers", "a\u3164b\uFFA0c\u115Fd", "a·b·c·d"},
	{"bytes in selectors", "a\U000E0101\U000E0120b\uFE01", "a·b·"},
	{"selector on a letter", "a\uFE0Fb", "a·b"},
	{"joiner between letters", "pay\u200dpal", "pay·pal"},
	{"joiner at the end", "\U0001F469\u200d", "\U0001F469·"},
	{"500 combining marks", "Z" + strings.Repeat("\u0301", 500) + "!", "Z" + strings.Repeat("\u0301", 9) + "·!"},
	{"mark with nothing below", "\u0301a", "·a"},
	{"mark on a hidden character", "a\u200b\u0301b", "a·b"},
	{"endless emoji", strings.Repeat("\U0001F469\u200d", 20) + "\U0001F469", strings.Repeat("\U0001F469\u200d", 5) + "·" +
		strings.Repeat("\U0001F469\u200d", 5) + "·" + strings.Repeat("\U0001F469\u200d",
		5) + "·" + strings.Repeat("\U0001F469\u200d", 2) + "\U0001F469"},
	{"invalid UTF-8", "a\xff\xfe\xc3b\xf0\x9f", "a\uFFFDb\uFFFD"},
	{"overlong slash", "a\xc0\xafb", "a\uFFFDb"},
	{"surrogate", "a\xed\xa0\x80b", "a\uFFFDb"},
	{"non-character", "a\uFFFE\uFDD0b", "a·b"},
	{"grapheme joiner", "a\u034Fb", "a·b"},
	{"interlinear annotation", "a\uFFF9b\uFFFAc\uFFFB", "a·b·c·"},
}

func TestHostileTextIsShownWithMarks(t *testing.T) {
	for _, c := range hostileTexts {
		t.Run(c.name, func(t *testing.T) {
			got := Text(c.raw).String()
			if c.name == "endless emoji" {
				if n := strings.Count(got, TextMark); n == 0 {
					t.Errorf("got %q without a mark", got)
				}
			} else if got != c.shown {
				t.Errorf("got %q, want %q", got, c.shown)
			}
			if fault := driving(got); fault != "" {
				t.Errorf("%q: %s", got, fault)
			}
			if !Text(c.raw).Hidden() {
				t.Error("not reported as hidden")
			}
		})
	}
}

func TestOrdinaryTextIsUntouched(t *testing.T) {
	for _, raw := range []string{
		"", " ", "plain ASCII ~!\"\\", "naïve café", "e\u0301a\u0300", "日本語 ヘッダー", "한국어", "\u1112\u1161\u11ab\u1100\u1173\u11af",
		"Привет", "שלום", "مرحبا", "می\u200cخواهم", "क्ष", "क्\u200dष", "สวัสดีนำ", "தமிழ்", "ᠮᠣᠩᠭᠣᠯ",
		"👍", "👍🏽", "👩‍👩‍👧‍👦", "👩🏽‍❤️‍💋‍👨🏽", "🏴‍☠️", "🧑‍💻", "❤️", "☎︎", "1️⃣ #️⃣", "🇩🇪🇯🇵", "©️", "葛\U000E0100",
		"▶ ◆ ○ ■ ✓ ·", "\uFFFD is a real character too", "∮ E⋅da = Q", "a\u00a0b\u3000c", "\ue0b0",
	} {
		text := Text(raw)
		if got := text.String(); got != raw {
			t.Errorf("got %q, want %q", got, raw)
		}
		if text.Hidden() {
			t.Errorf("%q is reported as hidden", raw)
		}
	}
}

func TestALineBreakIsASpaceOnOneLineAndKeptOnMany(t *testing.T) {
	for _, c := range []struct{ raw, one, many string }{
		{"a\nb", "a b", "a\nb"},
		{"a\r\nb", "a b", "a\nb"},
		{"a\n\r\n\nb", "a b", "a\n\n\nb"},
		{"a\n", "a ", "a\n"},
		{"\n\na", " a", "\n\na"},
		{"a\tb\t\tc", "a b  c", "a    b        c"},
		{"a\r\r\nb", "a· b", "a·\nb"},
		{"a\r", "a·", "a·"},
	} {
		if got := Text(c.raw).String(); got != c.one {
			t.Errorf("%q on one line: got %q, want %q", c.raw, got, c.one)
		}
		if got := Text(c.raw).Multiline(); got != c.many {
			t.Errorf("%q on many lines: got %q, want %q", c.raw, got, c.many)
		}
		if want := strings.Contains(c.one, TextMark); Text(c.raw).Hidden() != want {
			t.Errorf("%q: hidden is %v, want %v", c.raw, !want, want)
		}
	}
}

func TestLinesEndWhereTheTextEnds(t *testing.T) {
	for raw, want := range map[string]int{"": 0, "a": 1, "a\n": 1, "a\nb": 2, "a\r\nb\r\n": 2, "\n": 1, "a\n\n": 2} {
		if got := Text(raw).Lines(); len(got) != want {
			t.Errorf("%q: got %d lines %q, want %d", raw, len(got), got, want)
		}
	}
}

func TestEveryVerbForStringsIsSafe(t *testing.T) {
	text := Text("a\x1b[2Jb\u202Ec\r\nd")
	want := text.String()
	for format, exact := range map[string]string{
		"%s": want, "%v": want, "%+v": want, "%q": fmt.Sprintf("%q", want), "%.3s": "a·[", "%12s": fmt.Sprintf("%12s", want),
		"%-12v|": fmt.Sprintf("%-12s|", want), "%x": fmt.Sprintf("%x", want), "%#q": fmt.Sprintf("%#q", want),
		"%#v": strconv.Quote(text.Raw()), "%+q": fmt.Sprintf("%+q", want), "%X": fmt.Sprintf("%X", want), "%T": "model.Text",
	} {
		if got := fmt.Sprintf(format, text); got != exact {
			t.Errorf("%s: got %q, want %q", format, got, exact)
		}
	}
	nested := struct{ Texts []Text }{[]Text{text}}
	for _, got := range []string{fmt.Sprint(text), fmt.Sprintln(nested), fmt.Sprintf("%v %+v %#v", nested, nested, nested),
		fmt.Errorf("item: %v", text).Error()} {
		if fault := driving(strings.TrimSuffix(got, "\n")); fault != "" {
			t.Errorf("%q: %s", got, fault)
		}
	}
}

func TestJSONIsSafeToPrintAndGivesTheRawTextBack(t *testing.T) {
	for _, c := range hostileTexts {
		out, err := json.Marshal(map[string]Text{"text": Text(c.raw)})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if fault := drivingJSON(string(out)); fault != "" {
			t.Errorf("%s: %s: %s", c.name, out, fault)
		}
		var back map[string]Text
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%s: %s: %v", c.name, out, err)
		}
		if got := back["text"]; utf8.ValidString(c.raw) && got.Raw() != c.raw {
			t.Errorf("%s: got %q, want %q", c.name, got.Raw(), c.raw)
		}
	}
	if out, _ := json.Marshal(Text("q\"b\\n\nt\t<&>\x01\U000E0041é日")); string(out) != `"q\"b\\n\nt\t\u003c\u0026\u003e\u0001\udb40\udc41é日"` {
		t.Errorf("got %s", out)
	}
}

func TestCleanTextCostsNothing(t *testing.T) {
	for _, text := range []Text{"Split rate limiter out of gateway", "日本語 héllo 👩‍💻"} {
		if n := testing.AllocsPerRun(100, func() { _ = text.String() }); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", text, n)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, c := range hostileTexts {
		f.Add(c.raw)
	}
	f.Add("a\r\n\tb\u0301\u200c\u094d\u1100\u1161👩🏽‍❤️‍💋‍👨🏽")
	f.Fuzz(func(t *testing.T, raw string) {
		text := Text(raw)
		one := text.String()
		if fault := driving(one); fault != "" {
			t.Fatalf("%q: %s", one, fault)
		}
		if again := Text(one).String(); again != one {
			t.Fatalf("%q is shown as %q the second time", one, again)
		}
		for _, line := range text.Lines() {
			if fault := driving(line); fault != "" {
				t.Fatalf("line %q: %s", line, fault)
			}
		}
		if !text.Hidden() && utf8.ValidString(raw) && len(one) > len(raw) {
			t.Fatalf("%q grew to %q with nothing hidden", raw, one)
		}
		out, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var back Text
		if err := json.Unmarshal(out, &back); err != nil || utf8.ValidString(raw) && back != text {
			t.Fatalf("%s: got %q (%v), want %q", out, back.Raw(), err, raw)
		}
		if fault := drivingJSON(string(out)); fault != "" {
			t.Fatalf("%s: %s", out, fault)
		}
	})
}

// driving returns what in s a terminal would obey or hide. It uses Unicode's own properties, not the tables under test.
func driving(s string) string {
	attached := 0
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			return "not UTF-8"
		case unicode.IsControl(r):
			return fmt.Sprintf("control %U", r)
		case unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Noncharacter_Code_Point):
			return fmt.Sprintf("separator or direction %U", r)
		case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return fmt.Sprintf("ignorable %U", r)
		case unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && r != joiner && r != nonJoiner:
			return fmt.Sprintf("format %U", r)
		}
		if !unicode.Is(unicode.M, r) {
			attached = 0
		} else if attached++; attached > maxAttached {
			return "a tower of marks"
		}
	}
	return ""
}

// drivingJSON is driving for JSON, in which marks, joiners and selectors stay as they are.
func drivingJSON(s string) string {
	for _, r := range s {
		if !unicode.Is(unicode.M, r) {
			if fault := driving(string(r)); fault != "" {
				return fault
			}
		}
	}
	return ""
}
