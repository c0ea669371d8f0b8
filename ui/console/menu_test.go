package console

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"vise/ui/action"
	"vise/ui/console/widget"
)

func TestHelpListsEveryKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.create("a", "Add jitter to backoff")
		wd.settle()
		c := wd.console.(console)
		lines := helpMenu(&c).(*widget.Menu).Lines
		for _, a := range action.Standard() {
			if !slices.ContainsFunc(lines, func(l widget.MenuLine) bool { return l.Title == a.Title && strings.Contains(l.Key, a.Key()) }) {
				t.Errorf("help does not list %s, %s", a.Key(), a.Title)
			}
		}
	})
}

// Each action of the desk does something when it is enabled: none is in the table alone.
func TestEveryActionOfTheDeskIsCarriedOut(t *testing.T) {
	all := newActs().all
	for _, a := range action.Standard() {
		if _, ok := all[a.ID]; !ok && (a.In == action.Desk || a.In == action.Copy && a.ID != action.CopyBack) {
			t.Errorf("nothing carries out %s", a.ID)
		}
	}
}
