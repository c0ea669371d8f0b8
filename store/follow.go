package store

import (
	"context"
	"time"
)

// pollEvery is how late a commit of another process is noticed when nobody calls Wake.
const pollEvery = 2 * time.Second

// Follow returns the ledger's revision as soon as it is past after, whoever moved it, or
// the context's error. It tells that there is news, never what: whoever is late reads the
// newest state.
func (l *Ledger) Follow(ctx context.Context, after uint64) (uint64, error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		news := l.backend.News()
		mark, err := l.backend.Mark(ctx)
		if err != nil {
			return 0, explain(err)
		}
		revision, err := l.revision(ctx)
		if err != nil || revision > after {
			return revision, explain(err)
		}
		if err := l.await(ctx, news, tick.C, mark); err != nil {
			return revision, err
		}
	}
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
