package mcp

import (
	"context"

	"vise/model"
)

// Before is what the threads with these links say against completing an item now.
type Before func(links []model.ThreadLink) []model.Warning

// unsettled is what speaks against a completion that is about to happen. An agent is told
// beside its completion; it is not held up.
func (c *call) unsettled(ctx context.Context, id model.ItemID) []model.Warning {
	if c.before == nil {
		return nil
	}
	var links []model.ThreadLink
	err := c.ledger.View(ctx, func(r model.Reader) error {
		links = nil
		if w, ok := r.Item(id); ok && w.State == model.Open && w.AgentID == c.agent {
			links = w.Links.Threads
		}
		return nil
	})
	if err != nil || len(links) == 0 {
		return nil
	}
	return c.before(links)
}
