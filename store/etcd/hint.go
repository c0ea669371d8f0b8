package etcd

import (
	"slices"
	"strings"

	"vise/model"
	"vise/store"
)

// Hint implements store.Hinted. A mirror has most of it.
func (t *txn) Hint(r store.Reads) {
	if r.New != "" {
		t.guess, t.fresh = t.first, r.New
	}
	if t.mirror != nil {
		t.loadChanges(r.Keys)
		return
	}
	var next []read
	for _, key := range r.Keys {
		if id, part, ok := idOf(key); ok && part == "" {
			next = append(next, one(spaceNames+id))
		} else if placeOf(key) != "" {
			next = append(next, ahead(key)...)
		}
	}
	for _, row := range r.Rows {
		next = append(next, ofRow(string(row.ID), string(row.AgentID), row.Class)...)
	}
	t.hinted = append(next, t.hinted...)
	if r.Shown {
		t.hinted = append(t.hinted, allShown)
	}
	for _, r := range r.Ranges {
		tab := tableOf(r.From)
		if part, ok := tab.onePart(r); ok {
			if s, ok := tab.within(part, r); ok {
				t.hintRange(s)
			}
		} else if tab.shown && !tab.last {
			t.hintRange(shown(r))
		}
	}
}

// loadChanges reads changes of the history that are not in memory, in one request. An error comes again when they are read.
func (t *txn) loadChanges(keys [][]byte) {
	var reads []read
	for _, key := range keys {
		if r := one(placeOf(key)); r.isChange() && t.unknown(r) {
			reads = append(reads, r)
		}
	}
	if len(reads) > 1 {
		_ = t.load(reads...)
	}
}

// isChange reports whether a read is of one change of the history.
func (r read) isChange() bool {
	return r.to == "" && strings.HasPrefix(r.from, tables["journal/"].of(r.part))
}

// hintRange hints what lies in a span. From memory it is read at once, with what it leads to.
func (t *txn) hintRange(s span) {
	r := read{span: s, limit: pageFirst}
	if p, ok := t.remembered(r); ok {
		t.learn(r, p)
		return
	}
	t.hinted = append(t.hinted, r)
}

// hintedMost is about how many reads lists can hint. They go into requests that are made for others.
const hintedMost = 3 * readsAtOnce

// listed hints what a list leads to: the record of a wait, of a message or of an item, with its waits if it is in a list of an agent.
func (t *txn) listed(place string) {
	if len(t.hinted) > hintedMost {
		return
	}
	key := string(keyAt(place))
	part := string(store.PartOf([]byte(key)))
	last := func(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
	record := func(kind model.RecordKind, id string) read {
		return one(placeOf([]byte(string(kind) + "/" + id + "/" + part)))
	}
	switch tableOf([]byte(key)).name {
	case "waits/": // ends with a time and the id
		t.hinted = slices.Insert(t.hinted, 0, record(model.KindWait, last(key)))
	case "queue/": // as well
		t.hinted = slices.Insert(t.hinted, 0, record(model.KindMessage, last(key)))
	case tableInbox: // ends with the id and the agent
		t.hinted = append(t.hinted, record(model.KindItem, last(strings.TrimSuffix(key, "/"+part))))
	case "index/": // ends with two times and the id
		class, row, _ := strings.Cut(strings.TrimPrefix(key, "index/"+part+"/"), "/")
		t.hinted = append(t.hinted, ofRow(row[min(len(row), 2*numberSize):], part, model.Class(class))...)
	}
}

// withHinted adds to reads what was hinted, unless it is known. It costs no request of its own.
func (t *txn) withHinted(reads []read) []read {
	for len(t.hinted) > 0 && len(reads) < readsAtOnce-fewParts {
		if r := t.hinted[0]; t.unknown(r) && !slices.Contains(reads, r) {
			reads = append(reads, r)
		}
		t.hinted = t.hinted[1:]
	}
	return reads
}

// guessedRight reports whether nothing lies where the transaction guessed so, if no commit has compared it.
func (t *txn) guessedRight() (bool, error) {
	if len(t.guessed) == 0 || t.sent || t.failed {
		return true, nil
	}
	pages, err := t.ask(t.guessed...)
	return !slices.ContainsFunc(pages, func(p page) bool { return len(p.pairs) > 0 }), err
}

// suppose guesses that nothing lies at a place where that is usual: an idempotency key, a new handle, the name of a new id. The commit
// compares it.
func (t *txn) suppose(place string) {
	_, known := t.known[place]
	name, named := strings.CutPrefix(place, spaceNames)
	if !t.guess || known || !strings.HasPrefix(place, spaceWhole) || place < mirrored.to || named && !t.isNew(name) {
		return
	}
	t.known[place] = pair{place: place}
	t.guessed = append(t.guessed, one(place))
}

// isNew reports whether an id is one of those that the change makes.
func (t *txn) isNew(id string) bool { return t.fresh != "" && strings.Contains(id, t.fresh) }

// bear guesses that nothing lies where a part keeps what belongs to a new id.
func (t *txn) bear(id string, key []byte) {
	if !t.guess || !t.of[id].new || !t.isNew(id) {
		return
	}
	for _, r := range ahead(key) {
		if strings.Contains(r.from, "/"+id+"/") && !t.has(r) {
			t.learn(r, page{})
			t.born = append(t.born, r)
		}
	}
}
