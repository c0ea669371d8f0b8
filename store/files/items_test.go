package files

import (
	"os"
	"testing"

	"vise/model"
)

func TestEachItemOfAListIsJudgedWhenItIsRead(t *testing.T) {
	h := newHome(t)
	items := h.Items(agent)
	defer items.Close()
	if got := items.Plan(item); got.Condition != model.PlanOK || got.Path != h.PlanPath(agent, item) {
		t.Fatalf("got %s (%s) at %s", got.Condition, got.Reason, got.Path)
	}
	linkDir(itemDirOf, "wi-2")(t, h)
	if got := items.Plan(item); got.Condition != model.PlanOutsideHome || got.Reason != dirIsLink {
		t.Errorf("got %s (%q) through a link to another item", got.Condition, got.Reason)
	}
	if got := items.Plan("../x"); got.Condition != model.PlanOutsideHome || got.Path != "" {
		t.Errorf("got %s at %q for an id that is none", got.Condition, got.Path)
	}
}

func TestAListOfNoAgentIsOfMissingPlans(t *testing.T) {
	h := newHome(t)
	must(t, os.RemoveAll(h.Dir()))
	items := h.Items(agent)
	defer items.Close()
	if got := items.Plan(item); got.Condition != model.PlanMissing {
		t.Errorf("got %s, want missing", got.Condition)
	}
	stranger := h.Items("../x")
	defer stranger.Close()
	if got := stranger.Plan(item); got.Condition != model.PlanOutsideHome {
		t.Errorf("got %s for an agent that is none", got.Condition)
	}
}
