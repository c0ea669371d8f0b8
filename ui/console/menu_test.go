package console

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"vise/ui/action"
)

func TestThePaletteNamesEveryAct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.create("a", "Add jitter to backoff")
		wd.settle()
		c := wd.console.(console)
		for _, a := range action.Standard() {
			if a.In != action.Desk || a.Group == action.Move || slices.Contains([]action.ID{action.Palette, action.GoTo, action.Submit}, a.ID) {
				continue
			}
			lines := openBox(&c).(*box).lines(c.facts(), strings.TrimSuffix(a.Title, "…"))
			if !slices.ContainsFunc(lines, func(l menuLine) bool { return l.Title == a.Title && strings.Contains(l.Key, a.Key()) }) {
				t.Errorf("the palette does not name %s, %s", a.Key(), a.Title)
			}
		}
		for words, title := range map[string]string{"copy report": "Copy report", "tab report": "Go to the tab Report", "activity": "Go to the Activity"} {
			lines := openBox(&c).(*box).lines(c.facts(), words)
			if !slices.ContainsFunc(lines, func(l menuLine) bool { return l.Title == title }) {
				t.Errorf("the palette does not name %s", title)
			}
		}
	})
}

// Each action of the desk has an effect when it is enabled: the table has no action without one.
func TestEveryActionOfTheDeskIsCarriedOut(t *testing.T) {
	all := newActs()[viewDesk]
	for _, a := range action.Standard() {
		if _, ok := all[a.ID]; !ok && a.In == action.Desk && a.ID != action.Submit {
			t.Errorf("nothing carries out %s", a.ID)
		}
	}
}

// The core of the keys is on one screen of 80 by 24, each with its key, and scrolls on smaller ones.
func TestHelpFitsOneScreen(t *testing.T) {
	for _, size := range [][2]int{{120, 36}, {80, 24}, {50, 20}, {40, 10}} {
		synctest.Test(t, func(t *testing.T) {
			wd := newWorld(t, size[0], size[1], nil)
			defer wd.end()
			wd.change("create a Add jitter")
			wd.settle()
			wd.press("?")
			wd.settle()
			f := frameOf(wd)
			for n := 0; !strings.Contains(f, "all other acts: :") && size[0] < 80 && n < 20; n++ {
				wd.press("pgdown")
				f += frameOf(wd)
			}
			for _, id := range action.Core {
				if a := wd.console.(console).keys.ByID(id); !strings.Contains(f, " "+a.Key()+" ") {
					t.Errorf("%s is not on the screen:\n%s", a.ID, f)
				}
			}
			for _, says := range []string{"pick ", "all other acts: :"} {
				if !strings.Contains(f, says) {
					t.Errorf("%q is not on the screen:\n%s", says, f)
				}
			}
			wd.press(":")
			wd.settle()
			if _, ok := wd.console.(console).layers.top().(*box); !ok {
				t.Error(": does not open the palette")
			}
		})
	}
}

// A user who knows the second letter sees no menu; a user who waits sees the possible letters.
func TestTheLettersOfPlacesAreShownToWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 100, 30, nil)
		defer wd.end()
		wd.change("create a Add jitter")
		wd.change("create b Tidy up")
		wd.settle()
		for _, step := range []struct{ keys, says string }{
			{"f", "Agents"}, {"a", "Activity  all agents"}, {"r", "finished work"}, {"d", "Queue"}, {"y", " Class "}, {"p", "‹Plan›"},
		} {
			wd.press("g", step.keys)
			wd.settle()
			if f := frameOf(wd); !strings.Contains(f, step.says) || strings.Contains(f, "Go to the Fleet") {
				t.Errorf("g %s does not show %s:\n%s", step.keys, step.says, f)
			}
		}
		wd.press("j", "g", "g")
		wd.settle()
		if c := wd.console.(console); c.place.cursor != wd.names["a"] {
			t.Error("g g does not go to the top")
		}
		wd.press("g")
		wd.pass(goShown / 2)
		before := frameOf(wd)
		wd.pass(goShown)
		if f := frameOf(wd); strings.Contains(before, "Go to the Fleet") || !strings.Contains(f, "f Go to the Fleet") {
			t.Errorf("after 300 ms the letters are not shown:\n%s", f)
		}
		wd.press("esc", "g", "b")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "There is no tab Thread here; it comes with a thread") {
			t.Errorf("g b does not say that there is no such tab:\n%s", f)
		}
	})
}
