package accessible

import (
	"context"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/ui/action"
)

// stuckAfter is a ledger that cannot be read for a while after a verb.
type stuckAfter struct {
	*stage
	reads int
}

func (s *stuckAfter) View(ctx context.Context, fn func(model.Reader) error) error {
	if s.reads--; s.reads >= 0 {
		return model.Refuse(model.CodeBusy, "the ledger is busy").WithHint("try again; nothing was changed")
	}
	return s.stage.View(ctx, fn)
}

// TestWhatWasDoneIsNotSaidToBeUndoneByAReadThatFails carries out each act, after which reads of the ledger fail: it was
// done once, and no output says that it was not.
func TestWhatWasDoneIsNotSaidToBeUndoneByAReadThatFails(t *testing.T) {
	jitter, policy := []string{"desk", "add jitter"}, []string{"desk", "pick a policy"}
	tried := map[action.ID]bool{}
	for _, x := range []struct {
		at    []string // the menu
		act   action.ID
		typed []string
		want  string // the verb
	}{
		{jitter, action.Pick, []string{""}, "pick"},
		{jitter, action.Complete, []string{"", "yes"}, "complete"},
		{jitter, action.Block, []string{"ops", ""}, "block"},
		{jitter, action.Wait, []string{"external", "ci", ""}, "wait"},
		{jitter, action.EditPlan, nil, "plan"},
		{policy, action.Answer, []string{"2", ""}, "answer"},
		{jitter, action.TodoList, []string{"Measure"}, "update"},
		{jitter, action.Objective, []string{"Other"}, "update"},
		{jitter, action.Status, []string{"ready"}, "update"},
		{jitter, action.Priority, []string{"high"}, "update"},
		{[]string{"desk", "done"}, action.Report, []string{"file", "It works.", ".", ""}, "report"},
		{policy, action.Hide, []string{"until", "2h", ""}, "hide"},
		{nil, action.New, []string{"Another", ""}, "new"},
		{nil, action.Message, []string{"hello", ".", ""}, "say"},
		{nil, action.Undo, nil, "undo"},
		{nil, action.Redo, nil, "undo"},
	} {
		tried[x.act] = true
		st := newStage(t)
		done := st.apply(model.CreateWorkItem{Objective: "Finished"})
		st.apply(model.CompleteWorkItem{WorkItemID: done.WorkItemID})
		led := &stuckAfter{stage: st}
		st.verb = func([]string) int { led.reads = 2; return 0 }
		words := strings.ToLower(strings.TrimSuffix(action.Standard().ByID(x.act).Title, "…"))
		e, out := st.env(append(append(append(slices.Clone(x.at), words), x.typed...), "", "", "q")...)
		e.Ledger = led
		if err := Run(t.Context(), e); err != nil {
			t.Fatalf("%s: %v after %s", x.act, err, out)
		}
		said := out.String()
		if len(st.verbs) != 1 || strings.Fields(st.verbs[0])[0] != x.want && !strings.HasPrefix(st.verbs[0], x.want+"|") ||
			strings.Contains(said, "nothing was changed") || !strings.Contains(said, "Not read: the ledger is busy") {
			t.Errorf("%s: did %q, and said:\n%s", x.act, st.verbs, said)
		}
	}
	for _, a := range action.Standard() { // Tick and Posture have lines of other acts, Review needs a trigger or an agent that rests
		if a.Writes && !tried[a.ID] && !slices.Contains([]action.ID{action.Tick, action.Posture, action.Review}, a.ID) {
			t.Errorf("%s is tried nowhere", a.ID)
		}
	}
}
