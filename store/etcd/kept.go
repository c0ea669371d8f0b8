package etcd

import (
	"sync"

	"vise/model"
)

// kept is what was read of parts and is not in the mirror. It holds as long as the head of its part is the same, because each change of a
// part writes its head. A change of the history holds for good: it is never written again.
type kept struct {
	mu    sync.Mutex // protects all
	parts map[model.AgentID]*keptPart
	size  int
}

type keptPart struct {
	head  int64 // its revision
	pages map[read]page
	used  map[read]bool // pages that were read again
	size  int
}

// maxKept is the size at which all is forgotten.
const maxKept = 8 << 20

// maxAgain bounds the reads that are made again because they were useful.
const maxAgain = 64

func (k *kept) get(r read, head int64) (page, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	x := k.parts[r.part]
	if x == nil || x.head != head && !r.isChange() {
		return page{}, false
	}
	p, ok := x.pages[r]
	switch {
	case ok && r.isChange():
		return p, x.head == head || len(p.pairs) > 0 && p.pairs[0].changed <= head // not of the transaction's future
	case ok:
		x.used[r] = true
	}
	return p, ok
}

// again are reads of a part that were used more than once before its head changed. They are likely to be wanted again.
func (k *kept) again(part model.AgentID, head int64) (reads []read) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if x := k.parts[part]; x != nil && x.head < head {
		for r := range x.used {
			reads = append(reads, r)
		}
	}
	return reads[:min(len(reads), maxAgain)]
}

func (k *kept) put(r read, head int64, p page) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.parts == nil || k.size > maxKept {
		k.parts, k.size = map[model.AgentID]*keptPart{}, 0
	}
	x := k.parts[r.part]
	switch {
	case x == nil || x.head < head:
		next := &keptPart{head: head, pages: map[read]page{}, used: map[read]bool{}}
		if x != nil {
			k.size -= x.size
			for r, p := range x.pages {
				if r.isChange() && len(p.pairs) > 0 {
					next.pages[r], next.size = p, next.size+sizeOf(r, p)
				}
			}
			k.size += next.size
		}
		x = next
		k.parts[r.part] = x
	case x.head > head:
		return
	}
	n := sizeOf(r, p)
	x.pages[r] = p
	x.size, k.size = x.size+n, k.size+n
}

// sizeOf is about what a page takes in memory.
func sizeOf(r read, p page) int {
	n := 200 + len(r.from) + len(r.to)
	for _, x := range p.pairs {
		n += 100 + len(x.place) + len(x.value)
	}
	return n
}

// advance makes the change of a commit, which has written a part with the head that was read.
func (k *kept) advance(part model.AgentID, was, now int64, written map[string]write) {
	k.mu.Lock()
	defer k.mu.Unlock()
	x := k.parts[part]
	if x == nil || x.head != was {
		return
	}
	x.head = now
	for r := range x.pages {
		for place, w := range written {
			switch {
			case place == r.from && r.to == "":
				p := page{}
				if w.value != nil {
					p.pairs = []pair{{place: place, value: w.value, changed: now}}
				}
				x.pages[r] = p
			case place >= r.from && place < r.to:
				delete(x.pages, r)
			}
		}
	}
}
