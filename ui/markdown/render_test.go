package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"vise/model"
	"vise/themes"
)

// The plan that is drawn in testdata/render.txt, in all styles.
const smallPlan = `---
owner: claude-main
---
# Plan

A *refactor*, not a **behaviour** change. Move the ` + "`token bucket`" + ` out of
gateway/limit.go into a package with [no imports](docs/limits.md "why").

## Scope

- keep wire headers byte-identical, in 日本語 and with 👩‍💻 too
- burst size becomes a field
  1. default 20
- [x] not the Redis script

> Asked by ops
> > yesterday

` + "```go\nfunc Take(n int) bool { // free\n\treturn n > 0\n}\n```" + `

| step | owner |
|:-----|------:|
| replay 24h | ops |

<!-- seen -->
`

func TestRender(t *testing.T) {
	r := unlimited()
	datadriven.RunTest(t, "testdata/render.txt", func(t *testing.T, td *datadriven.TestData) string {
		var width int
		var name, keep string
		td.ScanArgs(t, "width", &width)
		td.ScanArgs(t, "palette", &name)
		td.ScanArgs(t, "ansi", &keep)
		v := r.View(Split(smallPlan), width, styleOf(t, name))
		var b strings.Builder
		for _, l := range v.Lines(Position{}, 1000) {
			line := l.Cells(0, width)
			if got := ansi.StringWidth(line); got != width {
				t.Errorf("%q is %d cells wide, want %d", line, got, width)
			}
			if keep == "no" {
				line = ansi.Strip(line)
			}
			fmt.Fprintf(&b, "%2d |%s|\n", l.From, strings.ReplaceAll(line, "\x1b", "^"))
		}
		return b.String()
	})
}

func styleOf(t interface{ Fatalf(string, ...any) }, name string) *Style {
	p, ok := themes.ByName(name)
	if !ok {
		t.Fatalf("no palette %q", name)
	}
	return NewStyle(p, false)
}

func TestNothingOfAPlanIsHidden(t *testing.T) {
	style := styleOf(t, "mono")
	word := regexp.MustCompile(`w\d+q`)
	rapid.Check(t, func(t *rapid.T) {
		src := drawPlan(t)
		if strings.HasPrefix(src, "---\n") {
			return // front matter is mentioned, not shown
		}
		width := rapid.IntRange(70, 120).Draw(t, "width") // no word of a cell is wrapped
		var shown strings.Builder
		for _, l := range unlimited().View(Split(model.Text(src)), width, style).Lines(Position{}, 10_000) {
			shown.WriteString(lettersOf(ansi.Strip(l.Text())))
		}
		for _, w := range word.FindAllString(src, -1) {
			if !strings.Contains(shown.String(), w) {
				t.Fatalf("%s of %q is not in %q", w, src, shown.String())
			}
		}
	})
}

func TestLinesAreTheSameThroughAnyWindow(t *testing.T) {
	style := styleOf(t, "dark")
	rapid.Check(t, func(t *rapid.T) {
		d := Split(model.Text(drawPlan(t)))
		v := unlimited().View(d, rapid.IntRange(1, 60).Draw(t, "width"), style)
		all := v.Lines(Position{}, 10_000)
		if len(all) == 0 {
			if len(d.blocks) > 0 {
				t.Fatal("blocks without lines")
			}
			return
		}
		from := rapid.IntRange(0, len(all)-1).Draw(t, "from")
		n := rapid.IntRange(1, 10).Draw(t, "n")
		at := v.Move(Position{}, from)
		if got, want := v.Lines(at, n), all[from:min(from+n, len(all))]; !slices.Equal(got, want) {
			t.Fatalf("lines from %d: got %v, want %v", from, got, want)
		}
		if back := v.Move(at, -from); back != all[0].At {
			t.Fatalf("%d up from %v: got %v", from, at, back)
		}
		if got := v.Lines(v.Bottom(n), n); !slices.Equal(got, all[max(len(all)-n, 0):]) {
			t.Fatalf("the last %d: got %v", n, got)
		}
	})
}

func TestRowsTellTheirSourceLines(t *testing.T) {
	src := "# One\ntwo *two* two two two two two\nthree [three](x) three\nfour four four\n\n- six\n- seven seven seven\n\n| nine | b |\n|---|---|\n| eleven | b |\n\n```\nfourteen\nfifteen\n```\n"
	v := unlimited().View(Split(model.Text(src)), 24, styleOf(t, "mono"))
	for _, l := range v.Lines(Position{}, 100) {
		plain := strings.ToLower(ansi.Strip(l.Text()))
		for n, word := range []string{"", "one", "two", "three", "four", "", "six", "seven", "", "nine", "", "eleven", "", "", "fourteen", "fifteen"} {
			shown := word != "" && slices.Contains(strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) }), word)
			if shown && (l.From > n || l.To < n) {
				t.Errorf("%q shows line %d but tells %d to %d", plain, n, l.From, l.To)
			}
		}
	}
}

