package model

import "time"

// Detail is the content of the console's detail pane and of `show` for one item.
type Detail struct {
	View
	// Waits are the item's waits, including cancelled ones, newest first.
	Waits []Wait
	// Entries are its newest events, newest first.
	Entries []Entry
	Why     Why
	// FinalText are the newest words that its agent said about it; zero without any.
	FinalText Summary
	// Comments are those on what the work changed.
	Comments []Commented
	// Evidence is the evidence of the work.
	Evidence Evidence
	// Finished are the finished replies about the item that the ledger keeps. TurnSince is when the turn began that its agent is in.
	Finished  []TraceEntry
	TurnSince time.Time
	// Row is the item's row in a list. Need is the item's need of the operator, acknowledged or not; nil for none.
	Row  Row
	Need *Inboxed
}

// Bounds of a detail's histories.
const (
	detailWaits   = 50
	detailEntries = 200
)

// DetailOf reads an item's detail.
func DetailOf(r Reader, id ItemID, at Stamp) (Detail, error) {
	w, ok := r.Item(id)
	if !ok {
		if d, ok := agentDetail(r, id, at); ok {
			return d, nil
		}
		return Detail{}, notFound(id)
	}
	d := Detail{
		View:    ViewOf(r, w),
		Waits:   r.Waits(w.AgentID, id, detailWaits),
		Entries: r.Entries(id, detailEntries),
		Why:     Explain(r, w, at.At),
	}
	d.Comments, d.Evidence = CommentsOf(r, w), EvidenceOf(r, w)
	t, _ := r.Trace(w.AgentID, id)
	d.FinalText, d.Finished = t.finalText(), t.Entries
	if a, _ := r.Agent(w.AgentID); a.Turn.Runs(at.At) {
		d.TurnSince = a.Turn.StartedAt
	}
	d.Row = RowOf(w, d.ActiveWaits, d.IsCurrent)
	d.Row.Stalled = d.Stalled
	if x, _ := InboxOf(r, w, d.ActiveWaits, d.IsCurrent); x.Need != "" {
		d.Need = &x
	}
	return d, nil
}
