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
		return
	}
	for _, key := range r.Keys {
		if id, part, ok := idOf(key); ok && part == "" {
			t.hinted = append(t.hinted, one(spaceNames+id))
		} else if placeOf(key) != "" {
			t.hinted = append(t.hinted, ahead(key)...)
		}
	}
	var rows []read
	for _, row := range r.Rows {
		rows = append(rows, ofRow(string(row.ID), string(row.AgentID), row.Class)...)
	}
	t.hinted = append(rows, t.hinted...)
	for _, r := range r.Ranges {
		tab := tableOf(r.From)
		if part, ok := tab.onePart(r); ok {
			if s, ok := tab.within(part, r); ok {
				t.hinted = append(t.hinted, read{span: s, limit: pageFirst})
			}
		} else if tab.shown && !tab.last {
			t.hinted = append(t.hinted, read{span: shown(r), limit: pageFirst})
		}
	}
}

// listed hints what a list leads to: the record of a wait, or of an item with its waits.
func (t *txn) listed(place string) {
	if len(t.hinted) > readsAtOnce {
		return
	}
	key := string(keyAt(place))
	part := string(store.PartOf([]byte(key)))
	switch tableOf([]byte(key)).name {
	case "waits/": // ends with a time and the id
		id := key[strings.LastIndexByte(key, '/')+1:]
		t.hinted = append(t.hinted, one(placeOf([]byte("wait/"+id+"/"+part))))
	case "index/": // ends with two times and the id
		class, row, _ := strings.Cut(strings.TrimPrefix(key, "index/"+part+"/"), "/")
		t.hinted = append(t.hinted, ofRow(row[min(len(row), 2*numberSize):], part, model.Class(class))...)
	}
}

// withHinted adds to reads what was hinted, unless it is known. It costs no request of its own.
func (t *txn) withHinted(reads []read) []read {
	for len(t.hinted) > 0 && len(reads) < readsAtOnce-fewParts {
		if r := t.hinted[0]; !t.has(r) && !slices.Contains(reads, r) {
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
