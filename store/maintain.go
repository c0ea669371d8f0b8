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
	maintainEvery = time.Minute
	maintainLimit = 30 * time.Second
	quickBytes    = 4 << 20
	archiveAge    = 7 * 24 * time.Hour
)

// Maintain keeps what recovery needs up to date until ctx ends: the history's copy on the
// disk, hourly snapshots, archives, the reserve. What goes wrong is tried again a minute
// later, and meanwhile told by Lag.
func (l *Ledger) Maintain(ctx context.Context) {
	if l.journal == nil {
		return
	}
	tick := time.NewTicker(maintainEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := l.maintain(ctx); ctx.Err() == nil {
			l.lag.note(err)
		}
	}
}

func (l *Ledger) maintain(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, maintainLimit)
	defer stop()
	_, err := l.journal.archive(archiveAge)
	return errors.Join(l.journal.sync(), err, l.reserve(), l.hourlySnapshot(ctx))
}

// SnapshotIfDue takes a snapshot if one is due and costs little: what a process that runs one
// command can do for those that come after it.
func (l *Ledger) SnapshotIfDue(ctx context.Context) error {
	if l.journal == nil {
		return nil
	}
	if info, err := os.Lstat(l.home.path(ledgerFile)); err != nil || info.Size() > quickBytes {
		return err
	}
	return l.hourlySnapshot(ctx)
}

func (l *Ledger) hourlySnapshot(ctx context.Context) error {
	due, err := l.snapshotDue()
	if err != nil || !due {
		return err
	}
	if _, err := l.Snapshot(ctx); err != nil {
		return fmt.Errorf("hourly %w", err)
	}
	return l.reserve()
}
