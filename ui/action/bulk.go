// Package bulk makes the one command of an act on several items, which is carried out for
// all of them or for none. Every door with marks shares it.
package action

import (
	"time"

	"vise/model"
	"vise/ui/text"
)

// Blocking is what is to become of the blockers of some items.
type BlockRows struct {
	// Clear takes the blockers and their waits away; what follows is then not asked.
	Clear bool
	// By is the new blocker; empty: each item keeps its own.
	By model.Text
	// Recheck is when to look again, in the operator's words; empty: the default.
	Recheck string
}

// Command changes all rows, or says what is missing.
func (b BlockRows) Command(rows []model.Row, now time.Time) (c model.Batch, trouble string) {
	var after *int64
	if b.Recheck != "" {
		at, err := text.ParseTime(b.Recheck, now)
		if err != nil {
			return c, err.Error()
		}
		ms := at.Sub(now).Milliseconds()
		after = &ms
	}
	for _, r := range rows {
		u := model.UpdateWorkItem{WorkItemID: r.ID, SeenRevision: r.Revision}
		switch {
		case b.Clear:
			u.BlockedBy = model.Clear()
		case b.By != "":
			u.BlockedBy, u.RecheckAfterMS = model.SetTo(b.By), after
		case r.BlockedBy == "":
			return c, string(r.Handle) + " has no blocker: say what blocks it"
		case after == nil:
			return c, "say what blocks them, or when to look again"
		default:
			u.RecheckAfterMS = after
		}
		c.Calls = append(c.Calls, model.Call{Command: u})
	}
	return c, ""
}

// Acknowledge notes that the operator has seen what rows need. Those that need nothing are
// passed by.
func AcknowledgeRows(rows []model.Row) model.AcknowledgeAll {
	var all model.AcknowledgeAll
	for _, r := range rows {
		all.Items = append(all.Items, model.Acknowledge{WorkItemID: r.ID, SeenRevision: r.Revision})
	}
	return all
}
