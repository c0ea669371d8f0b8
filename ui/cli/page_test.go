package cli

import (
	"strings"
	"testing"

	"vise/ui/text"
)

// A table is aligned by the width on a terminal, and the wide column shrinks first.
func TestATableFitsTheTerminal(t *testing.T) {
	rows := [][]cell{
		{{text: "▶ current"}, {text: "wi-1"}, {text: "日本語 objective that goes on and on beyond the edge"}, {text: "3h"}},
		{{text: "○ queued"}, {text: "wi-22"}, {text: "short"}, {text: "12m"}},
	}
	p := &page{width: 60}
	p.table(2, rows)
	lines := strings.Split(strings.TrimSuffix(p.b.String(), "\n"), "\n")
	for i, l := range lines {
		if w := text.Width(l); w > 60 {
			t.Errorf("line %d takes %d cells: %q", i+1, w, l)
		}
	}
	if !strings.HasSuffix(lines[0], "…  3h") || !strings.HasSuffix(lines[1], "  12m") {
		t.Errorf("got\n%s", p.b.String())
	}
	if a, b := text.Width(strings.TrimSuffix(lines[0], "3h")), text.Width(strings.TrimSuffix(lines[1], "12m")); a != b {
		t.Errorf("the last column begins at %d and %d", a, b)
	}
	wide := &page{}
	wide.table(2, rows)
	if !strings.Contains(wide.b.String(), "beyond the edge") {
		t.Error("without a terminal something was cut")
	}
}
