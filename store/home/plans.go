package home

import (
	"context"
	"errors"
	"time"

	"vise/model"
	"vise/store/files"
)

// planKeeper keeps an item's plan file and what the ledger describes alike. A home with a ledger of its own has all files. A ledger on a
// cluster has files on many machines: see plans_shared.go.
type planKeeper interface {
	// elsewhere reports whether the plan file of an item that is open, or completed, is on another machine.
	elsewhere(agent model.AgentID, id model.ItemID, completed bool) bool
	// refresh lets both have what was saved in one of them.
	refresh(ctx context.Context, by model.Envelope, w model.WorkItem) error
	// overwrite writes a text over a plan file that has the hash base.
	overwrite(agent model.AgentID, id model.ItemID, base string, text []byte) error
	// takeEdits lets files have what was edited on other machines.
	takeEdits(context.Context)
}

// ownPlans are the plan files of a home with a ledger of its own.
type ownPlans struct{ *Home }

func (ownPlans) elsewhere(model.AgentID, model.ItemID, bool) bool { return false }

func (h ownPlans) overwrite(agent model.AgentID, id model.ItemID, base string, text []byte) error {
	return h.files.SavePlan(agent, id, base, text)
}

func (ownPlans) takeEdits(context.Context) {}

// planReader is a Reader that describes plans as their files are now.
type planReader struct {
	model.Reader
	home  *Home
	items *files.Items // of the agent asked for last: most of a list belongs to one agent
}

// PlanOf implements model.PlanReader.
func (p *planReader) PlanOf(w model.WorkItem) model.PlanArtifact {
	if p.home.files.Dir() == "" {
		return w.PlanArtifact
	}
	if p.items == nil || p.items.Agent() != w.AgentID {
		p.close()
		p.items = p.home.files.Items(w.AgentID)
	}
	return settled(w, p.home.orElsewhere(w, p.items.Plan(w.ID)))
}

// orElsewhere returns a plan as its file was read or, if its file is on another machine, as the ledger describes it.
func (h *Home) orElsewhere(w model.WorkItem, read files.Plan) files.Plan {
	if read.Condition != model.PlanMissing || !h.plans.elsewhere(w.AgentID, w.ID, w.State != model.Open) {
		return read
	}
	there := files.Plan{PlanArtifact: w.PlanArtifact, Raw: []byte(w.PlanArtifact.Preview.Raw())} // raw: shown as the text of a file is
	there.Path, there.Awaited = "", len(w.PlanAwaited) > 0
	if there.Condition != model.PlanOK {
		there.Reason = "It is on another machine."
		return there
	}
	there.Condition = model.PlanElsewhere
	if !w.PlanArtifact.PreviewComplete {
		there.Reason = "The ledger keeps its beginning."
	}
	return there
}

// Plan returns an item's plan as its file is now. A plan on another machine has the condition elsewhere, and the text that the ledger has.
func (h *Home) Plan(ctx context.Context, agent model.AgentID, id model.ItemID) files.Plan {
	read := h.files.Plan(agent, id)
	if read.Condition != model.PlanMissing || !h.plans.elsewhere(agent, id, true) {
		return read
	}
	w, err := h.item(ctx, id)
	if err != nil {
		read.Condition, read.Reason = model.PlanUnreadable, "it is not on this machine, and the ledger cannot be read now"
		return read
	}
	return h.whole(ctx, w, h.orElsewhere(w, read))
}

// PlanElsewhere reports whether the plan file of an open item is on another machine.
func (h *Home) PlanElsewhere(agent model.AgentID, id model.ItemID) bool {
	return h.plans.elsewhere(agent, id, false)
}

// TakenPlan is Plan after an edit of a plan on another machine. It waits a second for that machine, which takes the edit at once if vise
// runs there.
func (h *Home) TakenPlan(ctx context.Context, agent model.AgentID, id model.ItemID) files.Plan {
	limit, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	for after, err := uint64(0), error(nil); ; after, err = h.Follow(limit, after) {
		if plan := h.Plan(ctx, agent, id); !plan.Awaited || err != nil {
			return plan
		}
	}
}

// settled returns the plan as it was read. For a plan that is still being written it keeps the ledger's description.
func settled(w model.WorkItem, now files.Plan) model.PlanArtifact {
	if now.Unsettled {
		w.PlanArtifact.Path = now.Path
		return w.PlanArtifact
	}
	return now.PlanArtifact
}

func (p *planReader) close() {
	if p.items != nil {
		p.items.Close()
	}
}

// RefreshPlan writes the present description of an open item's plan file to the ledger, or lets the file have what was edited on another
// machine. by names the caller and its agent: the items of other agents stay unchanged.
func (h *Home) RefreshPlan(ctx context.Context, by model.Envelope, id model.ItemID) error {
	w, err := h.item(ctx, id)
	if err != nil {
		return err
	}
	return h.refreshPlan(ctx, by, w)
}

func (h *Home) refreshPlan(ctx context.Context, by model.Envelope, w model.WorkItem) error {
	if w.State != model.Open || by.Agent != "" && by.Agent != w.AgentID || h.files.Dir() == "" {
		return nil
	}
	return h.plans.refresh(ctx, by, w)
}

func (h ownPlans) refresh(ctx context.Context, by model.Envelope, w model.WorkItem) error {
	now := h.files.Plan(w.AgentID, w.ID)
	plan := settled(w, now)
	if model.SamePlan(plan, w.PlanArtifact) {
		return nil
	}
	_, err := h.send(ctx, by, model.RefreshPlan{WorkItemID: w.ID, Plan: plan})
	if err == nil && plan.Condition == model.PlanOK {
		h.keep(savedText{w.AgentID, w.ID, plan.Hash, now.Raw})
	}
	return err
}

// SavePlan writes the operator's text over a plan whose file still has the hash base, and then describes the plan in the ledger. If the
// hash differs, it refuses with code stale. If the ledger cannot be written now, the next caller that refreshes the plan writes it. A plan
// whose file is on another machine is saved in the ledger, and goes into the file from there.
func (h *Home) SavePlan(ctx context.Context, agent model.AgentID, id model.ItemID, base, text string) error {
	if h.PlanElsewhere(agent, id) {
		return h.saveThere(ctx, agent, id, base, text)
	}
	err := h.plans.overwrite(agent, id, base, []byte(text))
	if errors.Is(err, files.ErrMoved) {
		return model.Refuse(model.CodeStale, "plan.md changed on disk while you edited it")
	}
	if err == nil {
		_ = h.RefreshPlan(ctx, model.Envelope{Actor: model.Operator, Agent: agent}, id)
	}
	return err
}
