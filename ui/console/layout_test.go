package console

import (
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"vise/store/storetest"
)

// At every size, in every pane, with and without zoom and dialog, each line has the screen's width, and the number of
// lines is the screen's height.
func TestEveryFrameFillsTheScreen(t *testing.T) {
	storetest.Slow(t)
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.change("create a Split rate limiter 日本語 👩‍👩‍👧‍👦 שלום")
		wd.change("todos a x one | > two | - three")
		wd.change("plan a # Plan\\n\\n| a | b |\\n|---|---|\\n| 日本語 | x |\\n\\n```\\na line of code that is wider than any pane, by far, in any case and on any screen there is, as it goes on and on and on\\n```\\n")
		wd.settle()
		for _, w := range []int{1, 20, 39, 40, 41, 55, 71, 72, 73, 80, 109, 110, 111, 120, 163, 240} {
			for _, h := range []int{1, 9, 10, 11, 15, 16, 17, 24, 29, 30, 35, 36, 37, 60, 100} {
				wd.w, wd.h = w, h
				wd.send(tea.WindowSizeMsg{Width: w, Height: h})
				for _, keys := range [][]string{{}, {"tab"}, {"z"}, {"z", "c"}, {"esc", "w"}, {"esc", "?"}, {"esc", "t"}, {"esc", "/"}, {"esc", "y"}} {
					wd.press(keys...)
					wd.settle()
					wd.measured(wd.console.View().Content)
				}
				wd.press("esc", "esc", "esc")
			}
		}
	})
}

func TestShapesByWidthAndHeight(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want shape
	}{
		{120, 36, three}, {110, 30, three}, {109, 30, two}, {110, 29, two}, {80, 24, two}, {72, 24, two},
		{71, 24, one}, {50, 20, one}, {60, 36, portrait}, {40, 10, one}, {39, 10, tiny}, {40, 9, tiny},
	} {
		if got := shapeOf(c.w, c.h); got != c.want {
			t.Errorf("%d×%d: got shape %d, want %d", c.w, c.h, got, c.want)
		}
	}
}

func TestPanesTileTheBody(t *testing.T) {
	for w := tinyW; w < 250; w += 7 {
		for h := tinyH; h < 90; h += 5 {
			l := layoutOf(w, h, paneQueue, false)
			cells := 0
			for _, r := range l.panes {
				if !r.Empty() {
					cells += r.W * r.H
				}
			}
			if want := w * (h - 2 - l.hints); cells != want {
				t.Errorf("%d×%d: the panes cover %d cells of %d", w, h, cells, want)
			}
		}
	}
}
