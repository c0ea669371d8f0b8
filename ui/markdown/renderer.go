package markdown

import (
	"errors"
	"sync"
)

// Renderer renders blocks and keeps them. It may be used by many goroutines.
type Renderer struct {
	guard  guard
	engine Engine

	mu     sync.Mutex // protects what follows
	recent map[key][]row
	older  map[key][]row
	bytes  int              // size of recent
	failed map[uint64]error // blocks that took too long once: not tried again
}

// key is what the rows of a block depend on.
type key struct {
	block, refs, style uint64
	width              int
}

const (
	// keepBytes bounds each of the two generations of kept blocks.
	keepBytes = 4 << 20
	// keepFailed bounds how many failed blocks are remembered.
	keepFailed = 1000
)

// NewRenderer returns a renderer by e. Without one it shows everything as written.
func NewRenderer(e Engine) *Renderer {
	if e == nil {
		e = away{}
	}
	return &Renderer{guard: guard{patience: patience}, engine: e, recent: map[key][]row{}, failed: map[uint64]error{}}
}

// block is block i of d in width columns.
func (r *Renderer) block(d *Document, i, width int, s *Style) []row {
	b := &d.blocks[i]
	k := key{block: b.hash, style: s.id, width: width}
	if b.links {
		k.refs = d.refsHash
	}
	if rows, ok := r.kept(k); ok {
		return rows
	}
	rows, err := r.render(d, b, width, s)
	if err != nil && (i == 0 || !errors.Is(err, ErrAway)) {
		last := rows[len(rows)-1]
		note := s.paint.NeedsYou.Render("! shown as written: " + err.Error())
		rows = append(rows, row{text: note, from: last.to, to: last.to})
	}
	if !passes(err) {
		r.keep(k, rows)
	}
	return rows
}

// run runs what may take long, unless it did so once for this block.
func (r *Renderer) run(b *block, job func() ([]string, error)) ([]string, error) {
	r.mu.Lock()
	err := r.failed[b.hash]
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := r.engine.Ready(); err != nil {
		return nil, err
	}
	out, err := r.guard.run(job)
	if err != nil && !passes(err) {
		r.fail(b.hash, err)
	}
	return out, err
}

// passes reports whether what stood in the way says nothing about the block.
func passes(err error) bool { return err == errBusy || errors.Is(err, ErrAway) }

// fail remembers that a block cannot be rendered.
func (r *Renderer) fail(hash uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.failed) >= keepFailed {
		clear(r.failed)
	}
	r.failed[hash] = err
}

func (r *Renderer) kept(k key) ([]row, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows, ok := r.recent[k]
	if !ok {
		if rows, ok = r.older[k]; ok {
			r.put(k, rows)
		}
	}
	return rows, ok
}

func (r *Renderer) keep(k key, rows []row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(k, rows)
}

// put keeps rows; r.mu is held. What was not asked for during a whole generation goes.
func (r *Renderer) put(k key, rows []row) {
	const perRow = 40
	r.recent[k] = rows
	for i := range rows {
		r.bytes += len(rows[i].text) + perRow
	}
	if r.bytes > keepBytes {
		r.older, r.recent, r.bytes = r.recent, map[key][]row{}, 0
	}
}
