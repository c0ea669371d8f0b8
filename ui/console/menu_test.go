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
		lines := helpMenu(wd.console.(Console)).(*menu).lines
		for _, a := range action.Table {
			if !slices.ContainsFunc(lines, func(l menuLine) bool { return l.title == a.Title && strings.Contains(l.key, a.Key()) }) {
				t.Errorf("help does not list %s, %s", a.Key(), a.Title)
			}
		}
	})
}

// Each action of the desk does something when it is enabled: none is in the table alone.
func TestEveryActionOfTheDeskIsCarriedOut(t *testing.T) {
	for _, a := range action.Table {
		if _, ok := deeds[a.ID]; !ok && (a.In == action.Desk || a.In == action.Copy && a.ID != action.CopyBack) {
			t.Errorf("nothing carries out %s", a.ID)
		}
	}
}
