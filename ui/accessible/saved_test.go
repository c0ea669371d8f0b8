package accessible

import (
	"context"
	"slices"
	"strings"
	"testing"

	"vise/model"
	"vise/ui/action"
)

// stuckAfter is a ledger that cannot be read for a while after a verb or a command.
type stuckAfter struct {
	*stage
	reads int
	sent  []string // the commands that no verb made
}

func (s *stuckAfter) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	in, err := s.stage.Apply(ctx, e)
	if err == nil {
		s.reads, s.sent = 2, append(s.sent, model.CommandName(e.Command))
	}
	return in, err
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
	tried := map[action.ID]bool{action.EditPlan: true, action.Review: true, action.CopyOf: true} // no record, or by an act below
	for _, x := range []struct {
		at    []string // the menu
		act   action.ID
		typed []string
		want  string // the verb, or the command
	}{
		{jitter, action.Pick, nil, "pick"},
		{jitter, action.Complete, []string{"Done.", ".", "yes"}, "complete"},
		{jitter, action.Block, []string{"ops", ""}, "block"},
		{jitter, action.Wait, []string{"something outside", "ci", "", "", "", ""}, "wait"},
		{policy, action.Answer, []string{"2"}, "answer"},
		{jitter, action.TodoList, []string{"Measure"}, "update"},
		{jitter, action.Objective, []string{"Other"}, "update"},
		{jitter, action.Status, []string{"ready"}, "update"},
		{jitter, action.Priority, []string{"high"}, "update"},
		{[]string{"desk", "done"}, action.Report, []string{"It works.", "."}, "report"},
		{policy, action.Hide, []string{"2h"}, "hide"},
		{nil, action.New, []string{"Another"}, "new"},
		{nil, action.Message, []string{"hello", "."}, "say"},
		{[]string{"desk", "mark", "1-2"}, action.Block, []string{"ops"}, "Batch"},
		{[]string{"desk", "mark", "1-2"}, action.Hide, nil, "AcknowledgeAll"},
		{nil, action.Undo, nil, "undo"},
	} {
		tried[x.act] = true
		st := newStage(t)
		done := st.apply(model.CreateWorkItem{Objective: "Finished"})
		st.apply(model.CompleteWorkItem{WorkItemID: done.WorkItemID})
		led := &stuckAfter{stage: st}
		st.verb = func([]string) int { led.reads = 2; return 0 }
		words := strings.ToLower(titleOf(x.act))
		if x.act == action.Block || x.act == action.Hide {
			words = string(x.act)
		}
		typed := append(slices.Clone(x.at), words)
		if x.act == action.Undo {
			typed = append([]string{"desk", "mark", "1-2", "block", "ops", "", ""}, typed...)
		}
		e, out := st.env(append(append(typed, x.typed...), "", "", "q")...)
		e.Ledger = led
		if err := Run(t.Context(), e); err != nil {
			t.Fatalf("%s: %v after %s", x.act, err, out)
		}
		var ran []string
		for _, verb := range append(led.sent, st.verbs...) {
			name, _, _ := strings.Cut(strings.Fields(verb)[0], "|")
			ran = append(ran, name)
		}
		said := out.String()
		if len(ran) == 0 || ran[len(ran)-1] != x.want || len(ran) > 1 && x.act != action.Undo || strings.Contains(said, "Not done") ||
			strings.Contains(said, "nothing was changed") || !strings.Contains(said, "Not read: the ledger is busy") {
			t.Errorf("%s: did %q, and said:\n%s", x.act, ran, said)
		}
	}
	for id := range acts {
		if !tried[id] {
			t.Errorf("%s is tried nowhere", id)
		}
	}
}
