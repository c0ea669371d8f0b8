package etcd

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

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

// Scan implements store.Txn. It reads each of the range's spans in pages, and visits what no page that is still to come precedes.
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
	s, err := t.scan(tab, r)
	if err != nil {
		return err
	}
	own := s.written()
	for more := true; more; {
		var items []item
		if items, more, err = s.next(); err != nil {
			return err
		}
		for _, x := range items {
			for len(own) > 0 && s.order(own[0].key, x.key) <= 0 {
				if own[0].value != nil && !visit(own[0].key, own[0].value) {
					return nil
				}
				own = own[1:]
			}
			if _, written := t.writes[string(x.key)]; !written && !visit(x.key, x.value) {
				return nil
			}
		}
	}
	for _, x := range own {
		if x.value != nil && !visit(x.key, x.value) {
			return nil
		}
	}
	return nil
}

// item is a key of a scan with its value.
type item struct{ key, value []byte }

// written are the items of the range that this transaction writes, in order. Those that it deletes have no value.
func (s *scan) written() (own []item) {
	for k, value := range s.txn.writes {
		if s.r.Holds([]byte(k)) {
			own = append(own, item{[]byte(k), value})
		}
	}
	slices.SortFunc(own, func(a, b item) int { return s.order(a.key, b.key) })
	return own
}

// scan reads the stored items of a range in order.
type scan struct {
	txn     *txn
	r       store.Range
	streams []*stream
	// items were read, and are not yet sure to be next.
	items []item
}

// stream is a span that is read in pages.
type stream struct {
	read
	done     bool
	unsorted bool   // the paths have another order than the keys
	last     []byte // the key that was read last, with the order of the scan
}

// order compares two keys in the order of the scan.
func (s *scan) order(a, b []byte) int {
	if s.r.Reverse {
		a, b = b, a
	}
	return bytes.Compare(a, b)
}

// scan finds where the items of a range are stored.
func (t *txn) scan(tab table, r store.Range) (*scan, error) {
	s := &scan{txn: t, r: r}
	add := func(x span) {
		s.streams = append(s.streams, &stream{read: read{span: x, limit: pageFirst, reverse: r.Reverse != tab.newest}})
	}
	part, ofPart := tab.onePart(r)
	name, ofName := tab.oneName(r)
	switch {
	case ofName:
		parts, err := t.partsOf(tab, name)
		for _, part := range parts {
			key := tab.name + name + "/" + string(part)
			if _, written := t.writes[key]; !written {
				s.streams = append(s.streams, &stream{read: one(pathOf([]byte(key)))})
			}
		}
		return s, err
	case ofPart:
		if x, ok := tab.within(part, r); ok {
			add(x)
		}
		return s, nil
	case tab.whole:
		whole := span{from: spaceWhole + string(r.From), to: spaceWhole + string(r.To)}
		t.scanned[whole] = t.writable
		add(whole)
		return s, nil
	}
	t.scanned[beginning(spaceShown+tableHead)] = t.writable
	switch {
	case tab.shown && !tab.last:
		add(span{from: spaceShown + string(r.From), to: spaceShown + string(r.To)})
	case tab.shown:
		add(beginning(spaceShown + tab.name))
		s.streams[0].unsorted = true
	default:
		parts, err := t.allParts()
		if err != nil {
			return nil, err
		}
		for _, part := range parts {
			if x, ok := tab.within(part, r); ok {
				add(x)
			}
		}
	}
	if len(s.streams) > pageFirst/pageOfMany {
		for _, x := range s.streams {
			x.limit = pageOfMany
		}
	}
	return s, nil
}