func TestCodeMovesSidewaysAndProseDoesNot(t *testing.T) {
	long := strings.Repeat("0123456789", 300)
	v := unlimited().View(Split(model.Text("```\n"+long+"\n```\n\nwords\n")), 20, styleOf(t, "mono"))
	lines := v.Lines(Position{}, 10)
	if got := lines[0].Cells(22, 10); got != "012345678…" {
		t.Errorf("code from cell 22: got %q", got)
	}
	if got := ansi.StringWidth(lines[0].Text()); got != maxCells {
		t.Errorf("a long line is %d cells wide, want %d", got, maxCells)
	}
	if got := lines[len(lines)-1].Cells(22, 10); got != "words     " {
		t.Errorf("prose: got %q", got)
	}
}

func TestALinkTellsWhereItLeads(t *testing.T) {
	for src, want := range map[string]string{
		"[good.example](http://evil.example)":     "good.example (http://evil.example)",
		"[a](javascript:alert(1))":                "a (javascript:alert(1))",
		"[a](docs/x.md)":                          "a (docs/x.md)",
		"[a](#b)":                                 "a (#b)",
		"[a](http://[::1)":                        "a (http://[::1)",
		"[a](<x y> \"and a title\")":              "a (x y \"and a title\")",
		"![a](b.png)":                             "image: a (b.png)",
		"[a](http://x/?a=1&amp;b=\\*)":            "a (http://x/?a=1&b=*)",
		"<https://x.example/a>":                   "https://x.example/a",
		"[a][b] and [b]\n\n[b]: c.md":             "a (c.md) and b (c.md)",
		"- [a][B\n  b]\n\n[b b]: c.md":            "• a (c.md)",
		"| t |\n|---|\n| [a](b) |":                "t",
		"*[a](b)* ~~[c](d)~~":                     "a (b) c (d)",
		"[a](http://x.example/&#27;]52;c;AA&#7;)": "a (http://x.example/&#27;]52;c;AA&#7;)",
		"[![a](b)](c)":                            "image: a (b) (c)",
		"# [a](b)":                                "# a (b)",
	} {
		v := unlimited().View(Split(model.Text(src)), 80, styleOf(t, "mono"))
		if got := strings.TrimSpace(ansi.Strip(v.Lines(Position{}, 1)[0].Text())); got != want {
			t.Errorf("%q: got %q, want %q", src, got, want)
		}
	}
}

// unsafe returns what in a line of output is neither letters nor plain styles. It does not use the filter under test.
func unsafe(line string) string {
	for _, seq := range sgr.FindAllString(line, -1) {
		params := strings.Split(strings.Trim(seq, "\x1b[m"), ";")
		for i := 0; i < len(params); i++ {
			n, _ := strconv.Atoi(params[i])
			switch {
			case n == 38 || n == 48 || n == 58:
				i += map[string]int{"2": 4, "5": 2}[append(params, "", "")[i+1]]
			case n == 5 || n == 6 || n == 8 || n == 28:
				return fmt.Sprintf("style %q", seq)
			}
		}
	}
	line = webLinks.ReplaceAllString(sgr.ReplaceAllString(line, ""), "")
	if !utf8.ValidString(line) {
		return "not UTF-8"
	}
	for _, r := range line {
		if r < ' ' || unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point) ||
			r != '\u200c' && r != '\u200d' && unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			return fmt.Sprintf("%U in %q", r, line)
		}
	}
	return ""
}

var (
	sgr      = regexp.MustCompile("\x1b\\[[0-9;]*m")
	webLinks = regexp.MustCompile("\x1b\\]8;(id=[0-9]+;https?://[!-~]+|;)\a")
)

