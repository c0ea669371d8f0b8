package model

// trailOfCompletion is how far back the events of a completion are looked for.
const trailOfCompletion = 20

// doneElsewhere are the items that a round completed by tools of its own, as an agent
// does that calls its tools itself while somebody reads along. Only what the ledger saw
// happen in the round's turn counts.
func (s *step) doneElsewhere(c Round) ([]completedCall, error) {
	if len(c.Done) == 0 {
		return nil, nil
	}
	a, ok := s.Agent(s.actingAgent())
	if !ok || c.Turn == 0 {
		return nil, Refuse(CodeInvalid, "items done elsewhere belong to a turn").At("done").WithHint("name the turn")
	}
	var out []completedCall
	for _, id := range c.Done {
		w, err := s.own(id, 0)
		if err != nil {
			return nil, err
		}
		if w.State != Completed || w.ResultSummary != "" {
			continue
		}
		found, focused := s.completedSince(a.Turn.StartedAt, w)
		if !found {
			continue
		}
		s.receipt.Calls = append(s.receipt.Calls, Receipt{Command: CompleteWorkItem{}.Name(), AgentID: w.AgentID, WorkItemID: w.ID,
			ItemRevision: w.Revision, CompletedTransition: true, Warnings: unfinished(w)})
		out = append(out, completedCall{len(s.receipt.Calls) - 1, w.ID, focused})
	}
	return out, nil
}
