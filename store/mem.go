package store

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
)

// Memory is a Backend that lives and dies with the process. It serves tests, and is the
// simplest thing that keeps a backend's promises.
type Memory struct {
	news    news
	writing sync.Mutex // lets one Update at a time
	now     atomic.Pointer[memState]
}

// memState is what was committed, and how often.
type memState struct {
	tree *tree
	mark uint64
}

// NewMemory is an empty Memory.
func NewMemory() *Memory {
	m := &Memory{}
	m.now.Store(&memState{})
	return m
}

// View implements Backend.
func (m *Memory) View(ctx context.Context, fn func(Txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(&memTxn{tree: m.now.Load().tree})
}

// Update implements Backend.
func (m *Memory) Update(ctx context.Context, fn func(Txn) error) error {
	m.writing.Lock()
	defer m.writing.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	was := m.now.Load()
	t := &memTxn{tree: was.tree, writable: true}
	if err := fn(t); err != nil || !t.wrote {
		return err
	}
	m.now.Store(&memState{tree: t.tree, mark: was.mark + 1})
	m.news.spread()
	return nil
}

// Mark implements Backend.
func (m *Memory) Mark(context.Context) (uint64, error) { return m.now.Load().mark, nil }

// News implements Backend.
func (m *Memory) News() <-chan struct{} { return m.news.next() }

// Close implements Backend.
func (m *Memory) Close() error { return nil }

type memTxn struct {
	tree     *tree
	writable bool
	wrote    bool
}

func (t *memTxn) Get(key []byte) ([]byte, error) { return t.tree.get(key), nil }

func (t *memTxn) Put(key, value []byte) error {
	if !t.writable {
		return errReadOnlyTxn
	}
	if len(key) == 0 {
		return errEmptyKey
	}
	t.tree = t.tree.put(bytes.Clone(key), append([]byte{}, value...))
	t.wrote = true
	return nil
}

func (t *memTxn) Delete(key []byte) error {
	if !t.writable {
		return errReadOnlyTxn
	}
	t.tree = t.tree.delete(key)
	t.wrote = true
	return nil
}

func (t *memTxn) Scan(r Range, visit func(key, value []byte) bool) error {
	t.tree.scan(r, visit)
	return nil
}
