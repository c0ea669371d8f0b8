package model

// step keeps what the file is like now. Equal content is no news, whatever its mtime. It
// is bookkeeping: UpdatedAt stays. A completed item's descriptor stays as it was.
func (c RefreshPlan) step(s *step) error {
	w, err := s.own(c.WorkItemID, 0)
	if err != nil {
		return err
	}
	p := BadPlanArtifact(w.AgentID, w.ID, c.Plan.Condition)
	p.Hash, p.Bytes, p.UpdatedAt = c.Plan.Hash, c.Plan.Bytes, c.Plan.UpdatedAt.UTC()
	p.Preview, p.PreviewComplete = cut(c.Plan.Preview, PreviewRunes), c.Plan.PreviewComplete
	if w.State == Completed || SamePlan(p, w.PlanArtifact) {
		return nil
	}
	before := w.PlanArtifact
	w.PlanArtifact = p
	w = s.save(w, false)
	s.event(EventPlanRefreshed, w.ID, Refreshed{Revision: w.Revision, PreviousHash: before.Hash, Hash: p.Hash, Bytes: p.Bytes, Condition: p.Condition})
	return nil
}
