package etcd

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vise/model"
	"vise/store"
)

// The sizes of pages, in keys. The first one is small, because most scans end in it.
const (
	pageFirst  = 64
	pageGrowth = 4
	pageMost   = 1024
	// pageOfMany is the first page of each part, if a scan is over many.
	pageOfMany = 8
)

// item is a key of a scan with its value.
type item struct{ key, value []byte }

// source gives the stored items of a scan in order. next is only called after the item before was used.
type source interface{ next() (item, bool, error) }

// Scan implements store.Txn.
func (t *txn) Scan(r store.Range, visit func(key, value []byte) bool) error {
	tab := tableOf(r.From)
	if tab.name == "" {
		return fmt.Errorf("the range from %q is not within a table", r.From)
	}
	if end := store.Prefix([]byte(tab.name)).To; r.To == nil || bytes.Compare(r.To, end) > 0 {
		r.To = end
	}
	if bytes.Compare(r.From, r.To) >= 0 {
		return nil
	}
	stored, err := t.source(tab, r)
	if err != nil {
		return err
	}
	for stored := (overlaid{source: stored, reverse: r.Reverse, writes: t.writes, keys: t.written(r)}); ; {
		x, ok, err := stored.next()
		if err != nil || !ok || !visit(x.key, x.value) {
			return err
		}
	}
}

