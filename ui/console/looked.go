package console

import (
	"context"
	"maps"
	"time"

	tea "charm.land/bubbletea/v2"

	"vise/model"
	"vise/ui/markdown"
)

// Looks remember plans as the operator saw them last, beyond the life of a console.
type Looks interface {
	// Looked is a plan as it was seen; false when that is not known.
	Looked(context.Context, model.ItemID) (model.Text, bool)
	// Look keeps it. What is too large may be passed over.
	Look(context.Context, model.ItemID, model.Text) error
}

// looked is a plan as the operator last saw it.
type looked struct {
	doc  *markdown.Document
	hash string
}

const (
	// mostLooked and largestLooked bound what is kept of plans that were left.
	mostLooked    = 64
	largestLooked = 512 << 10
)

// remembered is the memory of plans with the one that is on screen, which the cursor leaves. A
// plan whose changes were not read yet stays as it was before them.
func (p plan) remembered() map[model.ItemID]looked {
	if p.base == nil || p.Artifact.Bytes > largestLooked {
		return p.seen
	}
	next := maps.Clone(p.seen)
	if next == nil || len(next) >= mostLooked {
		next = map[model.ItemID]looked{}
	}
	next[p.Item] = looked{p.base, p.baseHash}
	return next
}

// since begins to compare a plan with what was seen of it, if anything was.
func (p plan) since(m planMsg) plan {
	hash := m.file.Artifact.Hash
	before, known := p.seen[m.item]
	if !known && m.before != nil {
		before, known = *m.before, true
	}
	if !known || before.hash == hash {
		p.base, p.baseHash = m.doc, hash
		return p
	}
	p.base, p.baseHash, p.ChangedAt = before.doc, before.hash, m.file.Artifact.UpdatedAt
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

// lookedBefore is a plan as an earlier console left it.
func (e *effects) lookedBefore(id model.ItemID) *looked {
	if e.Looks == nil {
		return nil
	}
	text, ok := e.Looks.Looked(e.ctx, id)
	if !ok {
		return nil
	}
	hash := model.NewPlanArtifact("", id, []byte(text.Raw()), time.Time{}).Hash // raw: to be compared, not shown
	return &looked{markdown.Split(text), hash}
}

// lookKept writes the plan on screen down as seen, once its changes are.
func (c Console) lookKept() (Console, tea.Cmd) {
	p := &c.plan
	if c.fx.Looks == nil || p.base == nil || p.baseHash == p.keptHash || p.baseHash != p.Artifact.Hash ||
		p.Artifact.Condition != model.PlanOK || p.Artifact.Bytes > largestLooked {
		return c, nil
	}
	p.keptHash = p.baseHash
	fx, id, text := c.fx, p.Item, p.text
	return c, func() tea.Msg {
		_ = fx.Looks.Look(fx.ctx, id, text) // a comfort: nothing waits for it, nothing fails without it
		return nil
	}
}
