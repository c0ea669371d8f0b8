package console

import (
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
)

// What an agent wrote while no console was open counts as a change since the operator last looked.
func TestTheNextConsoleKnowsWhatChangedSinceTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		seen := wd.seen
		defer wd.end()
		wd.change("create a Document limiter rollout")
		wd.change("plan a # Plan")
		wd.settle()
		id := wd.console.(console).plan.Item
		if seen.kept[id] == "" {
			t.Fatalf("the plan of %q was not kept: %q", id, seen.kept)
		}
		seen.kept[id] += "\n\nThis line went in the night.\n"
		wd.console = New(wd.t.Context(), wd.console.(console).opt)
		wd.pending = append(wd.pending, wd.console.Init())
		wd.send(tea.WindowSizeMsg{Width: 120, Height: 36})
		wd.settle()
		if ch := wd.console.(console).plan.Shown.Changes; ch.Removed == 0 {
			t.Errorf("it sees %+v", ch)
		}
		if got := string(seen.kept[id]); !strings.Contains(got, "in the night") {
			t.Errorf("a change that nobody read counts as seen: %q", got)
		}
		wd.press("@plan-seen")
		wd.settle()
		if got := string(seen.kept[id]); strings.Contains(got, "in the night") {
			t.Errorf("what was read does not count as seen: %q", got)
		}
	})
}
