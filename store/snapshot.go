package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vise/store/files"
)

// Snapshot is a copy of a ledger's file as of one commit.
type Snapshot struct {
	Path     string    `json:"path"`
	Revision uint64    `json:"revision"`
	At       time.Time `json:"at"`
	Bytes    int64     `json:"bytes"`
	// Plans is how many plan files a backup holds too; a snapshot holds none.
	Plans int `json:"plans,omitempty"`
}

// Snapshots are taken hourly, and the newest three are kept.
const (
	snapshotEvery = time.Hour
	keepSnapshots = 3
	snapshotTime  = "20060102T150405Z"
	snapshotEnd   = ".db"
)

// Snapshots are those in the home, newest first.
func (h Home) Snapshots() ([]Snapshot, error) {
	entries, err := os.ReadDir(h.path(snapshotsDir))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	var out []Snapshot
	for _, e := range entries {
		var s Snapshot
		var at string
		if n, _ := fmt.Sscanf(e.Name(), "%16s-%d.db", &at, &s.Revision); n != 2 || filepath.Ext(e.Name()) != snapshotEnd {
			continue
		}
		t, timeErr := time.Parse(snapshotTime, at)
		info, infoErr := e.Info()
		if timeErr == nil && infoErr == nil {
			s.Path, s.At, s.Bytes = filepath.Join(h.path(snapshotsDir), e.Name()), t, info.Size()
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Snapshot) int { return b.At.Compare(a.At) })
	return out, err
}

// snapshotDue reports whether the newest snapshot is an hour old, or from a time to come. A
// home that has none yet is given its first hour.
func (l *Ledger) snapshotDue() (bool, error) {
	all, err := l.home.Snapshots()
	if err != nil {
		return false, err
	}
	newest := l.home.Created
	if len(all) > 0 {
		newest = all[0].At
	}
	age := l.Now().Sub(newest)
	return age >= snapshotEvery || age < -snapshotEvery, nil
}

// Snapshot takes a snapshot now, proves it, and lets go of the oldest. Nobody waits for it.
// One that does not prove sound is not kept, and then none is let go of either.
func (l *Ledger) Snapshot(ctx context.Context) (Snapshot, error) {
	dir := l.home.path(snapshotsDir)
	if err := l.home.machine.Mkdir(dir, dirMode); err != nil {
		return Snapshot{}, err
	}
	s, err := l.copyFile(ctx, dir, func(s Snapshot) string {
		return filepath.Join(dir, fmt.Sprintf("%s-%012d%s", s.At.Format(snapshotTime), s.Revision, snapshotEnd))
	}, nil)
	if err != nil {
		return s, explain(fmt.Errorf("snapshot: %w", err))
	}
	return s, l.forgetSnapshots()
}

// copyFile copies the ledger into dir, adds to the copy, proves it, and gives it its name.
func (l *Ledger) copyFile(ctx context.Context, dir string, name func(Snapshot) string, add func(path string) (plans int, err error)) (Snapshot, error) {
	b, ok := l.backend.(*Bolt)
	if !ok {
		return Snapshot{}, errors.ErrUnsupported
	}
	f, err := l.home.machine.CreateTemp(dir, ".copying-*")
	if err != nil {
		return Snapshot{}, err
	}
	s, err := b.provenCopy(ctx, f, l.home, add)
	s.At = l.Now().UTC().Truncate(time.Second)
	if err == nil {
		s.Path = name(s)
		err = l.home.machine.Rename(f.Name(), s.Path)
	}
	if err != nil {
		return s, errors.Join(err, l.home.machine.Remove(f.Name()))
	}
	return s, l.home.machine.SyncDir(dir)
}

// provenCopy copies the ledger to f, which it closes, and reads all of the copy.
func (b *Bolt) provenCopy(ctx context.Context, f *files.File, h Home, add func(path string) (plans int, err error)) (Snapshot, error) {
	var s Snapshot
	err := b.copyTo(ctx, f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil && add != nil {
		s.Plans, err = add(f.Name())
	}
	if err != nil {
		return s, err
	}
	info, err := os.Stat(f.Name())
	if err != nil {
		return s, err
	}
	s.Bytes = info.Size()
	health, err := prove(ctx, ledgerCopy{path: f.Name()}, h)
	s.Revision = health.Revision
	return s, err
}

// prove checks the ledger on a backend. What it finds, but for what can be derived anew, is an error.
func prove(ctx context.Context, b Backend, h Home) (Health, error) {
	l := newLedger(b, nil)
	l.home = h
	health, err := l.Check(ctx)
	if err == nil && health.Found > health.Derived {
		err = &damage{"prove", fmt.Sprintf("%d problems, the first: %s", health.Found-health.Derived, health.Problems[0])}
	}
	return health, err
}

// forgetSnapshots lets go of all but the newest.
func (l *Ledger) forgetSnapshots() error {
	all, err := l.home.Snapshots()
	if err != nil || len(all) <= keepSnapshots {
		return err
	}
	var errs []error
	for _, s := range all[keepSnapshots:] {
		errs = append(errs, l.home.machine.Remove(s.Path))
	}
	return errors.Join(errs...)
}
