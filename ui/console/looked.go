package console

import (
	"maps"
	"time"

	"vise/model"
	"vise/ui/markdown"
)

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
	if p.base == nil || p.file.Artifact.Bytes > largestLooked {
		return p.seen
	}
	next := maps.Clone(p.seen)
	if next == nil || len(next) >= mostLooked {
		next = map[model.ItemID]looked{}
	}
	next[p.item] = looked{p.base, p.baseHash}
	return next
}

// since begins to compare a plan with what was seen of it, if anything was.
func (p plan) since(m planMsg) plan {
	hash := m.file.Artifact.Hash
	before, known := p.seen[m.item]
	if !known || before.hash == hash {
		p.base, p.baseHash = m.doc, hash
		return p
	}
	p.base, p.baseHash, p.changedAt = before.doc, before.hash, m.file.Artifact.UpdatedAt
	if p.changedAt.IsZero() {
		p.changedAt = m.at
	}
	return p
}

// read is p with its changes seen.
func (p plan) read() plan {
	p.base, p.baseHash, p.changedAt = p.doc, p.file.Artifact.Hash, time.Time{}
	return p
}
