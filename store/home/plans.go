package home

import (
	"context"

	"vise/model"
	"vise/store/files"
)

// planReader describes plans as their files are now.
type planReader struct {
	model.Reader
	home  files.Home
	items *files.Items // those of the agent asked for last: most of a list is one agent's
}

// PlanOf is part of model.PlanReader.
func (p *planReader) PlanOf(w model.WorkItem) model.PlanArtifact {
	if p.home.Dir() == "" {
		return w.PlanArtifact
	}
	if p.items == nil || p.items.Agent() != w.AgentID {
		p.close()
		p.items = p.home.Items(w.AgentID)
	}
	return settled(w, p.items.Plan(w.ID))
}

// settled is a plan as it was read; one that is being written keeps the ledger's description.
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

// RefreshPlan has the ledger describe an open item's plan file as it is now. by is who asks,
// and for which agent: the items of others are left alone.
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
	plan := settled(w, h.files.Plan(w.AgentID, w.ID))
	if model.SamePlan(plan, w.PlanArtifact) {
		return nil
	}
	by.Key += "-plan"
	by.Command = model.RefreshPlan{WorkItemID: w.ID, Plan: plan}
	_, err := h.send(ctx, by)
	return err
}
