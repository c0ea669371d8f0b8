package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vise/model"
)

func TestFindGoesThroughTheDocument(t *testing.T) {
	src := "# Needle\n\ntwo needle needle\n\n- hay\n- a **nee**dle in hay\n\n```\nneedle()\n```\n\n&#78;eedle\n"
	v := unlimited().View(Split(model.Text(src)), 40, styleOf(t, "mono"))
	all := slices.Collect(v.Find("NEEDLE"))
	want := []Match{
		{Position{0, 0}, 2, 6}, {Position{1, 0}, 4, 6}, {Position{1, 0}, 11, 6}, {Position{3, 0}, 4, 6}, {Position{4, 1}, 2, 6}, {Position{5, 1}, 0, 6},
	}
	if !slices.Equal(all, want) {
		t.Errorf("got %v, want %v", all, want)
	}
	if got := slices.Collect(v.Find("none")); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestFindLaysOutNoMoreThanItMust(t *testing.T) {
	r := unlimited()
	calls := 0
	r.engine = asked(func(p Source) ([]string, error) {
		calls++
		return Whole.Render(p)
	})
	d := Split(model.Text(planOf(200<<10) + "\nthe *unusual* word\n"))
	found := slices.Collect(r.View(d, 60, styleOf(t, "mono")).Find("unusual"))
	if len(found) != 1 || calls != 1 {
		t.Errorf("found %v with %d calls, want one of each", found, calls)
	}
}

func TestEveryMatchStandsWhereItIsSaidToBe(t *testing.T) {
	style := styleOf(t, "dark")
	rapid.Check(t, func(t *rapid.T) {
		d := Split(model.Text(drawPlan(t)))
		v := unlimited().View(d, 60, style)
		query := rapid.SampledFrom([]string{"w1", "q", "a.example", "日本", "w3q", " "}).Draw(t, "query")
		found := slices.Collect(v.Find(query))
		seen := map[Match]bool{}
		for _, m := range found {
			line := ansi.Strip(v.Lines(m.At, 1)[0].Text())
			if got := ansi.Cut(line, m.Column, m.Column+m.Width); !strings.EqualFold(got, query) {
				t.Fatalf("%v is %q in %q, want %q", m, got, line, query)
			}
			if seen[m] {
				t.Fatalf("%v is found twice", m)
			}
			seen[m] = true
		}
		if query == " " {
			return
		}
		want := 0
		for _, l := range v.Lines(Position{}, 1000) {
			want += strings.Count(strings.ToLower(ansi.Strip(l.Text())), query)
		}
		if len(found) != want {
			t.Fatalf("found %d times %q, want %d", len(found), query, want)
		}
	})
}

func TestChangesAreTheLinesOfAnEdit(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"", "", "+0 -0"},
		{"a\nb\n", "a\nb\n", "+0 -0"},
		{"", "a\nb\n", "+2 -0 +1a +2b"},
		{"a\nb\n", "", "+0 -2 -1a -2b"},
		{"a\nb\nc\n", "a\nB\nc\n", "+1 -1 -2b +2B"},
		{"a\nb\nc\n", "a\nb\nnew\nc\n", "+1 -0 +3new"},
		{"a\nb", "a\nb\nc", "+1 -0 +3c"},
		{"abc\n", "abd\n", "+1 -1 -1abc +1abd"},
		{"a\na\nb\na\n", "a\nb\na\na\n", "+1 -1 -2a +4a"},
		{"x\n\ny\n", "x\n\n\ny\n", "+1 -0 +3"},
	} {
		ch := Split(model.Text(c.new)).Changed(Split(model.Text(c.old)))
		got := fmt.Sprintf("+%d -%d", ch.Added, ch.Removed)
		for _, e := range ch.Edits {
			if e.New > 0 {
				got += fmt.Sprintf(" +%d%s", e.New, e.Text)
			} else {
				got += fmt.Sprintf(" -%d%s", e.Old, e.Text)
			}
		}
		if got != c.want {
			t.Errorf("%q to %q: got %s, want %s", c.old, c.new, got, c.want)
		}
	}
}

