package store

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// group lets the Updates of one process that wait at the same time share a transaction,
// and so its two syncs. There is no timer: whoever has its turn takes along all who wait.
type group struct {
	turn chan struct{} // holds a token while somebody serves

	mu      sync.Mutex // protects waiting
	waiting []*call
}

// call is one Update. Its context counts while it waits and, if it is alone, for the lock.
type call struct {
	ctx  context.Context
	fn   func(Txn) error
	done chan error
}

// do has fn served, by this goroutine or by another.
func (g *group) do(ctx context.Context, fn func(Txn) error, serve func([]*call)) error {
	c := &call{ctx: ctx, fn: fn, done: make(chan error, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, c)
	g.mu.Unlock()
	select {
	case err := <-c.done:
		return c.settle(err)
	case g.turn <- struct{}{}:
		g.gather()
		serve(g.take())
		<-g.turn
	case <-ctx.Done():
		if g.leave(c) {
			return ctx.Err()
		}
	}
	return c.settle(<-c.done)
}

// gather lets those run who were just answered: most of them ask again, and come along. It
// ends when a round of the scheduler brings nobody, so that one who is alone does not wait.
func (g *group) gather() {
	const rounds = 16
	for range rounds {
		was := g.count()
		if runtime.Gosched(); g.count() == was {
			return
		}
	}
}

func (g *group) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// take is everybody who waits.
func (g *group) take() []*call {
	g.mu.Lock()
	defer g.mu.Unlock()
	calls := g.waiting
	g.waiting = nil
	return calls
}

// leave takes c out of the queue; false means that it is being served.
func (g *group) leave(c *call) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.waiting, c)
	if i >= 0 {
		g.waiting = slices.Delete(g.waiting, i, i+1)
	}
	return i >= 0
}

// panicked carries a panic of fn from the goroutine that served it to its own.
type panicked struct{ value any }

func (panicked) Error() string { return "panic in a transaction" }

func (c *call) settle(err error) error {
	if p, ok := err.(panicked); ok {
		panic(p.value)
	}
	return err
}

// run calls fn. A memory fault goes on, to whoever knows the file that it came from.
func (c *call) run(t Txn) (err error) {
	defer func() {
		if r := recover(); r != nil && !isFault(r) {
			err = panicked{r}
		} else if r != nil {
			panic(r)
		}
	}()
	return c.fn(t)
}

// errSpoilt: a call failed after it had written, so that the others need a transaction
// without its writes.
var errSpoilt = errors.New("spoilt by another update")

// serve carries out the calls, in one transaction if that goes well.
func (b *Bolt) serve(calls []*call) {
	if len(calls) > 1 && b.together(calls) {
		return
	}
	for _, c := range calls {
		err := b.retry(c.ctx, c.run)
		c.done <- err
		if errors.As(err, new(*Busy)) && c.ctx.Err() == nil {
			b.refuseWaiting(err)
		}
	}
}

// refuseWaiting answers those who came meanwhile, who would wait as long again for nothing.
func (b *Bolt) refuseWaiting(err error) {
	for _, c := range b.group.take() {
		c.done <- err
	}
}

func (b *Bolt) together(calls []*call) bool {
	errs := make([]error, len(calls))
	err := b.retry(context.Background(), func(t Txn) error {
		s := t.(*boltTxn).session
		for i, c := range calls {
			before := s.writes
			if errs[i] = c.run(t); errs[i] != nil && s.writes > before {
				return errSpoilt
			}
		}
		return nil
	})
	if errors.Is(err, errSpoilt) {
		return false
	}
	for i, c := range calls {
		c.done <- cmp.Or(errs[i], err)
	}
	if errors.As(err, new(*Busy)) {
		b.refuseWaiting(err)
	}
	return true
}
