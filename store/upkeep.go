package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// Long-lived processes look each minute at what is due; a process that runs one command
// takes a snapshot only of a ledger that is copied and proven in some ten milliseconds.
const (
	tendEvery    = time.Minute
	quickBytes   = 4 << 20
	archiveAge   = 7 * 24 * time.Hour
	tendPatience = 30 * time.Second
)

// Tend keeps what recovery needs up to date until ctx ends: the history's copy on the
// disk, hourly snapshots, archives, the reserve. What goes wrong is tried again a minute
// later, and meanwhile told by Lag.
func (l *Ledger) Tend(ctx context.Context) {
	if l.journal == nil {
		return
	}
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := l.tend(ctx); ctx.Err() == nil {
			l.lag.note(err)
		}
	}
}

func (l *Ledger) tend(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, tendPatience)
	defer stop()
	_, err := l.journal.archive(archiveAge)
	return errors.Join(l.journal.sync(), err, l.reserve(), l.snapshotIfDue(ctx))
}

// Overdue takes a snapshot if one is due and costs little: what a process that runs one
// command can do for those that come after it.
func (l *Ledger) Overdue(ctx context.Context) error {
	if l.journal == nil {
		return nil
	}
	if info, err := os.Lstat(l.home.path(ledgerFile)); err != nil || info.Size() > quickBytes {
		return err
	}
	return l.snapshotIfDue(ctx)
}

func (l *Ledger) snapshotIfDue(ctx context.Context) error {
	due, err := l.snapshotDue()
	if err != nil || !due {
		return err
	}
	if _, err := l.Snapshot(ctx); err != nil {
		return fmt.Errorf("hourly %w", err)
	}
	return l.reserve()
}
