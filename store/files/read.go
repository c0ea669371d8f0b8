package files

import (
	"time"

	"vise/model"
)

// ReadPlan is the whole text of an item's plan and since when it is so, nil where nothing is
// that may be read as a plan. A plan that is being written is what it is a moment later.
func (h Home) ReadPlan(agent model.AgentID, id model.ItemID) (raw []byte, changed time.Time) {
	p := h.Plan(agent, id)
	if p.Unsettled {
		p = h.Plan(agent, id)
	}
	return p.Raw, p.UpdatedAt
}
