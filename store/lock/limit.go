package lock

import (
	"context"
	"sync/atomic"
	"time"
)

// leastWait is what is left to a wait when the others have used up their common limit.
const leastWait = 10 * time.Millisecond

type limitKey struct{}

// WithLimit bounds all waits for locks of a context together, so that a verb which needs a lock
// several times ends as soon as one that needs it once.
func WithLimit(ctx context.Context, limit time.Duration) context.Context {
	left := new(atomic.Int64)
	left.Store(int64(limit))
	return context.WithValue(ctx, limitKey{}, left)
}

// limit is how long a wait may last.
func (f *File) limit(ctx context.Context) time.Duration {
	if left, ok := ctx.Value(limitKey{}).(*atomic.Int64); ok {
		return min(f.Limit, max(leastWait, time.Duration(left.Load())))
	}
	return f.Limit
}

// spend takes a wait off what is left to the others of its context.
func spend(ctx context.Context, begun time.Time) {
	if left, ok := ctx.Value(limitKey{}).(*atomic.Int64); ok {
		left.Add(-int64(time.Since(begun)))
	}
}
