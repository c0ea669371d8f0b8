package kv

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"

	"github.com/google/btree"
)

// Memory is a Backend that keeps its keys in memory. It serves tests, and is the simplest
// implementation of the contract.
type Memory struct {
	alone
	news    News
	writing sync.Mutex // allows one Update at a time
	now     atomic.Pointer[memState]
}

// memState is the committed keys and the number of commits. Its tree never changes.
type memState struct {
	tree *btree.BTreeG[pair]
	mark uint64
}

// NewMemory returns an empty Memory.
func NewMemory() *Memory {
	m := &Memory{}
	m.now.Store(&memState{tree: btree.NewG(32, func(a, b pair) bool { return bytes.Compare(a.key, b.key) < 0 })})
	return m
}

// View implements Backend.
func (m *Memory) View(ctx context.Context, fn func(Txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(m.Now())
}

// Update implements Backend.
func (m *Memory) Update(ctx context.Context, fn func(Txn) error) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	was := m.now.Load()
	t := &memTxn{tree: was.tree.Clone(), writable: true}
	if err := fn(t); err != nil || !t.wrote {
		return err
	}
	m.now.Store(&memState{tree: t.tree, mark: was.mark + 1})
	m.news.Broadcast()
	return nil
}

// Mark implements Backend.
func (m *Memory) Mark(context.Context) (uint64, error) { return m.now.Load().mark, nil }

// News implements Backend.
func (m *Memory) News() <-chan struct{} { return m.news.Next() }

// Close implements Backend.
func (m *Memory) Close() error { return nil }

type memTxn struct {
	aloneTxn
	tree     *btree.BTreeG[pair]
	writable bool
	wrote    bool
}

func (t *memTxn) Get(key []byte) ([]byte, error) {
	p, _ := t.tree.Get(pair{key: key})
	return p.value, nil
}

func (t *memTxn) Put(key, value []byte) error {
	if !t.writable {
		return ErrReadOnly
	}
	if len(key) == 0 {
		return ErrEmptyKey
	}
	t.tree.ReplaceOrInsert(pair{bytes.Clone(key), append([]byte{}, value...)})
	t.wrote = true
	return nil
}

func (t *memTxn) Delete(key []byte) error {
	if !t.writable {
		return ErrReadOnly
	}
	t.tree.Delete(pair{key: key})
	t.wrote = true
	return nil
}

func (t *memTxn) Scan(r Range, visit func(key, value []byte) bool) error {
	each := func(p pair) bool { return r.Holds(p.key) && visit(p.key, p.value) }
	switch {
	case !r.Reverse:
		t.tree.AscendGreaterOrEqual(pair{key: r.From}, each)
	case r.To == nil:
		t.tree.Descend(each)
	default:
		t.tree.DescendLessOrEqual(pair{key: r.To}, func(p pair) bool { return bytes.Equal(p.key, r.To) || each(p) })
	}
	return nil
}

// Clone returns the same keys in a memory of their own.
func (m *Memory) Clone() *Memory {
	c := &Memory{}
	c.now.Store(m.now.Load())
	return c
}

// ReadCopy implements Backend.
func (m *Memory) ReadCopy(context.Context) (Backend, error) { return m.Clone(), nil }

// Now is a view of the keys that does not end.
func (m *Memory) Now() Txn { return &memTxn{tree: m.now.Load().tree} }

// News tells waiting goroutines of a change, such as a commit. A goroutine that takes the
// channel, then reads, then waits for the channel misses no change.
type News struct {
	mu      sync.Mutex // protects channel
	channel chan struct{}
}

// Next returns a channel that is closed at the next change.
func (n *News) Next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.channel == nil {
		n.channel = make(chan struct{})
	}
	return n.channel
}

// Broadcast tells of a change.
func (n *News) Broadcast() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.channel != nil {
		close(n.channel)
		n.channel = nil
	}
}
