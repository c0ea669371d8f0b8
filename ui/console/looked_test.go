package console

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"

	"vise/model"
)

type looksFake map[model.ItemID]model.Text

func (l looksFake) Looked(_ context.Context, id model.ItemID) (model.Text, bool) {
	text, ok := l[id]
	return text, ok
}

func (l looksFake) Look(_ context.Context, id model.ItemID, text model.Text) error {
	l[id] = text
	return nil
}

// What an agent wrote while no console was open is a change since the operator looked.
func TestTheNextConsoleKnowsWhatChangedSinceTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := looksFake{}
		wd := newWorld(t, 120, 36, func(o *Options) { o.Session.Looks = seen })
		defer wd.end()
		wd.deed("create a Document limiter rollout")
		wd.deed("plan a # Plan")
		wd.settle()
		id := wd.console.(Console).plan.Item
		if seen[id] == "" {
			t.Fatalf("the plan of %q was not kept: %q", id, seen)
		}
		seen[id] += "\n\nThis line went in the night.\n"
		wd.console = New(wd.t.Context(), wd.console.(Console).opt)
		wd.pending = append(wd.pending, wd.console.Init())
		wd.send(tea.WindowSizeMsg{Width: 120, Height: 36})
		wd.settle()
		if ch := wd.console.(Console).plan.Shown.Changes; ch.Removed == 0 {
			t.Errorf("it sees %+v", ch)
		}
		if got := string(seen[id]); !strings.Contains(got, "in the night") {
			t.Errorf("a change that nobody read counts as seen: %q", got)
		}
		wd.press("M")
		wd.settle()
		if got := string(seen[id]); strings.Contains(got, "in the night") {
			t.Errorf("what was read does not count as seen: %q", got)
		}
	})
}
