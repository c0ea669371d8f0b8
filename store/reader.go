package store

import (
	"cmp"
	"context"
	"slices"

	"vise/model"
)

// reader is facts with the pages that doors ask for: model.Reader.
type reader struct{ *facts }

func (r reader) Revision() uint64 { return r.head().Revision }

func (r reader) Agents(after model.AgentID, limit int) []model.Agent {
	keys := Prefix(recordKey(model.KindAgent, ""))
	if after != "" {
		keys.From = append(recordKey(model.KindAgent, string(after)), 0)
	}
	var ids []model.AgentID
	r.scan(keys, func(key, _ []byte) bool {
		ids = append(ids, model.AgentID(key[len("agent/"):]))
		return len(ids) < limit
	})
	var agents []model.Agent
	for _, id := range ids[:min(len(ids), max(limit, 0))] {
		if a, ok := r.Agent(id); r.found(ok, recordKey(model.KindAgent, string(id))) {
			agents = append(agents, a)
		}
	}
	return agents
}

func (r reader) History(agent model.AgentID, after model.Position, limit int) []model.Entry {
	table := historyOf(agent)
	keys := Prefix(table)
	keys.From = cat(string(table), position(after), "\x00")
	return r.entries(keys, limit)
}

func (r reader) HistoryBefore(agent model.AgentID, before model.Position, limit int) []model.Entry {
	return r.entriesBelow(historyOf(agent), before, limit)
}

// historyOf is the table whose keys end with the positions of an agent's events, or of all.
func historyOf(agent model.AgentID) []byte {
	if agent == "" {
		return []byte(tableJournal)
	}
	return logPrefix(agent)
}

// entriesBelow are the newest events listed below a prefix, before a position if one is
// given, newest first.
func (f *facts) entriesBelow(prefix []byte, before model.Position, limit int) []model.Entry {
	keys := Prefix(prefix).Backwards()
	if before != (model.Position{}) {
		keys.To = cat(string(prefix), position(before))
	}
	return f.entries(keys, limit)
}

// entries loads the events at the positions that the keys of a range end with.
func (f *facts) entries(keys Range, limit int) []model.Entry {
	var places []model.Position
	f.scan(keys, func(key, _ []byte) bool {
		if p := positionAt(key); p.N > 0 && len(places) < limit {
			places = append(places, p)
		}
		return len(places) < limit
	})
	var out []model.Entry
	for _, p := range places {
		var e entryRow
		if f.found(f.getJSON(journalKey(p), &e), journalKey(p)) {
			out = append(out, e.Entry)
		}
	}
	return out
}

func (r reader) Waits(agent model.AgentID, item model.ItemID, limit int) []model.Wait {
	var all []model.Wait
	for _, active := range []bool{true, false} {
		prefix := waitsPrefix(agent, item, active)
		var ids []string
		r.scan(Prefix(prefix).Backwards(), func(key, _ []byte) bool {
			ids = append(ids, idOf(prefix, key))
			return len(ids) < limit
		})
		for _, id := range ids {
			if w, ok := r.Wait(model.WaitID(id)); r.found(ok, recordKey(model.KindWait, id)) {
				all = append(all, w)
			}
		}
	}
	slices.SortFunc(all, func(a, b model.Wait) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(len(all), max(limit, 0))]
}

// Seed is the text that an item's plan file was born with. A file that a power cut took,
// or nobody finds, can be made again from it.
func (l *Ledger) Seed(ctx context.Context, item model.ItemID) (model.Text, error) {
	var seed model.Text
	err := l.view(ctx, func(f *facts) error {
		if _, ok := f.Item(item); !ok {
			return model.Refuse(model.CodeNotFound, "no work item %s", model.Text(item)).At("work_item_id")
		}
		f.scan(Prefix(trailPrefix(item)), func(key, _ []byte) bool {
			c, _ := f.commitAt(positionAt(key).Revision)
			for _, p := range c.Plans {
				if p.ItemID == item {
					seed = model.Text(p.Seed)
				}
			}
			return false // an item's first event is its birth
		})
		return nil
	})
	return seed, explain(err)
}
