package lock

import (
	"context"
	"sync/atomic"
	"time"
)

// leastWait is the time that a wait still gets when earlier waits of its context have used up
// their common limit.
const leastWait = 10 * time.Millisecond

type limitKey struct{}

// WithLimit sets one limit for all waits for locks in a context together. A verb that needs a
// lock several times then waits no longer than one that needs it once.
func WithLimit(ctx context.Context, limit time.Duration) context.Context {
	left := new(atomic.Int64)
	left.Store(int64(limit))
	return context.WithValue(ctx, limitKey{}, left)
}

// limit returns how long a wait may last.
func (f *File) limit(ctx context.Context) time.Duration {
	if left, ok := ctx.Value(limitKey{}).(*atomic.Int64); ok {
		return min(f.Limit, max(leastWait, time.Duration(left.Load())))
	}
	return f.Limit
}

// spend subtracts a wait from the time that is left to its context.
func spend(ctx context.Context, begun time.Time) {
	if left, ok := ctx.Value(limitKey{}).(*atomic.Int64); ok {
		left.Add(-int64(time.Since(begun)))
	}
}
