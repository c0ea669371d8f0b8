package store

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"vise/store/kv"
)

// pollEvery is how late another process's commit is noticed if nobody calls Wake.
const pollEvery = 2 * time.Second

// The rate at which a process looks for commits of other processes. It sees a few at once, many
// twelve times a second: a driver hears of an answer within 100 ms of its commit, whatever else is committed.
// Each look takes the lock from writers, and then every follower reads.
const (
	looksPerSecond = 12
	looksAtOnce    = 4
)

// knownRevision is the revision that this process last read. All followers share it.
type knownRevision struct {
	turn chan struct{} // holds a token while nobody looks; protects pace, known, mark and changes of revision
	pace *rate.Limiter
	// known means that revision is at least the ledger's revision at mark.
	known bool
	mark  uint64

	revision atomic.Uint64
	moved    kv.News // of revision

	mine atomic.Uint64 // the newest revision that this process committed
	own  chan struct{} // holds a token when mine has changed
}

// committed notes a commit of this process. Its followers then need not wait for the rate limit.
func (n *knownRevision) committed(revision uint64) {
	for old := n.mine.Load(); old < revision && !n.mine.CompareAndSwap(old, revision); old = n.mine.Load() {
	}
	select {
	case n.own <- struct{}{}:
	default:
	}
}

func newKnownRevision(mirrors bool) *knownRevision {
	n := &knownRevision{turn: make(chan struct{}, 1), pace: rate.NewLimiter(looksPerSecond, looksAtOnce),
		own: make(chan struct{}, 1)}
	if mirrors { // a look costs nobody anything
		n.pace.SetLimit(rate.Inf)
	}
	n.turn <- struct{}{}
	return n
}

// take waits for the turn, at most until a revision greater than after is known, which it returns then.
func (n *knownRevision) take(ctx context.Context, after uint64) (known uint64, err error) {
	for {
		moved := n.moved.Next()
		select {
		case <-n.turn:
			return 0, nil
		default:
		}
		if revision := n.revision.Load(); revision > after {
			return revision, nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-n.turn:
			return 0, nil
		case <-moved:
		}
	}
}

// Follow returns the ledger's revision as soon as it is greater than after, whichever process
// committed, or the context's error. It reports that something changed, not what; a late caller
// reads the newest state. Of many changes by other processes it reports some, at most a twelfth
// of a second late. It also returns when what is read begins to be old, or no longer is: see
// Conditions.
func (l *Ledger) Follow(ctx context.Context, after uint64) (uint64, error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for told := l.troubles(); ; {
		news := l.backend.News()
		revision, mark, err := l.look(ctx, after)
		if err != nil || revision > after || l.troubles() != told {
			return max(revision, after), Explain(err)
		}
		if err := l.await(ctx, news, tick.C, mark); err != nil {
			return revision, err
		}
	}
}

// troubles counts what limits reading.
func (l *Ledger) troubles() int { return len(l.backend.Conditions()) }

// look returns the ledger's revision and the mark. It reads the revision only if the mark has changed since the last read. Instead of
// waiting it returns a known revision, if that is greater than after.
func (l *Ledger) look(ctx context.Context, after uint64) (revision, mark uint64, err error) {
	n := l.followed
	if known, err := n.take(ctx, after); err != nil || known > 0 {
		return known, 0, err
	}
	defer func() { n.turn <- struct{}{} }()
	revision = n.revision.Load()
	mark, err = l.backend.Mark(ctx)
	if err != nil || n.known && mark == n.mark {
		return revision, mark, err
	}
	if due, err := n.wait(ctx, revision, after); err != nil || !due {
		return revision, mark, err
	}
	if mark, err = l.backend.Mark(ctx); err != nil { // read before the revision, which is then at least as new
		return 0, 0, err
	}
	mine := n.mine.Load() // what was committed before the read is in it
	revision, err = l.revision(ctx)
	if err == nil && revision < mine {
		n.mine.CompareAndSwap(mine, revision) // an older ledger was restored
	}
	n.known, n.mark = err == nil, mark
	if n.revision.Swap(revision) != revision {
		n.moved.Broadcast()
	}
	return revision, mark, err
}

// wait delays a look for the rate limit, at most until this process commits. It does not wait, and no look is due, if the known revision is
// greater than after. (Limiter.Wait would fail at once if the deadline comes first.)
func (n *knownRevision) wait(ctx context.Context, revision, after uint64) (due bool, err error) {
	if n.mine.Load() > revision {
		return true, nil
	}
	r := n.pace.Reserve()
	if r.Delay() > 0 && revision > after {
		r.Cancel()
		return false, nil
	}
	timer := time.NewTimer(r.Delay())
	defer timer.Stop()
	for n.mine.Load() <= revision {
		select {
		case <-ctx.Done():
			r.Cancel()
			return false, ctx.Err()
		case <-timer.C:
			return true, nil
		case <-n.own:
		}
	}
	r.Cancel()
	return true, nil
}

// await returns when news is closed, or when the mark has changed at a tick.
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
	err := l.ViewFacts(ctx, func(f *Facts) error {
		revision = f.Head().Revision
		return nil
	})
	return revision, err
}

// Pause waits for d, or until ctx ends: then it returns the error of ctx.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Wake tells Follow that another process may have committed, so that it looks at once.
func (l *Ledger) Wake() { l.backend.Wake() }
