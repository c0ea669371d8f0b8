package home

import (
	"context"
	"errors"

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

// RefreshPlan has the ledger describe an open item's plan file as it is now. by names who asks,
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
	by.Key, by.Command = NewKey(), model.RefreshPlan{WorkItemID: w.ID, Plan: plan}
	_, err := h.send(ctx, by)
	return err
}

// SavePlan writes the operator's text over a plan whose file still has the hash base, else it
// refuses as stale; then the ledger describes it anew. What it cannot note now, whoever asks
// next notes.
func (h *Home) SavePlan(ctx context.Context, agent model.AgentID, id model.ItemID, base, text string) error {
	err := h.files.SavePlan(agent, id, base, []byte(text))
	if errors.Is(err, files.ErrMoved) {
		return model.Refuse(model.CodeStale, "plan.md changed on disk while you edited it")
	}
	if err == nil {
		_ = h.RefreshPlan(ctx, model.Envelope{Actor: model.Operator, Agent: agent}, id)
	}
	return err
}
