package markdown

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"vise/model"
)

// Renderer renders blocks and keeps the result. Goroutines can share it.
type Renderer struct {
	guard  guard
	engine Engine

	mu     sync.Mutex // protects the fields below
	blocks map[key][]row
	bytes  int              // size of blocks
	failed map[uint64]error // blocks that once took too long: not tried again

	asked map[key]bool // whole texts that are being laid out
	laid  chan struct{}
}

// key is everything that the rows of a block depend on.
type key struct {
	block, refs, style uint64
	width              int
}

const (
	// keepBytes bounds the kept blocks. When they are more, all are dropped.
	keepBytes = 8 << 20
	// keepFailed bounds how many failed blocks are remembered.
	keepFailed = 1000
)

// NewRenderer returns a renderer that uses e. If e is nil, it shows everything as written.
func NewRenderer(e Engine) *Renderer {
	if e == nil {
		e = noEngine{}
	}
	return &Renderer{guard: guard{limit: blockLimit}, engine: e, blocks: map[key][]row{}, failed: map[uint64]error{},
		asked: map[key]bool{}, laid: make(chan struct{}, 1)}
}

// Written returns the lines of a short text, at most MostWritten. It never waits: if they are not laid out yet, it has that begun and
// returns nothing. Without an engine it never returns any.
func (r *Renderer) Written(t model.Text, width int, s *Style) (lines []string) {
	k := key{block: hashOf("", t.Multiline()), style: s.id, width: width}
	if rows, ok := r.kept(k); ok {
		for _, x := range rows {
			lines = append(lines, x.text)
		}
		return lines
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.asked[k] {
		r.asked[k] = true
		go r.write(k, t, s)
	}
	return nil
}

func (r *Renderer) write(k key, t model.Text, s *Style) {
	if r.engine.Ready() != nil {
		return
	}
	var rows []row
	for _, l := range r.View(Split(t), k.width, s).Lines(Position{}, MostWritten) {
		rows = append(rows, row{text: l.Cells(0, k.width)})
	}
	r.keep(k, rows)
	r.mu.Lock()
	delete(r.asked, k)
	r.mu.Unlock()
	select {
	case r.laid <- struct{}{}:
	default:
	}
}

// MostWritten bounds the lines of a text that is laid out whole.
const MostWritten = 2000

// Next waits until a text is laid out that Written was asked for.
func (r *Renderer) Next(ctx context.Context) error {
	select {
	case <-r.laid:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Prepare starts the engine in the background. The next request reports an error of the start.
func (r *Renderer) Prepare() { go func() { _ = r.engine.Ready() }() }

// block returns block i of d in width columns.
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
	if err != nil && (i == 0 || !errors.Is(err, ErrNoEngine)) {
		last := rows[len(rows)-1]
		note := s.paint.NeedsYou.Paint("! shown as written: " + err.Error())
		rows = append(rows, row{text: note, from: last.to, to: last.to})
	}
	if !passes(err) {
		r.keep(k, rows)
	}
	return rows
}

// run runs a job that can take long, unless it did so once for this block.
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

// passes reports whether an error is temporary and says nothing about the block.
func passes(err error) bool { return err == errBusy || errors.Is(err, ErrNoEngine) }

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
	rows, ok := r.blocks[k]
	return rows, ok
}

func (r *Renderer) keep(k key, rows []row) {
	const perRow = 40
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes > keepBytes {
		clear(r.blocks)
		r.bytes = 0
	}
	r.blocks[k] = rows
	for i := range rows {
		r.bytes += len(rows[i].text) + perRow
	}
}

// blockLimit is how long rendering one block can take. Real plans need much less: 8 KB take 15 ms.
const blockLimit = 250 * time.Millisecond

var (
	errSlow = errors.New("took longer than 250 ms to lay out")
	errBusy = errors.New("another block is still being laid out")
)

// guard runs jobs that can take long and cannot be cancelled, one at a time. A job that exceeds its time continues in the background. Until
// it ends, no other job runs.
type guard struct {
	limit time.Duration // how long a job can take
	mu    sync.Mutex    // one caller at a time
	past  chan struct{} // closed when the job that exceeded its time ends; nil if there is none
}

// run runs job and returns its result, errSlow when it takes too long, or errBusy at once while an earlier job continues past its time. A
// panic of job becomes an error.
func (g *guard) run(job func() ([]string, error)) ([]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.past != nil {
		select {
		case <-g.past:
			g.past = nil
		default:
			return nil, errBusy
		}
	}
	var (
		lines []string
		err   error
		done  = make(chan struct{})
	)
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("cannot lay out: %v", r)
			}
		}()
		lines, err = job()
	}()
	timer := time.NewTimer(g.limit)
	defer timer.Stop()
	select {
	case <-done:
		return lines, err
	case <-timer.C:
		g.past = done
		return nil, errSlow
	}
}
