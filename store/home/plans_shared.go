package home

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"vise/model"
	"vise/store/files"
	"vise/store/transfer"
)

// The plan file of an item on a shared ledger lies on one machine, which keeps it: the one that has the item's directory. What is saved in
// the file goes to the ledger with its whole text. On another machine a plan is read from the ledger, and an edit is saved there, over the
// plan that was edited; the machine that keeps the file takes it over. If the file was saved meanwhile, both texts are kept.

// sharedPlans are the plan files of a home whose ledger lies on a cluster.
type sharedPlans struct{ *Home }

// elsewhere is by the item's directory. A long report makes that of a completed item.
func (h sharedPlans) elsewhere(agent model.AgentID, id model.ItemID, completed bool) bool {
	return completed || !h.files.Has(agent, id)
}

// whole returns a plan of another machine with its whole text, if the ledger has it.
func (h *Home) whole(ctx context.Context, w model.WorkItem, there files.Plan) files.Plan {
	if there.PlanArtifact.Condition != model.PlanElsewhere || there.PreviewComplete {
		return there
	}
	if there.Bytes > model.MaxPlanBody {
		there.Reason = "It has more than 1 MiB: the ledger keeps its beginning."
		return there
	}
	text, err := h.PlanBody(ctx, w)
	switch {
	case err != nil:
		there.Reason = "This is its beginning: the rest cannot be read now."
	case text == nil:
		there.Reason = "The ledger keeps its beginning until vise runs on its machine."
		if places, err := transfer.TextsMoved(ctx, h.Ledger, w); err == nil && places != "" {
			there.Reason = "This is its beginning. The whole plans of completed work items are in the archive: " + places
		}
	default:
		there.Raw, there.Reason = text, ""
	}
	return there
}

// saveThere saves an edit of a plan whose file is on another machine.
func (h *Home) saveThere(ctx context.Context, agent model.AgentID, id model.ItemID, base, text string) error {
	c := model.SavePlan{WorkItemID: id, Base: base, Plan: model.NewPlanArtifact(agent, id, []byte(text), h.o.Now())}
	if model.KeepsBody(c.Plan) {
		c.Text = model.Text(text)
	}
	_, err := h.send(ctx, model.Envelope{Actor: model.Operator, Agent: agent}, c)
	return err
}

// mostSyncs bounds how often refresh looks again because somebody else saved the plan meanwhile.
const mostSyncs = 16

// refresh saves what the plan file of this machine has, or lets the file have what was edited on another machine.
func (h sharedPlans) refresh(ctx context.Context, by model.Envelope, w model.WorkItem) error {
	again, err := h.files.Has(w.AgentID, w.ID), error(nil)
	for n := 0; again && n < mostSyncs; n++ {
		if n > 0 {
			if w, err = h.item(ctx, w.ID); err != nil || w.State != model.Open {
				return err
			}
		}
		again, err = h.syncOnce(ctx, by, w)
	}
	return err
}

func (h sharedPlans) syncOnce(ctx context.Context, by model.Envelope, w model.WorkItem) (again bool, err error) {
	file := h.files.Plan(w.AgentID, w.ID)
	same := model.SamePlan(file.PlanArtifact, w.PlanArtifact)
	c := model.SavePlan{WorkItemID: w.ID, Base: w.PlanArtifact.Hash, Plan: file.PlanArtifact, InFile: true}
	switch awaited := len(w.PlanAwaited) > 0; {
	case file.Unsettled:
		return false, nil
	case same && !awaited && by.Actor == model.Watcher && model.KeepsBody(file.PlanArtifact):
		return false, h.KeepPlan(ctx, w, file.Raw) // the ledger lacks it if it came to the cluster without it
	case same && !awaited:
		return false, nil
	case awaited && !same:
		text, err := h.PlanBody(ctx, w)
		if err == nil && text == nil {
			err = model.NotFound("the text of the plan of %s is not in the ledger", w.Handle)
		}
		if err != nil {
			return false, err
		}
		if slices.Contains(w.PlanAwaited, file.Hash) {
			h.keep(savedText{w.AgentID, w.ID, file.Hash, file.Raw})
			err = h.overwrite(w.AgentID, w.ID, file.Hash, text)
			if errors.Is(err, files.ErrMoved) {
				err = nil // it was saved meanwhile
			}
			return err == nil, err
		}
		path, err := h.files.SaveCopy(w.AgentID, w.ID, text)
		if err != nil {
			return false, err
		}
		c.Aside = model.Text(filepath.Base(path))
	}
	if model.KeepsBody(c.Plan) {
		c.Text = model.Text(file.Raw)
	}
	_, err = h.send(ctx, by, c)
	if err == nil && file.Condition == model.PlanOK {
		h.keep(savedText{w.AgentID, w.ID, file.Hash, file.Raw})
	}
	return model.HasCode(err, model.CodeStale), err
}

// overwrite is done by one process of this machine at a time.
func (h sharedPlans) overwrite(agent model.AgentID, id model.ItemID, base string, text []byte) error {
	lock, err := files.StateFile(h.Dir(), "plans.lock")
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := files.Flock(lock, files.Exclusive); err != nil {
		return err
	}
	return h.files.SavePlan(agent, id, base, text)
}

// takeEdits tries again at the next change what cannot be done now.
func (h sharedPlans) takeEdits(ctx context.Context) {
	awaited, err := h.AwaitedPlans(ctx)
	if err != nil {
		return
	}
	for item, agent := range awaited {
		if h.files.Has(agent, item) {
			_ = h.RefreshPlan(ctx, model.Envelope{Actor: model.Watcher}, item)
		}
	}
}
