package screen

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vise/model/todo"
	"vise/themes"
	"vise/ui/action"
)

// The line below the findings says how many wait behind them, and in how many sessions where there are several.
func TestFindingsBehindTheBatchAreCountedBySession(t *testing.T) {
	sessions := []FileSession{{Name: "reviews/one"}, {Name: "reviews/two"}, {Name: "plans/three"}}
	v := Triage{Frame: Frame{Styles: NewStyles(themes.All()[0], false, false), Catalogue: action.Standard()}, Batch: []todo.Ref{"reviews/one/review/001"}}
	v.Files.Pending = []todo.Ref{"reviews/one/review/001", "reviews/two/review/001", "plans/three/plan/001", "plans/three/plan/002"}
	for _, c := range []struct {
		sessions []FileSession
		decided  bool
		says     string
	}{
		{sessions[:1], false, " 1 of 1 left · 3 more behind"},
		{sessions, false, " 1 of 1 left · 3 more behind, in 2 sessions"},
		{sessions, true, " 0 of 1 left · . the next of 3, in 2 sessions"},
	} {
		v.Files.Sessions, v.Verdicts = c.sessions, map[todo.Ref]string{}
		if c.decided {
			v.Verdicts[v.Batch[0]] = "approved"
		}
		if says := ansi.Strip(v.tally()); says != c.says {
			t.Errorf("it says %q, not %q", says, c.says)
		}
	}
}
