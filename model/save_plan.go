package model

import "slices"

// MaxPlanBody bounds the plans whose whole text a ledger on a cluster keeps, in bytes. Of a larger one it keeps the preview.
const MaxPlanBody = 1 << 20

// mostAwaited bounds WorkItem.PlanAwaited. The first is that of the file, unless an edit is being taken over just now.
const mostAwaited = 8

// SavePlan records what an item's plan is now, if Base still is the hash in its description. It is for a ledger that several machines
// share. The plan file lies on one of them; there it is saved in the file first.
type SavePlan struct {
	WorkItemID ItemID `json:"work_item_id"`
	// Base is the hash of the plan that was edited; empty if it could not be read.
	Base string       `json:"base,omitempty"`
	Plan PlanArtifact `json:"plan_artifact"`
	// Text is the whole plan, if KeepsBody reports true. No record holds it.
	Text Text `json:"text,omitempty"`
	// InFile: the plan file is like this. Otherwise it was edited on another machine, and the file's machine takes the text over.
	InFile bool `json:"in_file,omitempty"`
	// Aside names the file beside the plan that keeps the text of another machine, which this one replaces.
	Aside Text `json:"aside,omitempty"`
}

// KeepsBody reports whether a ledger on a cluster keeps the whole text of a plan beside its description. The preview of a short plan is
// the whole text.
func KeepsBody(p PlanArtifact) bool {
	return p.Condition == PlanOK && !p.PreviewComplete && p.Bytes <= MaxPlanBody
}

// IsWhole reports whether a text is the whole plan, and not only its beginning.
func (p PlanArtifact) IsWhole(t Text) bool { return p.Bytes == int64(len(t)) }

// step keeps the description. It is bookkeeping: UpdatedAt stays.
func (c SavePlan) step(s *step) error {
	w, err := s.openItem(c.WorkItemID, 0, "save the plan of")
	if err != nil {
		return err
	}
	before, p := w.PlanArtifact, c.Plan.described(w)
	switch {
	case c.Base != before.Hash:
		return Refuse(CodeStale, "the plan of work item %s was saved since", w.Handle).At("base",
			"nothing was overwritten: look at the plan, then save again")
	case KeepsBody(p) && hashOf([]byte(c.Text)) != p.Hash:
		return Invalid("the text is not the plan that is described").At("text")
	case !c.InFile && before.Condition != PlanOK:
		return Refused("the plan of work item %s cannot be read on its machine", w.Handle).At("plan_artifact",
			"look at it there; its condition is %s", before.Condition)
	case !c.InFile && (p.Condition != PlanOK || p.Bytes > MaxPlanBody):
		return Invalid("a plan that is edited on another machine is text of at most %d bytes", MaxPlanBody).At("text",
			"edit it on the machine that has the file")
	case !c.InFile && SamePlan(p, before):
		return nil
	case c.InFile && SamePlan(p, before) && len(w.PlanAwaited) == 0:
		return nil
	}
	if c.InFile {
		w.PlanAwaited = nil // the file is like this now
	} else {
		w.PlanAwaited = awaited(w.PlanAwaited, before.Hash)
	}
	w.PlanArtifact = p
	w = s.save(w, false)
	if SamePlan(p, before) {
		s.event(EventPlanTaken, w.ID, planTaken{w.Revision, p.Hash})
		return nil
	}
	s.planRefreshed(w, before, c.Aside)
	return nil
}

// awaited returns the hashes that a plan file may have until the file's machine has taken an edit over: those of the list, and base, the
// hash of the plan that was edited.
func awaited(list []string, base string) []string {
	list = append(slices.DeleteFunc(slices.Clone(list), func(hash string) bool { return hash == base }), base)
	if len(list) > mostAwaited {
		list = slices.Delete(list, 1, 2)
	}
	return list
}

// described is p as the record of an item keeps it.
func (p PlanArtifact) described(w WorkItem) PlanArtifact {
	out := BadPlanArtifact(w.AgentID, w.ID, p.Condition)
	out.Hash, out.Bytes, out.UpdatedAt = p.Hash, p.Bytes, p.UpdatedAt.UTC()
	out.Preview, out.PreviewComplete = cut(p.Preview, PreviewRunes), p.PreviewComplete
	return out
}

// planRefreshed tells that an item's plan has other bytes than before.
func (s *step) planRefreshed(w WorkItem, before PlanArtifact, aside Text) {
	p := w.PlanArtifact
	e := refreshed{Revision: w.Revision, PreviousHash: before.Hash, Hash: p.Hash, Bytes: p.Bytes, Condition: p.Condition, Aside: aside}
	e.Added, e.Removed = linesMoved(before, p)
	s.event(EventPlanRefreshed, w.ID, e)
}
