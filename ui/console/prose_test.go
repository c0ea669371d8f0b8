package console

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"vise/model"
)

// Reports and questions are Markdown, laid out beside the loop: paragraphs are not broken at their author's line ends.
func TestReportsAndQuestionsAreLaidOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		done := wd.create("a", "Fix flaky auth test")
		report := model.Text("The race was **in the cache**;\nit has a lock\nnow.\n\n- reproduced `0` of 500\n- [ ] the *other* one")
		wd.do(model.Round{Text: report, WorkItemID: done, Calls: []model.Call{{Command: model.CompleteWorkItem{WorkItemID: done}}}})
		asks := wd.create("b", "Pick cache policy")
		wd.do(model.WaitFor{WorkItemID: asks, Wake: model.WakeOperatorInput, Reason: "choice", Question: "Which of\n\n1. **LRU**\n2. LFU?"})
		wd.settle()
		shows := func(keys, want string) {
			t.Helper()
			wd.press(strings.Fields(keys)...)
			wd.settle()
			if frame := ansi.Strip(frameOf(wd)); !strings.Contains(frame, want) || strings.Contains(frame, "**") {
				t.Errorf("after %s there is no %q in\n%s", keys, want, frame)
			}
		}
		shows("3", "The race was in the cache; it has a lock now.")
		shows("3", "• reproduced 0 of 500")
		shows("3", "☐ the other one")
		shows("1 .", "1. LRU")
	})
}
