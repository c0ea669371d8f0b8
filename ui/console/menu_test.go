package console

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"vise/ui/action"
)

func TestHelpListsEveryKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.create("a", "Add jitter to backoff")
		wd.settle()
		c := wd.console.(console)
		for _, a := range action.Standard() {
			lines := helpMenu(&c).(*menu).Of(c.facts(), strings.TrimSuffix(a.Title, "…"))
			if !slices.ContainsFunc(lines, func(l menuLine) bool { return l.Title == a.Title && strings.Contains(l.Key, a.Key()) }) {
				t.Errorf("help does not list %s, %s", a.Key(), a.Title)
			}
		}
	})
}

// Each action of the desk has an effect when it is enabled: the table has no action without one.
func TestEveryActionOfTheDeskIsCarriedOut(t *testing.T) {
	all, c := newActs().all, action.Standard()
	for _, a := range action.Standard() {
		if _, ok := all[a.ID]; !ok && (a.In == action.Desk || c.Leader(a.In) != "" && a.ID != action.CopyBack && a.ID != action.GoBack) {
			t.Errorf("nothing carries out %s", a.ID)
		}
	}
}

// The basic keys are on one screen of 80 by 24, each with its key.
func TestHelpFitsOneScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 80, 24, nil)
		defer wd.end()
		wd.change("create a Add jitter")
		wd.settle()
		wd.press("?")
		wd.settle()
		f := frameOf(wd)
		for _, ids := range action.Everyday {
			a := wd.console.(console).keys.ByID(ids[0])
			if !strings.Contains(f, a.Title) || !strings.Contains(f, a.Key()) {
				t.Errorf("%s is not on the screen:\n%s", a.ID, f)
			}
		}
		wd.write("plan status")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "draft, ready or needs input") {
			t.Errorf("what has no key is not found:\n%s", f)
		}
	})
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
			{"f", "Agents"}, {"a", "Activity  all agents"}, {"r", "finished work"}, {"d", "Queue"}, {"y", "‹Why›"}, {"p", "‹Plan›"},
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
		if f := frameOf(wd); strings.Contains(before, "Go to the Fleet") || !strings.Contains(f, "f  Go to the Fleet") {
			t.Errorf("after 300 ms the letters are not shown:\n%s", f)
		}
		wd.press("esc", "g", "h")
		wd.settle()
		if f := frameOf(wd); !strings.Contains(f, "There is no tab Thread here.") {
			t.Errorf("g h does not say that there is no such tab:\n%s", f)
		}
	})
}
