package etcd

import (
	"cmp"
	"encoding/binary"
	"slices"

	"vise/model"
	"vise/store"
)

// The cluster counts commits. A change has the revision that follows what it was judged by, so one that was saved later can have a lower
// revision. News goes by the commits. Within a part both orders are the same, and a change has a revision after the commit of the one
// before it.

// SavedAt returns the ledger's revision at which the value of a key was saved, if there is one. now is the revision that is read.
func (t *txn) SavedAt(key []byte, now uint64) (revision uint64, ok bool, err error) {
	if err := t.load(one(placeOf(key))); err != nil {
		return 0, false, err
	}
	p := t.known[placeOf(key)]
	return now - uint64(t.at-p.changed), p.changed != 0, nil
}

// Saved returns the first changes that were saved after a revision, of a part or of all, in their order. more is set if there are others.
func (t *txn) Saved(part model.AgentID, after, now uint64, limit int) (list []store.Saved, more bool, err error) {
	if after >= now {
		return nil, false, nil
	}
	from := t.at - int64(now-after) // the cluster's revision
	parts := []model.AgentID{part}
	if part == "" {
		if parts, err = t.Changed(now - after); err != nil {
			return nil, false, err
		}
	}
	var reads []read
	for _, part := range parts {
		reads = append(reads, changesAround(part, after, limit)...)
	}
	pages, err := t.fetch(reads...)
	if err != nil {
		return nil, false, err
	}
	var found []pair
	whole := t.at // all that was saved up to here was found
	for i, p := range pages {
		found = append(found, p.pairs...)
		if n := len(p.pairs); p.more && reads[i].reverse {
			whole, more = min(whole, p.pairs[n-1].changed), true
		}
	}
	found = slices.DeleteFunc(found, func(p pair) bool { return p.changed <= from || p.changed > whole })
	slices.SortFunc(found, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.changed, b.changed), cmp.Compare(partAt(a.place), partAt(b.place)))
	})
	for _, p := range found {
		list = append(list, store.Saved{Key: keyAt(p.place), Value: p.value, Revision: now - uint64(t.at-p.changed)})
	}
	return list, more, nil
}

// changesAround are the reads of the first changes of a part with a revision after one, and of the newest other one.
func changesAround(part model.AgentID, after uint64, limit int) (reads []read) {
	journal := tables["journal/"]
	middle := binary.BigEndian.AppendUint64([]byte(journal.name), after+1)
	all := store.Prefix([]byte(journal.name))
	if s, ok := journal.within(part, store.Range{From: middle, To: all.To}); ok {
		reads = append(reads, read{span: s, limit: limit, reverse: true})
	}
	if s, ok := journal.within(part, store.Range{From: all.From, To: middle}); ok {
		reads = append(reads, read{span: s, limit: 1})
	}
	return reads
}
