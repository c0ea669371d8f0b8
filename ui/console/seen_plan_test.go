package console

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

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

// What changed counts as seen five seconds after a key opened it, if the terminal has the focus. Its marks dim; later changes are new.
func TestWhatChangedIsSeenByLooking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.change("create a Document limiter rollout")
		wd.change("plan a # Plan\\n\\none\\n")
		wd.settle()
		plan := func() plan { return wd.console.(console).plan }
		wd.change("plan a # Plan\\n\\none\\n\\ntwo\\n")
		wd.settle()
		wd.press("g", "p")
		wd.settle()
		wd.pass(time.Minute)
		if plan().Dim {
			t.Error("it counts as seen, although the terminal never said that it has the focus")
		}
		wd.send(tea.FocusMsg{})
		wd.press("j")
		wd.pass(3 * time.Second)
		wd.send(tea.BlurMsg{})
		wd.send(tea.FocusMsg{})
		wd.pass(4 * time.Second)
		if plan().Dim {
			t.Error("it counts as seen, although the terminal lost the focus meanwhile")
		}
		wd.press("k")
		wd.pass(6 * time.Second)
		wd.settle()
		if p := plan(); !p.Dim || p.Shown.Changes.Added == 0 {
			t.Errorf("after five seconds the marks are not dim: %v, %+v", p.Dim, p.Shown.Changes)
		}
		wd.change("plan a # Plan\\n\\none\\n\\ntwo\\n\\nthree\\n")
		wd.settle()
		wd.pass(time.Minute)
		if p := plan(); p.Dim || p.Shown.Changes.Added == 0 || p.Shown.Changes.First() < 6 {
			t.Errorf("what changed later is not new: %v, %+v", p.Dim, p.Shown.Changes)
		}
	})
}
