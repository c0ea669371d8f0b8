package home

import (
	"testing"

	"vise/model"
)

// A list reads each plan in the agent's directory, which stays open: only an item without a plan file is looked for from the home down.
func TestAListOpensTheAgentsDirectoryOnce(t *testing.T) {
	x := newTrial(t)
	err := x.View(t.Context(), func(r model.Reader) error {
		w, _ := r.Item(x.item)
		plans := r.(*planReader)
		listed := testing.AllocsPerRun(20, func() { plans.PlanOf(w) })
		alone := testing.AllocsPerRun(20, func() { x.files.Plan("ann", x.item) })
		if listed > alone*3/4 {
			t.Errorf("a plan of a list takes %v allocations, and one that is read from the home down %v", listed, alone)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
