package console

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"vise/ui/console/screen"
)

// What can be clicked is where it is drawn, in every view and at every size of the screen.
func TestWhatIsClickedIsWhatStandsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.populate()
		for _, size := range [][2]int{{200, 50}, {120, 36}, {80, 24}, {60, 40}, {50, 20}} {
			wd.w, wd.h = size[0], size[1]
			wd.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for _, keys := range [][]string{{"1"}, {"tab"}, {"]"}, {"]"}, {"2"}, {"3"}, {"g", "a"}} {
				wd.press(keys...)
				wd.settle()
				c, seen := wd.console.(console), 0
				for _, r := range c.drawn().Regions {
					if r.Act == "" && !r.IsTab {
						continue
					}
					seen++
					lines := strings.Split(ansi.Strip(c.View().Content), "\n")
					there := strings.TrimSpace(ansi.Cut(lines[r.Y], r.X, r.X+r.W))
					if want := c.named(r); there != want {
						t.Fatalf("%v, %v: a click on %q is taken for %q", size, keys, there, want)
					}
				}
				if seen < 6 {
					t.Errorf("%v, %v: %d things can be clicked", size, keys, seen)
				}
			}
		}
	})
}

// named returns the text of a region, without the brackets of the chosen one.
func (c *console) named(r screen.Region) string {
	v := c.header()
	for i, x := range v.Views {
		if x.ID == r.Act && r.Y == 0 {
			want := string(rune('1' + i))
			if v.Wide {
				want += " " + x.Title
			}
			if i == v.At {
				want = c.styles.Mark(want)
			}
			return want
		}
	}
	if r.IsTab {
		if name := screen.TabNames[r.Row]; screen.Tab(r.Row) != c.place.tab {
			return name
		}
		return c.styles.Mark(screen.TabNames[r.Row])
	}
	f := c.footer()
	for _, a := range append(f.Hints, f.Help) {
		if a.ID == r.Act {
			return a.Key() + " " + a.Hint
		}
	}
	return ""
}

// clickByTheLaw clicks on something. A dialog, and a field in which text is typed, keep their content. A click on a
// hint does the named action. No other click sends a command.
func (x *lawRun) clickByTheLaw() {
	before := x.console.(console)
	regions := before.drawn().Regions
	r := regions[x.rng.IntN(len(regions))]
	if x.rng.IntN(2) == 0 { // the hints are the last ones
		r = regions[len(regions)-1-x.rng.IntN(min(len(regions), 10))]
	}
	name, top := fmt.Sprintf("a click at %d,%d", r.X, r.Y), before.layers.top()
	held, named := textOf(top), func(job) bool { return false }
	switch {
	case top != nil:
	case before.ownPage() == screen.TabFiles && before.files.fileKey(r.Act, before.files.at, before.agent) != nil:
		named = func(j job) bool { return j.act != nil && j.act.Ref == before.files.at }
	case r.Act != "":
		named = before.actNames(r.Act)
	}
	x.keys++
	x.pressed = append(x.pressed, name)
	x.world.around = nil
	x.send(tea.MouseClickMsg{X: r.X, Y: r.Y, Button: tea.MouseLeft})
	x.world.around = x.told
	after := x.console.(console)
	x.sentBy(name, before, after, named)
	if is := after.layers.top(); top != nil && (!sameLayer(top, is) || textOf(is) != held) {
		x.t.Errorf("%s put %T with %q where %T with %q was", name, is, textOf(is), top, held)
	}
	x.hinted()
}
