package home

import (
	"fmt"
	"testing"

	"vise/model"
)

// TestTheKnownPartOfAHostIsCounted: a host sends the first open items of an agent, and how many there are.
func TestTheKnownPartOfAHostIsCounted(t *testing.T) {
	there := newAway(t)
	for i := range hostOpen + 5 {
		there.do("ann", model.CreateWorkItem{Objective: model.Text(fmt.Sprint("Work ", i))})
	}
	w := following(t, there.host("build"))
	w.until(t, "the host", func(model.Reader) bool { return !w.States()[0].Away })
	if x := w.States()[0]; x.Open != hostOpen+5 || x.KnownOpen != hostOpen || x.Limit() != "the first 200 of 205 open items of build" {
		t.Errorf("the state is %+v: %q", x, x.Limit())
	}
}
