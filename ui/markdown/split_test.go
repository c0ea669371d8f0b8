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
		for i := range d.blocks {
			b.WriteString(describe(d, &d.blocks[i]) + "\n")
		}
		return b.String()
	})
}

func describe(d *Document, b *block) string {
	names := [...]string{"prose", "heading", "fence", "table", "plain", "front"}
	s := fmt.Sprintf("%-7s %d-%d", names[b.kind], b.from, b.to)
	if b.gap {
		s += " gap"
	}
	return s + fmt.Sprintf(" %q", d.header(b)+strings.Join(d.text(b), "\n"))
}

func TestEveryLineStandsInABlockInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawPlan(t)
		d := Split(model.Text(src))
		lines := strings.Split(strings.TrimSuffix(src, "\n"), "\n")
		if d.lines != len(lines) {
			t.Fatalf("got %d lines, want %d", d.lines, len(lines))
		}
		covered := map[int32]bool{}
		last := int32(0)
		for i := range d.blocks {
			b := &d.blocks[i]
			if b.from < last || b.to < b.from {
				t.Fatalf("block %s after line %d", describe(d, b), last)
			}
			last = b.from
			for n := b.from; n <= b.to; n++ {
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
		{"paragraph", strings.Repeat("words in lines\n", 5000), partBytes},
		{"one line", strings.Repeat("words ", 50_000), partBytes},
		{"one word", strings.Repeat("語", 50_000), partBytes},
		{"fence", "```\n" + strings.Repeat("some code\n", 20_000) + "```\n", partBytes},
		{"table", "|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", 5000), partBytes},
		{"row", "|a|b|\n|-|-|\n" + strings.Repeat("|1|2 ", 50_000), partBytes},
		{"html", "<b>\n" + strings.Repeat("x ", 50_000), partBytes},
	} {
		d := Split(model.Text(c.src))
		letters := 0
		for i := range d.blocks {
			b := &d.blocks[i]
			lines := d.text(b)
			if n := len(strings.Join(lines, "\n")); n > c.size || len(lines) > partLines {
				t.Errorf("%s: a part of %d bytes and %d lines", c.name, n, len(lines))
			}
			if b.part && b.gap {
				t.Errorf("%s: a blank line between parts", c.name)
			}
			letters += len(lettersOf(strings.Join(lines, "")))
		}
		if want := len(lettersOf(c.src)); letters != want || len(d.blocks) < 2 {
			t.Errorf("%s: %d blocks with %d bytes of letters, want %d", c.name, len(d.blocks), letters, want)
		}
	}
}

// drawPlan draws a plan of lines with one unique word each, w0, w1, …
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

// Equal items with other numbers are other blocks, however large the numbers are: rows are kept by a block's hash.
func TestTheNumberOfAnItemIsPartOfItsBlock(t *testing.T) {
	seen := map[uint64]string{}
	for _, first := range []string{"1", "2", "1114111", "1114112", "2000000", "999999999"} {
		b := Split(model.Text(first + ". first\n1. second\n")).blocks[1]
		if before, ok := seen[b.hash]; ok {
			t.Errorf("the item after %s has the hash of the one after %s", first, before)
		}
		seen[b.hash] = first
	}
}
