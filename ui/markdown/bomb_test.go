package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/store/storetest"
)

type bomb struct{ name, src string }

// bombs are texts that make a Markdown renderer take seconds, minutes or all memory.
func bombs() []bomb {
	const mb = 1 << 20
	repeat := func(s string, size int) string { return strings.Repeat(s, size/len(s)) }
	var indented, rising strings.Builder
	for i := range 154 {
		fmt.Fprintf(&indented, "%s- level %d\n", strings.Repeat("  ", i), i)
		rising.WriteString(strings.Repeat("`", i+1) + "a")
	}
	columns := strings.Repeat("|a", 2000) + "|\n" + strings.Repeat("|-", 2000) + "|\n" + strings.Repeat("|1", 2000) + "|\n"
	return []bomb{
		{"72 quotes", strings.Repeat("> ", 72) + "x"},
		{"100 quotes", strings.Repeat("> ", 100) + "x"},
		{"100,000 quotes", strings.Repeat(">", 100_000) + "x"},
		{"lists 154 deep", indented.String()},
		{"10,000 items in one line", strings.Repeat("- ", 10_000) + "x"},
		{"quotes and items in turn", strings.Repeat("> - ", 500) + "x\n" + strings.Repeat("> - ", 500) + "y"},
		{"list of 112 KB", repeat("- item\n", 112<<10)},
		{"empty items 1 MB", repeat("-\n", mb)},
		{"empty quotes 1 MB", repeat(">\n\n", mb)},
		{"Go code 1 MB", "```go\n" + repeat("func f(a int) { return a + 1 } // word\n", mb) + "```\n"},
		{"plain code 5 MB", "```\n" + repeat("some line of code as it is\n", 5*mb) + "```\n"},
		{"code in one line 1 MB", "```json\n" + repeat(`{"a":1},`, mb) + "\n```\n"},
		{"fence without end", "```\n" + repeat("text\n\n", mb)},
		{"paragraph 1 MB", repeat("words of a *paragraph*, line by line\n", mb)},
		{"paragraph in one line 1 MB", repeat("words of a *paragraph* ", mb)},
		{"one word 1 MB", repeat("w", mb)},
		{"plain prose 5 MB", repeat("words of a paragraph, line by line\n", 5*mb)},
		{"stars", repeat("*", 64<<10)},
		{"emphasis without end", repeat("**a _b ", 64<<10)},
		{"emphasis in emphasis", strings.Repeat("*a **b ", 1000) + strings.Repeat("**c* ", 1000)},
		{"brackets", repeat("[", 64<<10)},
		{"images", repeat("![a](", 64<<10)},
		{"links in brackets", repeat("[a](", 32<<10) + repeat(")", 8<<10)},
		{"backquotes", rising.String()},
		{"angle brackets", repeat("<a ", 64<<10)},
		{"references", repeat("&#27;&#x9b;&amp;", 64<<10)},
		{"backslashes", repeat(`\*`, 64<<10)},
		{"tildes", repeat("~~a ", 64<<10)},
		{"addresses", repeat("http://a.b/c me@a.b www.a.b ", 64<<10)},
		{"table of 2,000 columns", columns},
		{"table of 20,000 rows", "| a | b |\n|---|---|\n" + repeat("| *1* | [2](u) |\n", 256<<10)},
		{"table of long cells", "| a | b |\n|---|---|\n| " + repeat("*word* ", 6<<10) + "| x |\n"},
		{"headings 1 MB", repeat("# h\n", mb)},
		{"heading in one line 1 MB", "# " + repeat("*word* ", mb)},
		{"underlined heading 1 MB", repeat("word\n", mb) + "===\n"},
		{"rules 1 MB", repeat("***\n", mb)},
		{"definitions 1 MB", repeat("[a]: http://b\n", mb) + "\n[a] [a][a] [b]"},
		{"many definitions", definitions(20_000)},
		{"comment without end", "<!--" + repeat("hidden\n", mb)},
		{"front matter without end", "---\n" + repeat("a: b\n", mb)},
		{"marks 1 MB", "a" + repeat("\u0301", mb)},
		{"joined emoji 1 MB", repeat("👩‍", mb)},
		{"wide line 1 MB", repeat("日本語の文", mb)},
		{"blank lines 5 MB", repeat("\n", 5*mb)},
		{"short paragraphs 1 MB", repeat("a\n\n", mb)},
	}
}

func definitions(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[l%d]: http://a.example/%d\n", i, i)
	}
	b.WriteString("\n")
	for i := range 400 {
		fmt.Fprintf(&b, "[l%d] ", i)
	}
	return b.String()
}

// Glamour gets only small and flat parts, so none of these takes long. The bounds are calls and bytes, which do not
// depend on the machine's load.
func TestBombsReachGlamourInSmallPieces(t *testing.T) {
	storetest.Slow(t)
	style := styleOf(t, "dark")
	for _, bomb := range bombs() {
		t.Run(bomb.name, func(t *testing.T) {
			r := unlimited()
			calls, most := 0, 0
			r.engine = asked(func(p Source) ([]string, error) {
				calls++
				most = max(most, len(p.Text))
				return Whole.Render(p)
			})
			d := Split(model.Text(bomb.src))
			v := r.View(d, 100, style)
			const screen = 40
			lines := v.Lines(Position{}, screen)
			lines = append(lines, v.Lines(Position{Block: len(d.blocks) / 2}, screen)...)
			lines = append(lines, v.Lines(v.Bottom(screen), screen)...)
			if calls > 3*screen || most > 2*partBytes {
				t.Errorf("Glamour was called %d times, with up to %d bytes", calls, most)
			}
			if len(r.failed) > 0 {
				t.Errorf("not laid out: %v", r.failed)
			}
			if len(d.blocks) > maxBlocks+maxBlocks/10 {
				t.Errorf("%d blocks", len(d.blocks))
			}
			for _, l := range lines {
				if got := ansi.StringWidth(l.Cells(0, 100)); got != 100 {
					t.Fatalf("a line of %d cells", got)
				}
			}
		})
	}
}
