package console

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"vise/model"
	"vise/store"
)

// fakeSaves are the saves in the journal, and the texts of the plans, without the thinned ones.
type fakeSaves struct {
	ledger *store.Ledger
	plans  *fakePlans
}

func (f fakeSaves) PlanSaves(ctx context.Context, _ model.AgentID, id model.ItemID) (saves []model.PlanSave, err error) {
	err = f.ledger.View(ctx, func(r model.Reader) error {
		w, _ := r.Item(id)
		saves = model.PlanSaves(w, r.Entries(id, 100))
		return nil
	})
	for i, s := range saves {
		_, err := f.SavedText(ctx, "", id, s)
		saves[i].Kept = err == nil
	}
	return saves, err
}

func (f fakeSaves) SavedText(_ context.Context, _ model.AgentID, _ model.ItemID, s model.PlanSave) (model.Text, error) {
	f.plans.mu.Lock()
	defer f.plans.mu.Unlock()
	text, ok := f.plans.texts[s.Hash]
	if !ok {
		return "", model.Refuse(model.CodeNotFound, "the text of save %d is not kept", s.N)
	}
	return text, nil
}

func (f fakeSaves) SavedTodos(ctx context.Context, id model.ItemID, s model.PlanSave) ([]model.Todo, error) {
	w, _, err := f.ledger.ItemAt(ctx, id, s.Revision)
	return w.TodoList, err
}

// savedTour records the frames of a plan's saves.
func savedTour(t *testing.T, w, h int) string {
	x := &touring{world: newWorld(t, w, h, nil)}
	defer x.end()
	for _, line := range []string{
		"create a Split rate limiter out of gateway", `todos a x Extract interface | > Port the token bucket | - Replay traffic`,
		`plan a # Plan\n\n- [ ] Extract the interface\n- [ ] Replay the traffic of a day\n\nThe limiter keeps headers.\n`, "refresh a", "pass 8m",
		`todos a x Extract interface | x Port the token bucket | > Replay traffic`,
		`plan a # Plan\n\n- [x] Extract the interface\n- [ ] Replay the traffic of a week\n\nThe limiter keeps all headers, and drops none.\n`,
		"refresh a", "pass 3m", `plan a # Plan\n\nDone.\n`, "refresh a",
	} {
		x.change(line)
	}
	x.keys("tab", "<", "<")
	x.take("Detail: a save of the plan")
	x.at("Detail: what a save changed", "d")
	return x.out.String()
}

// A save is thinned while the operator goes through the saves: the one on screen stays. A text that is read late is not
// shown any more once the operator has gone on.
func TestASaveThatIsGoneLeavesTheOneOnScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wd := newWorld(t, 120, 36, nil)
		defer wd.end()
		wd.change("create a Split rate limiter")
		for n := range 4 {
			wd.change(fmt.Sprintf(`plan a text %d\n`, n))
			wd.change("refresh a")
		}
		wd.settle()
		wd.press("<")
		wd.settle()
		c := wd.console.(console)
		if c.plan.Save == nil || c.plan.Save.N != 5 {
			t.Fatalf("the save is %+v", c.plan.Save)
		}
		p := c.plan
		gone := saveMsg{saves: p.saves, back: 1, err: errors.New("not kept")}
		p.saves.back, p.saves.reading = 1, true
		gone.handle(&c)
		if c.plan.Save != p.Save || c.plan.saves.back != 0 || c.plan.saves.reading {
			t.Errorf("on screen is %+v of %+v", c.plan.Save, c.plan.saves)
		}
		late := saveMsg{saves: c.plan.saves, kept: p.saves.kept, of: 5, save: p.Save}
		toNow(&c)
		late.handle(&c)
		if c.plan.Save != nil {
			t.Error("a save that was read late is on screen")
		}
	})
}
