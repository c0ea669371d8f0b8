package etcd

import (
	"slices"

	"vise/store"
)

// merged is a source of several spans, each read in pages. Within a span the items have the order of the scan.
type merged struct {
	txn     *txn
	r       store.Range
	streams []*stream // that have more, the one with the next item first
	started bool
}

// stream is a span that is being read.
type stream struct {
	read
	items []item
	done  bool // nothing follows items
}

func (t *txn) merge(r store.Range, spans ...span) *merged {
	m := &merged{txn: t, r: r}
	limit := pageFirst
	if len(spans) > pageFirst/pageOfMany {
		limit = pageOfMany
	}
	reverse := r.Reverse != tableOf(r.From).newest
	for _, s := range spans {
		m.streams = append(m.streams, &stream{read: read{span: s, limit: limit, reverse: reverse}})
	}
	return m
}

func (m *merged) next() (item, bool, error) {
	if !m.started {
		m.started = true
		if err := m.fill(m.streams); err != nil {
			return item{}, false, err
		}
		m.streams = slices.DeleteFunc(m.streams, func(s *stream) bool { return len(s.items) == 0 })
		slices.SortFunc(m.streams, m.compare)
	}
	if len(m.streams) == 0 {
		return item{}, false, nil
	}
	first := m.streams[0]
	if len(first.items) == 0 { // its last item was used
		if err := m.fill(m.streams[:1]); err != nil {
			return item{}, false, err
		}
		m.streams = m.streams[1:]
		m.insert(first)
		return m.next()
	}
	x := first.items[0]
	first.items = first.items[1:]
	if len(first.items) > 0 || first.done {
		m.streams = m.streams[1:]
		m.insert(first)
	}
	return x, true, nil
}

// insert puts a stream back in its place, if it has more.
func (m *merged) insert(s *stream) {
	if len(s.items) > 0 {
		at, _ := slices.BinarySearchFunc(m.streams, s, m.compare)
		m.streams = slices.Insert(m.streams, at, s)
	}
}

func (m *merged) compare(a, b *stream) int {
	return inOrder(m.r.Reverse, a.items[0].key, b.items[0].key)
}

// fill reads the next pages of streams, until each has items or is done.
func (m *merged) fill(streams []*stream) error {
	for {
		var empty []*stream
		var reads []read
		for _, s := range streams {
			if len(s.items) == 0 && !s.done {
				empty, reads = append(empty, s), append(reads, s.read)
			}
		}
		if len(empty) == 0 {
			return nil
		}
		pages, err := m.txn.pages(reads)
		if err != nil {
			return err
		}
		for i, s := range empty {
			if err := m.take(s, pages[i]); err != nil {
				return err
			}
		}
	}
}

// take adds a page to a stream.
func (m *merged) take(s *stream, p page) error {
	for _, x := range p.pairs {
		key := keyAt(x.place)
		if !includes(m.r, key) {
			continue
		}
		value, err := m.txn.value(x)
		if err != nil {
			return err
		}
		s.items = append(s.items, item{key, value})
	}
	s.done = !p.more
	if n := len(p.pairs); n > 0 && s.reverse {
		s.to = p.pairs[n-1].place
	} else if n > 0 {
		s.from = p.pairs[n-1].place + "\x00"
	}
	s.limit = min(s.limit*pageGrowth, pageMost)
	return nil
}

// pages reads pages of spans. What is known whole is not read again.
func (t *txn) pages(reads []read) ([]page, error) {
	out := make([]page, len(reads))
	var wanted []read
	var at []int // of wanted in out
	for i, r := range reads {
		if kept, ok := t.ranges[r.span]; ok {
			t.meetPart(r.part)
			out[i].pairs = slices.Clone(kept)
			if r.reverse {
				slices.Reverse(out[i].pairs)
			}
			continue
		}
		if first, ok := t.firsts[r]; ok {
			t.meetPart(r.part)
			out[i] = page{slices.Clone(first.pairs), true}
			continue
		}
		wanted, at = append(wanted, r), append(at, i)
	}
	if len(wanted) == 0 {
		return out, nil
	}
	got, err := t.meeting(wanted)
	if err != nil {
		return nil, err
	}
	for i, p := range got {
		out[at[i]] = p
	}
	return out, nil
}