func TestHostilePlansDriveNoTerminal(t *testing.T) {
	style := styleOf(t, "dark")
	for _, payload := range []string{
		"\x1b[2J", "\x1b]52;c;AA\x07", "\x1b]8;;http://evil\x1b\\x\x1b]8;;\x1b\\", "\x1bPq\x1b\\", "\x1bc", "\x1b[8mx\x1b[0m", "\u009b2J", "\u009d52;c;AA\u009c",
		"\u202egpj", "\u200b", "\U000E0041", "\u2028", "a" + strings.Repeat("\u0301", 500), "safe\revil", "\xff\xfe", "\x00", "\x7f",
		"&#27;[2J", "&#x1b;]52;c;AA&#7;", "&#27]0;x", "&#155;2J", "&#x202e;abc", "&#8203;", "&ZeroWidthSpace;", "&shy;", "&lrm;", "&#0;", "&#10;x", "&#13;x", "&NewLine;x", "&Tab;x",
		"\\\x1b[2J", "&amp;#27;[2J", "&#0000000027;[2J", "&#x000000001b;[2J",
	} {
		for _, form := range []string{"%s", "# %s", "- %s", "> %s", "`%s`", "**%s**", "~~%s~~", "[%s](%s)", "![%s](<%s>)", "```%s\n%s\n```", "    %s", "<b>%s</b>", "<!-- %s -->",
			"| %s |\n|---|\n| %s |", "[a]: %s\n\n[a]", "http://a.example/%s", "<http://a.example/%s>", "---\na: %s\n---\n", "1. [ ] %s", "[x](http://a/ \"%s\")"} {
			src := strings.ReplaceAll(form, "%s", payload)
			for _, l := range unlimited().View(Split(model.Text(src)), 60, style).Lines(Position{}, 50) {
				if fault := unsafe(l.Cells(0, 60)); fault != "" {
					t.Errorf("%q: %s", src, fault)
				}
				if got := ansi.StringWidth(l.Cells(0, 60)); got != 60 {
					t.Errorf("%q: a line of %d cells: %q", src, got, l.Cells(0, 60))
				}
			}
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add(smallPlan, uint8(40), true)
	f.Add("> - 1. [a][b] `&#27;` ~~x~~\n|a|\n|-|\n\n[b]: c", uint8(3), false)
	f.Add("```go\nx\n\n# h &#x9b;\n===\n<!--\n\u0600👩🏽‍❤️‍💋‍👨🏽e\u0301", uint8(9), true)
	f.Fuzz(func(t *testing.T, src string, width uint8, clusters bool) {
		p, _ := themes.ByName("light")
		r := unlimited()
		d := Split(model.Text(src))
		v := r.View(d, int(width), NewStyle(p, clusters))
		for _, l := range v.Lines(Position{}, 200) {
			line := l.Cells(0, int(width))
			if fault := unsafe(line); fault != "" {
				t.Fatalf("%q: %s", src, fault)
			}
			if got := ansi.StringWidth(line); got != int(width) {
				t.Fatalf("%q is %d cells wide, want %d", line, got, width)
			}
			if l.From < 0 || l.To > d.lines || l.From > l.To {
				t.Fatalf("%q stands for lines %d to %d of %d", line, l.From, l.To, d.lines)
			}
		}
		if len(r.failed) > 0 {
			t.Fatalf("%q: %v", src, r.failed)
		}
	})
}

func FuzzStyled(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[1;31mred\x1b[m", "\x1b[8;5mx", "\x1b[38;5;5;8mx", "\x1b[38:2::1:2:3mx", "\x1b]8;;u\x1b\\x\x1b]8;;\a", "\x1b]8;", "\x1b[31", "\x1b[38;2mx", "\x1b[2Jx", "\u009b8m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		got := Styled(line)
		if fault := unsafe(got); fault != "" {
			t.Fatalf("%q: %s", line, fault)
		}
		if again := Styled(got); again != got {
			t.Fatalf("%q becomes %q, then %q", line, got, again)
		}
	})
}

func TestATableThatWouldLoseWordsIsShownAsWritten(t *testing.T) {
	style := styleOf(t, "mono")
	for name, c := range map[string]struct {
		src   string
		width int
		want  string
	}{
		"a cell without a column": {"| a | b |\n|---|---|\n| 1 | 2 | hidden |\n", 40, "| 1 | 2 | hidden |"},
		"a word too wide":         {"| responsibilities | b |\n|---|---|\n| 1 | 2 |\n", 17, "responsibilities"},
		"too many columns":        {strings.Repeat("|a", 50) + "|\n" + strings.Repeat("|-", 50) + "|\n", 40, "|a|a"},
	} {
		var shown []string
		for _, l := range unlimited().View(Split(model.Text(c.src)), c.width, style).Lines(Position{}, 50) {
			shown = append(shown, l.Text())
		}
		if got := strings.Join(shown, "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s: got\n%s\nwant %q", name, got, c.want)
		}
	}
	fits := "| a | b |\n|---|---|\n| 1 \\| 2 | 3 |\n| 4 |\n"
	for _, l := range unlimited().View(Split(model.Text(fits)), 40, style).Lines(Position{}, 50) {
		if strings.HasPrefix(l.Text(), "|") {
			t.Errorf("a table that fits is shown as written: %q", l.Text())
		}
	}
}
