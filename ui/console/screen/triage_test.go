package screen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vise/model/todo"
	"vise/themes"
	"vise/ui/action"
)

// The line below the findings says how many wait behind them, and in how many sessions where there are several.
func TestFindingsBehindTheBatchAreCountedBySession(t *testing.T) {
	sessions := []FileSession{{Name: "reviews/one"}, {Name: "reviews/two"}, {Name: "plans/three"}}
	v := Triage{Frame: Frame{Styles: NewStyles(themes.All()[0], false), Catalogue: action.Standard()}, Batch: []todo.Ref{"reviews/one/review/001"}}
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

// Of many todos the page of files shows the first, and names the keys that show all, also where they are other ones.
func TestThePageOfFilesNamesTheKeysThatShowAll(t *testing.T) {
	keys, _ := action.Remap(map[action.ID][]string{action.TriageOpen: {"f8"}}, nil)
	for says, catalogue := range map[string]action.Catalogue{"… t in triage (T) shows all": action.Standard(), "… t in triage (f8) shows all": keys} {
		v := Detail{Frame: Frame{Styles: NewStyles(themes.All()[0], false), Catalogue: catalogue}}
		for n := range filesShown {
			v.Files.Todos = append(v.Files.Todos, &todo.Todo{Source: "review", IssueID: fmt.Sprintf("%03d", n)})
			if said := ansi.Strip(strings.Join(v.session(80), "\n")); strings.Contains(said, says) != (n+1 == filesShown) {
				t.Fatalf("with %d todos it says\n%s", n+1, said)
			}
		}
	}
}