// next returns items that follow those before. more is set if there may be others.
func (s *scan) next() (items []item, more bool, err error) {
	var due []*stream // whose next page can have the next item
	var reads []read
	for _, x := range s.streams {
		if !x.done && (x.last == nil || x.unsorted || len(s.items) == 0 || s.order(x.last, s.items[0].key) <= 0) {
			due, reads = append(due, x), append(reads, x.read)
		}
	}
	pages, err := s.txn.read(reads...)
	if err != nil {
		return nil, false, err
	}
	for i, x := range due {
		if err := s.take(x, pages[i]); err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(s.items, func(a, b item) int { return s.order(a.key, b.key) })
	sure := len(s.items)
	for _, x := range s.streams {
		if x.done {
			continue
		}
		more = true
		n, found := slices.BinarySearchFunc(s.items, x.last, func(a item, last []byte) int { return s.order(a.key, last) })
		if found {
			n++
		}
		if x.unsorted {
			n = 0
		}
		sure = min(sure, n)
	}
	items, s.items = s.items[:sure:sure], s.items[sure:]
	return items, more || len(s.items) > 0, nil
}

// take adds a page to the items.
func (s *scan) take(x *stream, p page) error {
	if x.done = !p.more; len(p.pairs) > 0 {
		last := p.pairs[len(p.pairs)-1].path
		x.last = keyAt(last)
		if x.reverse {
			x.to = last
		} else {
			x.from = last + "\x00"
		}
		if !tableOf(s.r.From).history { // otherwise each page is followed by the changes to which it refers
			x.limit = min(x.limit*pageGrowth, pageMost)
		}
	}
	for _, y := range p.pairs {
		key := keyAt(y.path)
		if !s.r.Holds(key) {
			continue
		}
		value, err := s.txn.value(y)
		if err != nil {
			return err
		}
		s.items = append(s.items, item{key, value})
	}
	return nil
}

// partLists are the heads and the agents, without values.
var partLists = []read{{span: beginning(spaceShown + tableHead), keys: true}, {span: beginning(spaceShown + "agent/"), keys: true}}

// allParts are the parts of the ledger: those that have a head or, if it was lost, an agent.
func (t *txn) allParts() ([]model.AgentID, error) {
	if t.parts != nil {
		return t.parts, nil
	}
	found := map[model.AgentID]bool{}
	pages, err := t.read(partLists...)
	if err != nil {
		return nil, err
	}
	for _, p := range pages {
		for _, x := range p.pairs {
			found[partAt(x.path)] = true
		}
	}
	t.parts = slices.Sorted(maps.Keys(found))
	return t.parts, nil
}

// The cluster counts commits. A change has the revision that follows what it was judged by, so one that was saved later can have a lower
// revision. News goes by the commits. Within a part both orders are the same, and a change has a revision after the commit of the one
// before it.

// Counts implements store.Txn.
func (t *txn) Counts() bool { return true }

// Changed implements store.Txn, by the heads of the parts: each commit of a part writes its head. The lease of a turn ends without one.
func (t *txn) Changed(revisions uint64) (parts []model.AgentID, err error) {
	if _, err := t.Get(about); err != nil {
		return nil, err
	}
	since := t.at - int64(revisions) + 1
	pages, err := t.read(read{span: beginning(spaceShown + tableHead), keys: true, since: since})
	if err != nil {
		return nil, err
	}
	for _, p := range pages[0].pairs {
		parts = append(parts, partAt(p.path))
	}
	if t.mirror != nil { // only a mirror knows them
		for part, ended := range t.mirror.ended {
			if ended >= since {
				parts = append(parts, part)
			}
		}
	}
	return parts, nil
}

// SavedAt implements store.Txn.
func (t *txn) SavedAt(key []byte, now uint64) (revision uint64, ok bool, err error) {
	p, err := t.get(pathOf(key))
	return now - uint64(t.at-p.changed), p.changed != 0, err
}

// Saved implements store.Txn.
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
	pages, err := t.read(reads...)
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
		return cmp.Or(cmp.Compare(a.changed, b.changed), cmp.Compare(partAt(a.path), partAt(b.path)))
	})
	for _, p := range found {
		list = append(list, store.Saved{Key: keyAt(p.path), Value: p.value, Revision: now - uint64(t.at-p.changed)})
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
