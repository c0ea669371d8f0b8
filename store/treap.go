package store

import (
	"bytes"
	"hash/maphash"
)

// tree is an immutable ordered map: a treap whose nodes are never changed, so that an old
// root is a snapshot. The nil tree is empty.
type tree struct {
	key, value  []byte
	priority    uint64
	left, right *tree
}

var treeSeed = maphash.MakeSeed()

func (t *tree) get(key []byte) []byte {
	for t != nil {
		switch c := bytes.Compare(key, t.key); {
		case c == 0:
			return t.value
		case c < 0:
			t = t.left
		default:
			t = t.right
		}
	}
	return nil
}

func (t *tree) put(key, value []byte) *tree {
	less, _, more := t.split(key)
	return join(join(less, &tree{key: key, value: value, priority: maphash.Bytes(treeSeed, key)}), more)
}

func (t *tree) delete(key []byte) *tree {
	less, found, more := t.split(key)
	if found == nil {
		return t
	}
	return join(less, more)
}

// split parts the tree into what is below key, the node of key, and what is above.
func (t *tree) split(key []byte) (less, found, more *tree) {
	if t == nil {
		return nil, nil, nil
	}
	n := *t
	switch c := bytes.Compare(key, t.key); {
	case c == 0:
		return t.left, t, t.right
	case c < 0:
		less, found, n.left = t.left.split(key)
		return less, found, &n
	default:
		n.right, found, more = t.right.split(key)
		return &n, found, more
	}
}

// join merges two trees of which every key of a is below every key of b.
func join(a, b *tree) *tree {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.priority >= b.priority:
		n := *a
		n.right = join(a.right, b)
		return &n
	default:
		n := *b
		n.left = join(a, b.left)
		return &n
	}
}

// scan visits a range in order; it returns false when visit did.
func (t *tree) scan(r Range, visit func(key, value []byte) bool) bool {
	if t == nil {
		return true
	}
	after := bytes.Compare(t.key, r.From) >= 0
	before := r.To == nil || bytes.Compare(t.key, r.To) < 0
	first, last, goFirst, goLast := t.left, t.right, after, before
	if r.Reverse {
		first, last, goFirst, goLast = last, first, goLast, goFirst
	}
	if goFirst && !first.scan(r, visit) {
		return false
	}
	if after && before && !visit(t.key, t.value) {
		return false
	}
	return !goLast || last.scan(r, visit)
}
