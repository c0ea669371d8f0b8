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

	"vise/model"
	"vise/store/files"
	"vise/store/kv"
)

// Snapshot is a copy of a ledger's file at one commit.
type Snapshot struct {
	Path     string    `json:"path"`
	Revision uint64    `json:"revision"`
	At       time.Time `json:"at"`
	Bytes    int64     `json:"bytes"`
	// Plans is the number of plan files in a backup; 0 in a snapshot.
	Plans int `json:"plans,omitempty"`
	// Archived is what the copy does not have of the history, because it is in the archive of a ledger on a cluster.
	Archived *Archive `json:"archived,omitempty"`
}

// Snapshots are taken every hour. The newest three are kept.
const (
	snapshotEvery = time.Hour
	keepSnapshots = 3
	snapshotTime  = "20060102T150405Z"
	snapshotEnd   = ".db"
)

// Snapshots lists the snapshots in the home, newest first.
func (h home) Snapshots() ([]Snapshot, error) {
	entries, err := files.ReadDir(h.path(snapshotsDir))
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

// snapshotDue reports whether the newest snapshot is an hour old, or more than an hour in the future. In a home without snapshots, the
// first is due an hour after its creation.
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

// Snapshot takes a snapshot now, checks it, and deletes the oldest ones. No process waits for it. A snapshot that fails its check is not
// kept, and then no old one is deleted.
func (l *Ledger) Snapshot(ctx context.Context) (Snapshot, error) {
	dir := l.home.path(snapshotsDir)
	if err := l.home.machine.Mkdir(dir); err != nil {
		return Snapshot{}, err
	}
	s, err := l.copyFile(ctx, dir, func(s Snapshot) string {
		return filepath.Join(dir, fmt.Sprintf("%s-%012d%s", s.At.Format(snapshotTime), s.Revision, snapshotEnd))
	}, nil)
	if err != nil {
		return s, explain(noSpaceToCopy(fmt.Errorf("snapshot: %w", err)))
	}
	return s, l.forgetSnapshots()
}

// noSpaceToCopy turns the error of a full disk into one about the copy.
func noSpaceToCopy(err error) error {
	if !kv.Full(err) {
		return err
	}
	return model.Refuse(model.CodeFull, "there is no space for a copy of the ledger").Because(err).
		WithHint("free some space, or name another place: TMPDIR for a proof, another FILE for a backup")
}

// copyFile copies the ledger into dir, adds to the copy, checks it, and renames it to its final name.
func (l *Ledger) copyFile(ctx context.Context, dir string, name func(Snapshot) string,
	add func(path string) (plans int, err error)) (Snapshot, error) {
	scratch, err := l.home.machine.Scratch(dir, ".copying-")
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{At: l.Now().UTC().Truncate(time.Second)}
	draft := filepath.Join(scratch.Dir, ledgerFile)
	err = l.copyLedger(ctx, draft)
	if err == nil && add != nil {
		s.Plans, err = add(draft)
	}
	if err == nil {
		var health Health
		health, err = prove(ctx, kv.Copy{Path: draft}, l.home)
		s.Revision = health.Revision
	}
	if info, statErr := os.Stat(draft); statErr == nil {
		s.Bytes = info.Size()
	}
	if err == nil {
		s.Path = name(s)
		err = l.home.machine.Rename(draft, s.Path)
	}
	if err = errors.Join(err, scratch.Close()); err != nil {
		return s, err
	}
	return s, l.home.machine.SyncDir(dir)
}

// copyLedger makes a new ledger file of the ledger as it is now.
func (l *Ledger) copyLedger(ctx context.Context, path string) error {
	if l.can.File == nil {
		return l.copyKeys(ctx, path)
	}
	f, err := l.home.machine.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	return errors.Join(l.can.File.CopyTo(ctx, f), f.Sync(), f.Close())
}

// prove checks the ledger on a backend. Any problem that a rebuild cannot correct is an error.
func prove(ctx context.Context, b Backend, h home) (Health, error) {
	l := newLedger(b, nil)
	l.home = h
	health, err := l.Check(ctx)
	if err == nil && health.Found > health.Derived {
		err = kv.Damaged("prove", fmt.Sprintf("%d problems, the first: %s", health.Found-health.Derived, health.Problems[0]))
	}
	return health, err
}

// forgetSnapshots deletes all snapshots except the newest.
func (l *Ledger) forgetSnapshots() error {
	all, err := l.home.Snapshots()
	if err != nil || len(all) <= keepSnapshots {
		return err
	}
	for _, s := range all[keepSnapshots:] {
		err = errors.Join(err, l.home.machine.Remove(s.Path))
	}
	return err
}

// ReadCopy calls fn with the ledger as it is now, for a long read. No process waits for it, and it works while a stopped process holds the
// lock.
func (l *Ledger) ReadCopy(ctx context.Context, fn func(*Ledger) error) error {
	c, err := l.backend.ReadCopy(ctx)
	if err != nil {
		return explain(noSpaceToCopy(err))
	}
	z := newLedger(c, nil)
	z.Now, z.NewID, z.home, z.steps = l.Now, l.NewID, l.home, l.steps
	err = fn(z)
	return errors.Join(err, z.Close())
}

// viewFile reads the ledger file at path, even while other processes use it.
func viewFile(path string, fn func(*facts) error) error {
	return kv.Copy{Path: path}.View(context.Background(), func(t Txn) error { return fn(newFacts(t)) })
}
