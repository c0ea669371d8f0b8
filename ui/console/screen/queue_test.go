package screen

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"vise/model"
)

// The window on the queue always holds the cursor's row, is full when there are rows
// enough, and moves no further than it must.
func TestTheCursorIsAlwaysVisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		n := 0
		for s := range rapid.IntRange(1, 6).Draw(t, "sections") {
			sec := model.Section{Class: model.Classes[s%len(model.Classes)]}
			for range rapid.IntRange(1, 12).Draw(t, "rows") {
				n++
				sec.Rows = append(sec.Rows, model.Row{ID: model.ItemID(fmt.Sprint(n))})
			}
			q.Sections = append(q.Sections, sec)
		}
		q = q.indexed()
		lines := q.lines(QueueStyle{Headings: rapid.Bool().Draw(t, "headings"), Gaps: rapid.Bool().Draw(t, "gaps")})
		h := rapid.IntRange(3, 40).Draw(t, "height")
		cursor := q.Order[rapid.IntRange(0, n-1).Draw(t, "cursor")]
		before := rapid.IntRange(0, len(lines)).Draw(t, "top")
		top := reveal(lines, cursor, before, h)
		seen := false
		for _, l := range lines[top:min(top+h, len(lines))] {
			seen = seen || l.row != nil && l.row.ID == cursor
		}
		if !seen || top > max(len(lines)-h, 0) {
			t.Fatalf("top %d of %d lines, height %d: cursor seen %v", top, len(lines), h, seen)
		}
		if again := reveal(lines, cursor, top, h); again != top {
			t.Fatalf("the window moved from %d to %d though nothing changed", top, again)
		}
	})
}
