package store

import (
	"slices"

	"vise/model"
)

// gaps looks for gaps in a history that is read in order: in the numbers of each part's changes and, if the history of all is read, in the
// revisions.
type gaps struct {
	*Facts
	part model.AgentID // empty for all
	down bool          // newest first
	// whole: the reading begins at the history's beginning or end.
	whole bool
	// last are the numbers passed last.
	last map[model.AgentID]uint64
	// revision is the one passed last; zero before the first.
	revision uint64
}

// before is the number passed last of a part. It is not known before the first one of a reading that begins in the middle.
func (g *gaps) before(part model.AgentID) (n uint64, known bool) {
	n, known = g.last[part]
	if !known && g.whole {
		if n = g.PartHead(part).ArchivedSeq; g.down {
			n = g.PartHead(part).Seq + 1
		}
	}
	return n, known || g.whole
}

// pass notes a change that was read.
func (g *gaps) pass(o Outline) {
	if n, known := g.before(o.Agent); known {
		g.compare(o.Agent, n, o.Seq)
	}
	if g.last == nil {
		g.last = map[model.AgentID]uint64{}
	}
	g.last[o.Agent] = o.Seq
	if g.part != "" {
		return
	}
	g.passRevision(o.Revision)
	for other, seq := range o.With {
		if seq > g.PartHead(other).ArchivedSeq && g.Payload(JournalKey(o.Revision, other)) == nil {
			g.disagree("events of agent %s are missing at revision %d", other, o.Revision)
		}
	}
}

// passRevision notes the revisions that are missing before the next one. A part whose only change is missing is found by them alone.
func (g *gaps) passRevision(next uint64) {
	from, to, begins := g.revision, next, g.revision == 0
	if begins && g.down {
		from = g.Head().Revision + 1
	}
	if g.down {
		from, to = to, from
	}
	if to > from+1 && (!begins || g.whole) && g.eachRevision(from) {
		g.disagree("events are missing between revisions %d and %d", from, to)
	}
	g.revision = next
}

// eachRevision reports whether the history has each revision after one: not on a backend that counts the revision, nor before
// the ledger came from another place.
func (g *gaps) eachRevision(after uint64) bool {
	return !g.Txn.Counts() && after >= g.Status().Since
}

// compare notes what is missing between two numbers that were read one after the other.
func (g *gaps) compare(part model.AgentID, from, to uint64) {
	if g.down {
		from, to = to, from
	}
	if to != from+1 {
		g.disagree("changes %d to %d of agent %s are missing", from+1, to-1, part)
	}
}

// end notes that nothing follows in the history.
func (g *gaps) end() {
	parts := sortedKeys(g.last)
	if len(parts) == 0 && g.part != "" {
		parts = append(parts, g.part)
	}
	for _, part := range parts {
		if n, known := g.before(part); known && g.down {
			g.compare(part, n, g.PartHead(part).ArchivedSeq)
		} else if known {
			g.compare(part, n, g.PartHead(part).Seq+1)
		}
	}
}

// changesOf visits the portions of a part. The keys end with their revisions.
func (f *Facts) changesOf(part model.AgentID, keys Range, visit func(Outline) bool) {
	f.Scan(keys, func(key, value []byte) bool { return f.visitChange(part, pair{key, value}, visit) })
}

func (f *Facts) visitChange(part model.AgentID, row pair, visit func(Outline) bool) (more bool) {
	if len(row.value) > 0 { // what is left of an archived change
		p, err := ReadPortion(row.key, row.value)
		p.archived, p.key = true, p.Key
		f.Harmed(err)
		return err != nil || visit(p.Outline)
	}
	revision := NumberAt(row.key)
	o, ok := loadedAt(f, revision, part, ReadOutline)
	return !f.found(ok, JournalKey(revision, part)) || visit(o)
}

// history visits the portions of a part, or of all if part is empty, from a revision on or, with down, from a revision back. A zero
// revision is the history's beginning or end.
func (f *Facts) history(part model.AgentID, from uint64, down bool, visit func(Outline) bool) {
	prefix := []byte(TableJournal)
	if part != "" {
		prefix = logPrefix(part)
	}
	keys := Prefix(prefix)
	switch {
	case !down:
		keys.From = cat(string(prefix), number(from))
	case from > 0:
		keys.To = cat(string(prefix), number(from+1))
	}
	keys.Reverse = down
	if part != "" {
		f.changesOf(part, keys, visit)
		return
	}
	f.Scan(keys, func(key, value []byte) bool {
		o, err := ReadOutline(key, value)
		f.Harmed(err)
		return err != nil || visit(o)
	})
}

// page returns up to limit events, from a revision on, whose positions are wanted. It notes the gaps that it meets.
func (g *gaps) page(from uint64, wanted func(model.Position) bool, limit int) (out []model.Entry) {
	if limit <= 0 {
		return nil
	}
	all := true
	g.history(g.part, from, g.down, func(o Outline) bool {
		if o.archived {
			return true
		}
		events := o.entries()
		if g.down {
			slices.Reverse(events)
		}
		for _, e := range events {
			if !wanted(e.Position()) {
				continue
			}
			if all = len(out) < limit; !all {
				return false
			}
			out = append(out, e)
		}
		g.pass(o)
		return true
	})
	if all {
		g.end()
	}
	return out
}

// History implements model.Reader.
func (r Reader) History(agent model.AgentID, after model.Position, limit int) []model.Entry {
	g := gaps{Facts: r.Facts, part: agent, whole: after == model.Position{}}
	return g.page(after.Revision, after.Before, limit)
}

// HistoryBefore implements model.Reader.
func (r Reader) HistoryBefore(agent model.AgentID, before model.Position, limit int) []model.Entry {
	g := gaps{Facts: r.Facts, part: agent, down: true, whole: before == model.Position{}}
	return g.page(before.Revision, func(p model.Position) bool { return g.whole || p.Before(before) }, limit)
}
