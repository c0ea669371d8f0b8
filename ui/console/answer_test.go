package console

import (
	"strings"
	"testing"
	"testing/synctest"

	"vise/model"
)

// An answer may be 64 KiB long. What a page shows of it is bounded, and says so.
func TestALongAnswerIsShownInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		id := wd.create("a", "Pick a cache")
		wd.do(model.WaitFor{WorkItemID: id, Wake: model.WakeOperatorInput, Reason: "a choice"})
		wd.do(model.Answer{WorkItemID: id, Text: model.Text(strings.Repeat("é", 30_000))})
		wd.settle()
		wd.press("]", "]")
		wd.settle()
		c := wd.console.(Console)
		lines := c.page(*c.detail(), 70)
		if len(lines) > 120 {
			t.Errorf("the page has %d lines", len(lines))
		}
		// once as the answer, once as what its wait heard
		if all := strings.Join(lines, "\n"); strings.Count(all, "28000") != 2 {
			t.Errorf("the page does not say what it leaves out:\n%s", all)
		}
	})
}