// written are the keys of a range that this transaction writes, in order.
func (t *txn) written(r store.Range) (keys []string) {
	for k := range t.writes {
		if k >= string(r.From) && k < string(r.To) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	if r.Reverse {
		slices.Reverse(keys)
	}
	return keys
}

// overlaid is a source with a transaction's own writes.
type overlaid struct {
	source
	reverse bool
	writes  map[string]write
	keys    []string // that are still to come
	held    *item    // of the source, after keys[0]
}

func (o *overlaid) next() (item, bool, error) {
	for {
		if o.held == nil {
			x, ok, err := o.source.next()
			if err != nil {
				return item{}, false, err
			}
			if ok {
				o.held = &x
			}
		}
		order := -1
		switch {
		case o.held == nil && len(o.keys) == 0:
			return item{}, false, nil
		case len(o.keys) == 0:
			order = 1
		case o.held != nil:
			order = inOrder(o.reverse, []byte(o.keys[0]), o.held.key)
		}
		if order > 0 {
			x := *o.held
			o.held = nil
			return x, true, nil
		}
		if order == 0 {
			o.held = nil
		}
		key := o.keys[0]
		o.keys = o.keys[1:]
		if value := o.writes[key].value; value != nil {
			return item{[]byte(key), value}, true, nil
		}
	}
}

// inOrder compares two keys in the order of a scan.
func inOrder(reverse bool, a, b []byte) int {
	if reverse {
		return bytes.Compare(b, a)
	}
	return bytes.Compare(a, b)
}

// source finds the stored items of a range.
func (t *txn) source(tab table, r store.Range) (source, error) {
	if id, ok := tab.oneID(r); ok {
		return t.ofID(tab, id, r)
	}
	if tab.whole {
		s := span{from: spaceWhole + string(r.From), to: spaceWhole + string(r.To)}
		t.scanned[s] = t.writable
		return t.merge(r, s), nil
	}
	if part, ok := tab.onePart(r); ok {
		if s, ok := tab.within(part, r); ok {
			return t.merge(r, s), nil
		}
		return &list{}, nil
	}
	t.scanned[beginning(spaceShown+tableHead)] = t.writable
	switch {
	case tab.shown && !tab.last:
		return t.merge(r, shown(r)), nil
	case tab.shown:
		return t.sorted(beginning(spaceShown+tab.name), r)
	case tab.named && len(r.From) > len(tab.name):
		names := store.Range{From: []byte("id/" + string(r.From[len(tab.name):])), To: store.Prefix([]byte("id/")).To, Reverse: r.Reverse}
		if to, inside := bytes.CutPrefix(r.To, []byte(tab.name)); inside {
			names.To = append([]byte("id/"), to...)
		}
		s := span{from: spaceWhole + string(names.From), to: spaceWhole + string(names.To)}
		t.scanned[s] = t.writable
		return &byName{txn: t, kind: tab, r: r, names: t.merge(names, s)}, nil
	}
	parts, err := t.allParts()
	if err != nil {
		return nil, err
	}
	var spans []span
	for _, part := range parts {
		if s, ok := tab.within(part, r); ok {
			spans = append(spans, s)
		}
	}
	return t.merge(r, spans...), nil
}

// shown is the span of a range across parts in spaceShown.
func shown(r store.Range) span {
	return span{from: spaceShown + string(r.From), to: spaceShown + string(r.To)}
}

// ofID are the items of a range in which all have one id. There is one at most.
func (t *txn) ofID(tab table, id string, r store.Range) (source, error) {
	part, err := t.partOfID(tab, id)
	if err != nil || part == "" {
		return &list{}, err
	}
	key := []byte(tab.name + id + "/" + string(part))
	if !includes(r, key) || t.writes[string(key)].value != nil {
		return &list{}, nil
	}
	if err := t.load(t.ahead(key)...); err != nil {
		return nil, err
	}
	p := t.known[placeOf(key)]
	if p.changed == 0 {
		return &list{}, nil
	}
	value, err := t.value(p)
	return &list{[]item{{key, value}}}, err
}

func includes(r store.Range, key []byte) bool {
	return bytes.Compare(key, r.From) >= 0 && bytes.Compare(key, r.To) < 0
}

// list is a source of items that were read.
type list struct{ items []item }

func (l *list) next() (item, bool, error) {
	if len(l.items) == 0 {
		return item{}, false, nil
	}
	x := l.items[0]
	l.items = l.items[1:]
	return x, true, nil
}

// sorted are the items of a range in a span whose order is another one.
func (t *txn) sorted(s span, r store.Range) (source, error) {
	all := t.merge(store.Prefix([]byte(tableOf(r.From).name)), s)
	l := &list{}
	for {
		x, ok, err := all.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if includes(r, x.key) {
			l.items = append(l.items, x)
		}
	}
	slices.SortFunc(l.items, func(a, b item) int { return inOrder(r.Reverse, a.key, b.key) })
	return l, nil
}

// allParts are the parts of the ledger: those that have a head or, if it was lost, an agent.
func (t *txn) allParts() ([]model.AgentID, error) {
	if t.parts != nil {
		return t.parts, nil
	}
	found := map[model.AgentID]bool{}
	var reads []read
	for _, table := range []string{tableHead, "agent/"} {
		reads = append(reads, read{span: beginning(spaceShown + table), limit: pageMost, keys: true})
	}
	for len(reads) > 0 {
		pages, err := t.fetch(reads...)
		if err != nil {
			return nil, err
		}
		var more []read
		for i, r := range reads {
			for _, p := range pages[i].pairs {
				found[partAt(p.place)] = true
				r.from = p.place + "\x00"
			}
			if pages[i].more {
				more = append(more, r)
			}
		}
		reads = more
	}
	t.parts = slices.Sorted(maps.Keys(found))
	return t.parts, nil
}

// byName is a source of the records of a kind whose ids lie in a range.
type byName struct {
	txn   *txn
	kind  table
	r     store.Range
	names source
	list
}

func (b *byName) next() (item, bool, error) {
	for len(b.items) == 0 {
		var keys [][]byte
		var reads []read
		for len(keys) < pageFirst {
			name, ok, err := b.names.next()
			if err != nil {
				return item{}, false, err
			}
			if !ok {
				break
			}
			key := []byte(b.kind.name + strings.TrimPrefix(string(name.key), "id/") + "/" + string(name.value))
			keys, reads = append(keys, key), append(reads, one(placeOf(key)))
		}
		if len(keys) == 0 {
			return item{}, false, nil
		}
		if reads = slices.DeleteFunc(reads, b.txn.has); len(reads) > 0 {
			if err := b.txn.load(reads...); err != nil {
				return item{}, false, err
			}
		}
		for _, key := range keys {
			if p := b.txn.known[placeOf(key)]; p.changed != 0 && includes(b.r, key) {
				b.items = append(b.items, item{key, p.value})
			}
		}
		slices.SortFunc(b.items, func(x, y item) int { return inOrder(b.r.Reverse, x.key, y.key) })
	}
	return b.list.next()
}
