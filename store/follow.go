package store

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// pollEvery is how late a commit of another process is noticed when nobody calls Wake.
const pollEvery = 2 * time.Second

// The pace at which a process looks for news of others: of a few changes at once, of many four
// times a second. Every look takes the lock from those who write, and whoever follows then reads.
const (
	looksPerSecond = 4
	looksAtOnce    = 4
)

// knownRevision is the revision that this process knew last, for all who follow.
type knownRevision struct {
	turn chan struct{} // holds one while nobody looks; protects what follows
	pace *rate.Limiter
	// known: revision is at least what the ledger had at mark.
	known          bool
	mark, revision uint64

	mine atomic.Uint64 // the newest revision that this process committed
	own  chan struct{} // holds one when it has moved
}

// committed notes a commit of this process, whose followers need not wait for their pace.
func (n *knownRevision) committed(revision uint64) {
	for old := n.mine.Load(); old < revision && !n.mine.CompareAndSwap(old, revision); old = n.mine.Load() {
	}
	select {
	case n.own <- struct{}{}:
	default:
	}
}

func newKnownRevision() *knownRevision {
	n := &knownRevision{turn: make(chan struct{}, 1), pace: rate.NewLimiter(looksPerSecond, looksAtOnce),
		own: make(chan struct{}, 1)}
	n.turn <- struct{}{}
	return n
}

// Follow returns the ledger's revision once it is past after, whoever moved it, or the context's
// error. It tells that there is news, never what: whoever is late reads the newest state. Among
// many changes of others it tells of some, at most a quarter of a second late.
func (l *Ledger) Follow(ctx context.Context, after uint64) (uint64, error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		news := l.backend.News()
		revision, mark, err := l.look(ctx)
		if err != nil || revision > after {
			return revision, explain(err)
		}
		if err := l.await(ctx, news, tick.C, mark); err != nil {
			return revision, err
		}
	}
}

// look returns the ledger's revision, read only if the mark has moved since it was read last,
// and that mark.
func (l *Ledger) look(ctx context.Context) (revision, mark uint64, err error) {
	n := l.followed
	select {
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	case <-n.turn:
	}
	defer func() { n.turn <- struct{}{} }()
	mark, err = l.backend.Mark(ctx)
	if err != nil || n.known && mark == n.mark {
		return n.revision, mark, err
	}
	if err := n.wait(ctx); err != nil {
		return 0, 0, err
	}
	if mark, err = l.backend.Mark(ctx); err != nil { // before the revision, which is then at least as new
		return 0, 0, err
	}
	revision, err = l.revision(ctx)
	if err == nil && revision < n.mine.Load() {
		n.mine.Store(revision) // an older ledger was restored
	}
	n.known, n.mark, n.revision = err == nil, mark, revision
	return revision, mark, err
}

// wait holds a look back, until this process commits. (Limiter.Wait would fail before a deadline
// that comes first.)
func (n *knownRevision) wait(ctx context.Context) error {
	if n.mine.Load() > n.revision {
		return nil
	}
	r := n.pace.Reserve()
	timer := time.NewTimer(r.Delay())
	defer timer.Stop()
	for n.mine.Load() <= n.revision {
		select {
		case <-ctx.Done():
			r.Cancel()
			return ctx.Err()
		case <-timer.C:
			return nil
		case <-n.own:
		}
	}
	r.Cancel()
	return nil
}

// await returns at news, or when a look at the mark shows that it has moved.
func (l *Ledger) await(ctx context.Context, news <-chan struct{}, tick <-chan time.Time, mark uint64) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-news:
			return nil
		case <-tick:
			if now, err := l.backend.Mark(ctx); err != nil || now != mark {
				return nil
			}
		}
	}
}

func (l *Ledger) revision(ctx context.Context) (uint64, error) {
	var revision uint64
	err := l.view(ctx, func(f *facts) error {
		revision = f.head().Revision
		return nil
	})
	return revision, err
}

// Wake hints that another process may have committed, so that Follow looks at once.
func (l *Ledger) Wake() {
	if w, ok := l.backend.(interface{ Wake() }); ok {
		w.Wake()
	}
}
