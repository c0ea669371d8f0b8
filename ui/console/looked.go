package console

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/markdown"
)

// SeenPlans remember plans as the operator saw them last, beyond the life of a console.
type SeenPlans interface {
	// Seen is a plan as it was seen; false when that is not known.
	Seen(context.Context, model.ItemID) (model.Text, bool)
	// Keep keeps it. What is too large may be passed over.
	Keep(context.Context, model.ItemID, model.Text) error
}

// seenPlan is a plan as the operator last saw it.
type seenPlan struct {
	doc  *markdown.Document
	hash string
}

// largestSeen bounds what is kept of a plan, in bytes.
const largestSeen = 512 << 10

// since begins to compare a plan with what was seen of it, if anything was.
func (p plan) since(m planMsg) plan {
	if m.before == nil || m.before.hash == m.file.Artifact.Hash {
		p.base, p.baseHash = m.doc, m.file.Artifact.Hash
		return p
	}
	p.base, p.baseHash, p.ChangedAt = m.before.doc, m.before.hash, m.file.Artifact.UpdatedAt
	if p.ChangedAt.IsZero() {
		p.ChangedAt = m.at
	}
	return p
}

// read is p with its changes seen.
func (p plan) read() plan {
	p.base, p.baseHash, p.ChangedAt = p.Doc, p.Artifact.Hash, time.Time{}
	return p
}

// seenBefore is a plan as it was seen last.
func (e *effects) seenBefore(id model.ItemID) *seenPlan {
	if e.SeenPlans == nil {
		return nil
	}
	text, ok := e.SeenPlans.Seen(e.ctx, id)
	if !ok {
		return nil
	}
	hash := model.NewPlanArtifact("", id, []byte(text.Raw()), time.Time{}).Hash // raw: to be compared, not shown
	return &seenPlan{markdown.Split(text), hash}
}

// keepSeen writes the plan on screen down as seen, once its changes are.
func (c Console) keepSeen() (Console, tea.Cmd) {
	p := &c.plan
	if c.fx.SeenPlans == nil || p.base == nil || p.baseHash == p.keptHash || p.baseHash != p.Artifact.Hash ||
		p.Artifact.Condition != model.PlanOK || p.Artifact.Bytes > largestSeen {
		return c, nil
	}
	p.keptHash = p.baseHash
	fx, id, text := c.fx, p.Item, p.text
	return c, func() tea.Msg {
		_ = fx.SeenPlans.Keep(fx.ctx, id, text) // a comfort: nothing waits for it, nothing fails without it
		return nil
	}
}
