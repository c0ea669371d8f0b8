package markdown

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
	"vise/store/storetest"
)

// lit returns the changed lines as they are shown, with the new words in brackets.
func lit(t *testing.T, old, now string) string {
	t.Helper()
	d := Split(model.Text(now))
	c := d.Changed(Split(model.Text(old)))
	words := c.Words()
	var out []string
	for _, l := range NewRenderer(nil).View(d, 40, styleOf(t, "light")).Lines(Position{}, 100) {
		if !c.Touch(l) || strings.Contains(l.Text(), "shown as written") {
			continue
		}
		line := ansi.Strip(l.Text())
		for i := len(words.On(l)) - 1; i >= 0; i-- {
			m := words.On(l)[i]
			line = ansi.Cut(line, 0, m.Column) + "[" + ansi.Cut(line, m.Column, m.Column+m.Width) + "]" + ansi.Cut(line, m.Column+m.Width, 100)
		}
		out = append(out, strings.TrimSpace(line))
	}
	return strings.Join(out, "\n")
}

func TestTheWordsThatChangedAreLit(t *testing.T) {
	for _, c := range []struct{ name, old, now, want string }{
		{"a word", "Keep the headers.\n", "Keep all headers.\n", "Keep [all] headers."},
		{"words of lines that stand together", "one two\nthree four\n", "one 2\nthree four five\n", "one [2]\nthree four [five]"},
		{"a new line", "one\n", "one\ntwo three\n", "[two] [three]"},
		{"a box that was ticked", "- [ ] port\n", "- [x] port\n", "[-] [[x]] [port]"},
		{"marks around a word", "the **old** limit\n", "the **new** limit\n", "the [**new**] limit"},
		{"a word less", "one two three\n", "one three\n", "one three"},
		{"a wide word", "世界 one\n", "世界 two\n", "世界 [two]"},
	} {
		if got := lit(t, c.old, c.now); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// A plan of 5 MB in which every word is changed is compared so fast that nobody waits.
func TestALongPlanIsComparedByWordsInTime(t *testing.T) {
	storetest.Slow(t)
	old, now := strings.Repeat("one two three\n", 5<<20/14), strings.Repeat("four five six\n", 5<<20/14)
	began := time.Now()
	words := Split(model.Text(now)).Changed(Split(model.Text(old))).Words()
	if took := time.Since(began); len(words) != 5<<20/14 || took > 20*time.Second {
		t.Errorf("%d lines in %s", len(words), took)
	}
}
