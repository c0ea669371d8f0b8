package files

import (
	"errors"
	"os"
	"testing"

	"vise/model"
)

func TestAPlanIsSavedOnlyOverWhatItsEditorBeganWith(t *testing.T) {
	h, err := NewHome(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.CreatePlan("a", "wi-1", "one\n"); err != nil {
		t.Fatal(err)
	}
	base := h.Plan("a", "wi-1").Hash
	if err := h.SavePlan("a", "wi-1", base, []byte("mine\n")); err != nil {
		t.Fatal(err)
	}
	if err := h.SavePlan("a", "wi-1", base, []byte("again\n")); !errors.Is(err, ErrMoved) {
		t.Errorf("over another text: %v", err)
	}
	if got := string(h.Plan("a", "wi-1").Raw); got != "mine\n" {
		t.Errorf("the plan is %q", got)
	}
	for n, want := range []string{"theirs 1", "theirs 2"} {
		path, err := h.SaveCopy("a", "wi-1", []byte(want))
		raw, readErr := os.ReadFile(path)
		if err != nil || readErr != nil || string(raw) != want {
			t.Errorf("copy %d: %q, %v, %v", n, raw, err, readErr)
		}
	}
	if err := os.Remove(h.PlanPath("a", "wi-1")); err != nil {
		t.Fatal(err)
	}
	if err := h.SavePlan("a", "wi-1", h.Plan("a", "wi-1").Hash, []byte("new\n")); err != nil {
		t.Errorf("a missing plan is not written again: %v", err)
	}
	if err := h.SavePlan("a", "wi-1", "", []byte("newer\n")); !errors.Is(err, ErrMoved) {
		t.Errorf("a plan that came back was overwritten: %v", err)
	}
	if err := h.SavePlan("a", "wi-1", "", make([]byte, model.MaxPlanBytes+1)); err == nil {
		t.Error("a plan larger than a plan was saved")
	}
}
