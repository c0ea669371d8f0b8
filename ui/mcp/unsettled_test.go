package mcp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vise/model"
	"vise/model/thread"
	"vise/store/home"
	"vise/store/storetest"
)

// TestACompletionIsWarnedOfWhatItsThreadSays once, and is made nevertheless.
func TestACompletionIsWarnedOfWhatItsThreadSays(t *testing.T) {
	r := storetest.RepoWithCommit(t)
	desk, done := home.Threads{Dir: r.Dir, Now: time.Now, Actor: "operator"}.At(t.Context(), "", "test")
	defer done()
	p, err := thread.ParsePatch([]byte(`{"unverified":["make smoke"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := desk.Apply(t.Context(), thread.Start{Goal: "Fix login", Initial: p}); err != nil {
		t.Fatal(err)
	}
	c := serve(t, "ann", nil)
	c.initialize()
	const warning = `"thread_unsettled","message":"fix-login: unverified: make smoke"`
	for _, linked := range []bool{true, false} {
		w := c.create(fmt.Sprint("Fix login, linked ", linked))
		if linked {
			links := model.Links{Threads: []model.ThreadLink{{Repo: model.Text(r.Dir), TaskID: "fix-login"}}}
			if _, err := c.ledger.Apply(t.Context(), model.Envelope{Key: "link", Actor: model.Operator, Agent: "ann",
				Command: model.LinkWorkItem{WorkItemID: w.ID, Add: links}}); err != nil {
				t.Fatal(err)
			}
		}
		for _, first := range []bool{true, false} {
			said := string(c.call("CompleteWorkItem", fmt.Sprintf(`{"work_item_id":%q}`, w.ID)).Structured)
			if !strings.Contains(said, fmt.Sprintf(`"completed_transition":%v`, first)) || strings.Contains(said, warning) != (linked && first) {
				t.Errorf("linked %v, first %v: %s", linked, first, said)
			}
		}
	}
}
