package accessible

import (
	"context"
	"strings"
	"testing"

	"vise/model"
)

// held is a ledger that somebody else holds during the first reads.
type held struct {
	*stage
	looks int
}

func (h *held) View(ctx context.Context, look func(model.Reader) error) error {
	if h.looks--; h.looks >= 0 {
		return model.Refuse(model.CodeBusy, "the ledger is held by pid 812").WithHint("kill -CONT 812 lets it go on")
	}
	return h.stage.View(ctx, look)
}

func TestASessionOnAHeldLedgerSaysWhoHoldsItAndGoesOn(t *testing.T) {
	st := newStage(t)
	for _, typed := range [][]string{{"", "", "q"}, {"q"}} {
		e, out := st.env(typed...)
		e.Ledger = &held{st, 2}
		if err := Run(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "Not read: the ledger is held by pid 812.\nkill -CONT 812 lets it go on.") {
			t.Errorf("got %s", out)
		}
		if goesOn := strings.Contains(out.String(), "Agent a. 1 queued."); goesOn != (len(typed) > 1) {
			t.Errorf("after %q goes on: %v\n%s", typed, goesOn, out)
		}
	}
}
