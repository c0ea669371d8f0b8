package accessible

import (
	"context"
	"strings"
	"testing"

	"vise/model"
)

// stuckAfter is a ledger that cannot be read for a while after a verb or a command.
type stuckAfter struct {
	*stage
	reads int
}

func (s *stuckAfter) Apply(ctx context.Context, e model.Envelope) (model.Receipt, error) {
	in, err := s.stage.Apply(ctx, e)
	if err == nil {
		s.reads = 2
	}
	return in, err
}

func (s *stuckAfter) View(ctx context.Context, fn func(model.Reader) error) error {
	if s.reads--; s.reads >= 0 {
		return model.Refuse(model.CodeBusy, "the ledger is busy").WithHint("try again; nothing was changed")
	}
	return s.stage.View(ctx, fn)
}

// TestWhatWasDoneIsNotSaidToBeUndoneByAReadThatFails carries out a verb and an undo, after each of
// which the ledger cannot be read: nothing says that they were not done.
func TestWhatWasDoneIsNotSaidToBeUndoneByAReadThatFails(t *testing.T) {
	st := newStage(t)
	e, out := st.env("work items", "1", "block", "ops", "", "", "", "undo", "", "", "q")
	led := &stuckAfter{stage: st}
	st.verb = func(args []string) int {
		if args[0] == "block" {
			st.apply(model.UpdateWorkItem{WorkItemID: model.ItemID(args[1]), BlockedBy: model.SetTo("ops")})
			led.reads = 2
		}
		return 0
	}
	e.Ledger = led
	if err := Run(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	said := out.String()
	if strings.Contains(said, "Not done") || !strings.Contains(said, "Not read: the ledger is busy") || !strings.Contains(said, "takes it back") {
		t.Errorf("said:\n%s", said)
	}
}
