package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"vise/model"
)

func TestSplit(t *testing.T) {
	datadriven.RunTest(t, "testdata/split.txt", func(t *testing.T, td *datadriven.TestData) string {
		d := Split(model.Text(td.Input))
		var b strings.Builder
		for i := range d.Blocks {
			b.WriteString(describe(d, &d.Blocks[i]) + "\n")
		}
		return b.String()
	})
}

func describe(d *Document, b *Block) string {
	names := [...]string{"Paragraph", "Heading", "Fence", "Code", "Table", "Rule", "HTML", "Definition", "Plain", "FrontMatter"}
	s := fmt.Sprintf("%-10s %d-%d", names[b.Kind], b.From, b.To)
	if b.Gap {
		s += " gap"
	}
	for i, n := range d.path(b) {
		if s += " " + n.marker; i < len(d.path(b))-int(b.fresh) {
			s += "…"
		}
	}
	if b.Kind == Fence {
		s += " (" + d.fences[b.aux].info + ")"
	}
	return s + fmt.Sprintf(" %q", d.text(b))
}

func TestEveryLineStandsInABlockInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawPlan(t)
		d := Split(model.Text(src))
		lines := strings.Split(strings.TrimSuffix(src, "\n"), "\n")
		if d.Lines() != len(lines) {
			t.Fatalf("got %d lines, want %d", d.Lines(), len(lines))
		}
		covered := map[int32]bool{}
		last := int32(0)
		for i := range d.Blocks {
			b := &d.Blocks[i]
			if b.From < last || b.To < b.From {
				t.Fatalf("block %s after line %d", describe(d, b), last)
			}
			last = b.From
			for n := b.From; n <= b.To; n++ {
				covered[n] = true
			}
		}
		for i, line := range lines {
			if strings.Contains(line, "w") && !covered[int32(i+1)] {
				t.Fatalf("line %d %q is in no block of %q", i+1, line, src)
			}
		}
	})
}

func TestLongBlocksAreSplitIntoParts(t *testing.T) {
	for _, c := range []struct {
		name, src string
		size      int
	}{
		{"paragraph", strings.Repeat("words in lines\n", 5000), proseSize},
		{"one line", strings.Repeat("words ", 50_000), proseSize},
		{"one word", strings.Repeat("語", 50_000), proseSize},
		{"fence", "```\n" + strings.Repeat("some code\n", 20_000) + "```\n", partBytes},
		{"table", "|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", 5000), proseSize},
		{"row", "|a|b|\n|-|-|\n" + strings.Repeat("|1|2 ", 50_000), proseSize},
		{"html", "<b>\n" + strings.Repeat("x ", 50_000), partBytes},
	} {
		d := Split(model.Text(c.src))
		letters := 0
		for i := range d.Blocks {
			b := &d.Blocks[i]
			lines := d.text(b)
			if n := len(strings.Join(lines, "\n")); n > c.size || len(lines) > partLines {
				t.Errorf("%s: a part of %d bytes and %d lines", c.name, n, len(lines))
			}
			if b.part && b.Gap {
				t.Errorf("%s: a blank line between parts", c.name)
			}
			letters += len(lettersOf(strings.Join(lines, "")))
		}
		if want := len(lettersOf(c.src)); letters != want || len(d.Blocks) < 2 {
			t.Errorf("%s: %d blocks with %d bytes of letters, want %d", c.name, len(d.Blocks), letters, want)
		}
	}
}

// drawPlan draws a plan of lines that each hold one word of their own, w0, w1, …
func drawPlan(t *rapid.T) string {
	shapes := []string{
		"%s", "%s", "text *%s*", "**%s** text", "# %s", "## %s #", "- %s", "* %s", "  - %s", "    - %s", "1. %s", "3. %s", "   %s", "      %s",
		"> %s", "> > %s", "> - %s", "> %s <b>", "```%s", "~~~ %s", "    %s", "| %s | b |", "|%s|", "| %s | b | c", "<div>%s", "<!-- %s", "%s -->", "<%s>",
		"[%s](http://a.example)", "[%s]: http://a.example", "![%s](b.png \"t\")", "[a](%s)", "[a][%s]", "`%s`", "``%s`", "~~%s~~", "&#27;%s", "&lt;%s", "\\*%s",
		"[ ] %s", "- [x] %s", "http://a.example/%s", "<http://a.example/%s>", "%s@a.example", "***%s", "日本語 %s", "- - %s", "-\n%s", "[a](b \"%s\")",
	}
	bare := []string{"", "", "---", "===", "```", "~~~", "|---|---|", "|-|-|", "***", "-", ">", "1.", "    ", "-->", "<!--"}
	var b strings.Builder
	for i := range rapid.IntRange(0, 25).Draw(t, "lines") {
		if rapid.IntRange(0, 3).Draw(t, "bare") == 0 {
			b.WriteString(rapid.SampledFrom(bare).Draw(t, "line") + "\n")
			continue
		}
		b.WriteString(fmt.Sprintf(rapid.SampledFrom(shapes).Draw(t, "shape"), fmt.Sprintf("w%dq", i)) + "\n")
	}
	if b.Len() == 0 {
		return "\n"
	}
	return b.String()
}
