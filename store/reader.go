package store

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"vise/model"
)

// reader is facts with the pages that frontends ask for: model.Reader.
type reader struct{ *facts }

func (r reader) Revision() uint64 { return r.head().Revision }

func (r reader) Agents(after model.AgentID, limit int) []model.Agent {
	keys := Prefix(recordKey(model.KindAgent, ""))
	if after != "" {
		keys.From = append(recordKey(model.KindAgent, string(after)), 0)
	}
	return listed[model.Agent](r.facts, model.KindAgent, keys, len("agent/"), max(limit, 0))
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
		all = append(all, newest[model.Wait](r, model.KindWait, waitsPrefix(agent, item, active), limit)...)
	}
	slices.SortFunc(all, func(a, b model.Wait) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	return all[:min(len(all), max(limit, 0))]
}

// newest loads the records with the newest keys below a prefix.
func newest[R model.Record](r reader, kind model.RecordKind, prefix []byte, limit int) []R {
	return listed[R](r.facts, kind, Prefix(prefix).Backwards(), len(prefix)+ageSize, max(limit, 0))
}

func (r reader) RunningTasks(a model.AgentID, limit int) []model.Task {
	prefix := tasksPrefix(a, true)
	return listed[model.Task](r.facts, model.KindTask, Prefix(prefix), len(prefix)+ageSize, max(limit, 0))
}

func (r reader) Tasks(a model.AgentID, limit int) []model.Task {
	all := newest[model.Task](r, model.KindTask, tasksPrefix(a, true), limit)
	return append(all, newest[model.Task](r, model.KindTask, tasksPrefix(a, false), limit-len(all))...)
}

func (r reader) Ingresses(a model.AgentID, limit int) []model.Ingress {
	return newest[model.Ingress](r, model.KindIngress, ingressPrefix(a), limit)
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

// maxCandidates bounds what an ambiguous reference lists.
const maxCandidates = 8

// Resolve finds the item that a reference means: its id or handle, or a beginning of
// either that no other item shares, with or without "wi-". The error is not_found, or
// ambiguous with the candidates.
func (l *Ledger) Resolve(ctx context.Context, ref string) (model.ItemID, error) {
	var id model.ItemID
	err := l.view(ctx, func(f *facts) (err error) {
		id, err = f.resolve(strings.ToLower(strings.TrimSpace(ref)))
		return err
	})
	return id, explain(err)
}

const itemPrefix = "wi-"

func (f *facts) resolve(ref string) (model.ItemID, error) {
	if ref == "" || ref == itemPrefix {
		return "", model.Refuse(model.CodeInvalid, "no work item named").At("work_item_id").WithHint("name one by its id or handle: vise list")
	}
	spellings := []string{ref}
	if !strings.HasPrefix(ref, itemPrefix) {
		spellings = append(spellings, itemPrefix+ref)
	}
	for _, s := range spellings {
		if _, ok := f.Item(model.ItemID(s)); ok {
			return model.ItemID(s), nil
		}
		if id := f.get(handleKey(model.Handle(s))); id != nil {
			return model.ItemID(id), nil
		}
	}
	return f.only(f.beginning(spellings), ref)
}

// beginning lists items whose id or handle begins with one of the spellings, one more than
// are shown at most.
func (f *facts) beginning(spellings []string) []model.ItemID {
	var ids []model.ItemID
	add := func(id model.ItemID) bool {
		for _, known := range ids {
			if known == id {
				return true
			}
		}
		ids = append(ids, id)
		return len(ids) <= maxCandidates
	}
	for _, s := range spellings {
		items := recordKey(model.KindItem, "")
		f.scan(Prefix(recordKey(model.KindItem, s)), func(key, _ []byte) bool {
			return add(model.ItemID(key[len(items):]))
		})
		f.scan(Prefix(handleKey(model.Handle(s))), func(key, value []byte) bool {
			id, err := unframe(key, value)
			f.fail(err)
			return add(model.ItemID(id))
		})
	}
	return ids
}

func (f *facts) only(ids []model.ItemID, ref string) (model.ItemID, error) {
	switch len(ids) {
	case 0:
		return "", model.Refuse(model.CodeNotFound, "no work item %s", model.Text(ref)).At("work_item_id").WithHint("see them: vise list")
	case 1:
		return ids[0], nil
	}
	e := model.Refuse(model.CodeAmbiguous, "%s may mean several work items", model.Text(ref)).At("work_item_id").WithHint("give more of its letters")
	for _, id := range ids[:min(len(ids), maxCandidates)] {
		w, _ := f.Item(id)
		e.Candidates = append(e.Candidates, w.Handle)
	}
	return "", e
}