func TestEditsMakeTheNewTextOfTheOldOne(t *testing.T) {
	letters := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "d"}), 0, 40)
	rapid.Check(t, func(t *rapid.T) {
		a, b := letters.Draw(t, "old"), letters.Draw(t, "new")
		c := documentOf(b).Changed(documentOf(a))
		var got []string
		next := 0 // of a
		take := func(until int) {
			for ; next < until; next++ {
				got = append(got, a[next])
			}
		}
		for _, e := range c.Edits {
			if e.Old > 0 {
				take(e.Old - 1)
				next = e.Old
			} else {
				for len(got) < e.New-1 && next < len(a) {
					take(next + 1)
				}
				got = append(got, e.Text)
			}
		}
		take(len(a))
		if !slices.Equal(got, b) {
			t.Fatalf("%q by %v: got %q, want %q", a, c.Edits, got, b)
		}
	})
}

func documentOf(lines []string) *Document {
	if len(lines) == 0 {
		return Split("")
	}
	return Split(model.Text(strings.Join(lines, "\n") + "\n"))
}

func TestALargeRewriteIsToldWithinBounds(t *testing.T) {
	var a, b strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&a, "old %d\n", i)
		fmt.Fprintf(&b, "new %d\n", i)
	}
	c := Split(model.Text("same\n" + b.String() + "end\n")).Changed(Split(model.Text("same\n" + a.String() + "end\n")))
	if c.Added != 50_000 || c.Removed != 50_000 {
		t.Errorf("got +%d -%d", c.Added, c.Removed)
	}
}

func TestChangedLinesAreMarkedOnScreen(t *testing.T) {
	old := Split("## Scope\n\n- keep *wire* headers\n- do not touch\n\ntext of\ntwo lines\n")
	d := Split("## Scope\n\n- keep *wire* headers\n- burst size\n- do not touch\n\ntext of\ntwo other lines\n")
	c := d.Changed(old)
	var marked []string
	for _, l := range unlimited().View(d, 8, styleOf(t, "mono")).Lines(Position{}, 100) {
		if c.Touch(l) {
			marked = append(marked, ansi.Strip(l.Text()))
		}
	}
	if want := []string{"• burst", "  size", "two", "other", "lines"}; !slices.Equal(marked, want) {
		t.Errorf("marked %q, want %q", marked, want)
	}
}

func TestAReadersPlaceSurvivesAnEdit(t *testing.T) {
	old := Split("# a\n\none\n\ntwo\n\nthree\n\nfour\n")
	for _, c := range []struct {
		name, src string
		block     int
		want      string
	}{
		{"nothing changed", "# a\n\none\n\ntwo\n\nthree\n\nfour\n", 3, "three"},
		{"a block above", "# a\n\nnew\n\none\n\ntwo\n\nthree\n\nfour\n", 3, "three"},
		{"blocks above gone", "three\n\nfour\n", 3, "three"},
		{"a block below", "# a\n\none\n\ntwo\n\nthree\n\nfour\n\nfive\n", 3, "three"},
		{"edits on both sides", "# b\n\none\n\nnew\n\ntwo\n\nthree\n\nfive\n", 3, "three"},
		{"moved to the top", "three\n\n# a\n\none\n\ntwo\n\nfour\n", 3, "three"},
		{"itself edited", "# a\n\none\n\ntwo\n\nthree, edited\n\nfour\n", 3, "three, edited"},
		{"all gone but one", "four\n", 1, "four"},
	} {
		d := Split(model.Text(c.src))
		at := d.Follow(old, Position{c.block, 1})
		if at.Block >= len(d.blocks) || d.text(&d.blocks[at.Block])[0] != c.want || at.Row != 1 {
			t.Errorf("%s: got %v, want the block %q", c.name, at, c.want)
		}
	}
	if at := Split("").Follow(old, Position{2, 0}); at.Block != 0 {
		t.Errorf("in an empty text: got %v", at)
	}
	if at := old.Follow(Split(""), Position{}); at.Block != 0 {
		t.Errorf("from an empty text: got %v", at)
	}
}
