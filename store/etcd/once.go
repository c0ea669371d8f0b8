package etcd

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"vise/model"
)

// A program that runs one command reads at one revision, until it commits. Its change is judged by what was read before, and often only the
// commit asks the cluster: it compares the heads of all parts on which the change depends.

// fewParts is how many parts a ledger can have if an id is looked for in all of them: a request has room for an item in each.
const fewParts = 6

// firstParts is a read that shows whether the ledger has few parts.
var firstParts = read{span: beginning(spaceShown + tableHead), limit: fewParts + 1}

// likely are the parts that an id is likely to be of: those that were met, or all if there are few.
func (t *txn) likely() map[model.AgentID]bool {
	parts := map[model.AgentID]bool{}
	for part := range t.heads {
		parts[part] = true
	}
	if heads, ok := t.ranges[firstParts.span]; ok && len(heads) <= fewParts {
		for _, p := range heads {
			parts[partAt(p.place)] = true
		}
	}
	return parts
}

// partOfID finds the part of an id. It is empty if there is none.
func (t *txn) partOfID(kind table, id string) (model.AgentID, error) {
	if o, known := t.of[id]; known {
		return o.part, nil
	}
	if part, known := t.b.names.get(id); known {
		return part, nil
	}
	name := one(spaceNames + id)
	t.suppose(name.from)
	for part := range t.likely() {
		t.hinted = append(ahead([]byte(kind.name+id+"/"+string(part))), t.hinted...)
	}
	if err := t.load(name); err != nil {
		return "", err
	}
	p := t.known[name.from]
	if p.changed == 0 {
		t.meet(name.from)
		return "", nil
	}
	t.of[id] = owner{part: model.AgentID(p.value)}
	t.b.names.put(id, model.AgentID(p.value))
	return model.AgentID(p.value), nil
}

// allShown is a read of what is shown of all agents. A ledger that has more of it than a page is read list by list.
var allShown = read{span: beginning(spaceShown), limit: pageMost}

// learnShown keeps all that is shown. What its lists lead to is hinted, completed items last.
func (t *txn) learnShown(p page) {
	if p.more || t.mirror != nil {
		return
	}
	t.shown = append([]pair{}, p.pairs...)
	var completed []string
	for _, x := range t.shown {
		key := keyAt(x.place)
		switch {
		case tableOf(key).name == "agent/" && len(t.hinted) < hintedMost:
			t.hinted = append(t.hinted, ahead(key)[2:]...) // the rest is shown
		case bytes.Contains(key, []byte("/"+model.CompletedRecent+"/")):
			completed = append(completed, x.place)
		default:
			t.listed(x.place)
		}
	}
	for _, place := range completed {
		t.listed(place)
	}
}

// shownPage is the answer to a read of what is shown, if all of it was read.
func (t *txn) shownPage(r read) (p page, ok bool) {
	if t.shown == nil || !strings.HasPrefix(r.from, spaceShown) || r.to > allShown.to {
		return p, false
	}
	at := func(place string) int {
		i, _ := slices.BinarySearchFunc(t.shown, place, func(x pair, place string) int { return strings.Compare(x.place, place) })
		return i
	}
	to := r.to
	if to == "" {
		to = r.from + "\x00"
	}
	for _, x := range t.shown[at(r.from):max(at(r.from), at(to))] {
		if x.changed >= r.since {
			p.pairs = append(p.pairs, x)
		}
	}
	if r.reverse {
		slices.Reverse(p.pairs)
	}
	if p.more = r.limit > 0 && len(p.pairs) > r.limit; p.more {
		p.pairs = p.pairs[:r.limit]
	}
	return p, true
}

// unknown reports whether a read asks the cluster.
func (t *txn) unknown(r read) bool {
	_, ok := t.remembered(r)
	return !ok && !t.has(r)
}

// resume lets a transaction go on where the last one of this program ended, if that was just now.
func (t *txn) resume() {
	last := t.b.last.Load()
	if last == nil || t.b.changed.Load() || time.Since(last.read) > rpcLimit {
		return
	}
	t.at, t.read, t.hinted, t.shown = last.at, last.read, slices.Clone(last.hinted), last.shown
	t.known, t.ranges, t.firsts, t.of = maps.Clone(last.known), maps.Clone(last.ranges), maps.Clone(last.firsts), maps.Clone(last.of)
}

// keep lets the next transaction go on where this one has ended.
func (t *txn) keep() {
	if t.b.config.Once && t.at != 0 && t.mirror == nil {
		t.b.last.Store(t)
	}
}
