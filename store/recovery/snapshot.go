package recovery

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vise/store"
	"vise/store/files"
	"vise/store/kv"
	"vise/store/transfer"
)

// Snapshot is a copy of a ledger's file at one commit.
type Snapshot struct {
	Path     string    `json:"path"`
	Revision uint64    `json:"revision"`
	At       time.Time `json:"at"`
	Bytes    int64     `json:"bytes"`
	// Plans is the number of plan files in a backup; 0 in a snapshot.
	Plans int `json:"plans,omitempty"`
	// Missing names the files that a backup could not read, with the reason.
	Missing []string `json:"missing,omitempty"`
	// Archived is what a backup does not have of the history, because it is in the archive.
	Archived *transfer.Archive `json:"archived,omitempty"`
}

// Snapshots are taken every hour. The newest three are kept.
const (
	snapshotEvery = time.Hour
	keepSnapshots = 3
	snapshotEnd   = ".db"
)

// Snapshots lists the snapshots in the home, newest first.
func Snapshots(h store.Home) ([]Snapshot, error) {
	entries, err := files.ReadDir(h.Path(store.SnapshotsDir))
	if files.IsGone(err) {
		err = nil
	}
	var out []Snapshot
	for _, e := range entries {
		var s Snapshot
		var at string
		if n, _ := fmt.Sscanf(e.Name(), "%16s-%d.db", &at, &s.Revision); n != 2 || filepath.Ext(e.Name()) != snapshotEnd {
			continue
		}
		t, timeErr := time.Parse(store.FileTime, at)
		info, infoErr := e.Info()
		if timeErr == nil && infoErr == nil {
			s.Path, s.At, s.Bytes = filepath.Join(h.Path(store.SnapshotsDir), e.Name()), t, info.Size()
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Snapshot) int { return b.At.Compare(a.At) })
	return out, err
}

// snapshotDue reports whether the newest snapshot is an hour old, or more than an hour in the future. In a home without snapshots, the
// first is due an hour after its creation.
func snapshotDue(l *store.Ledger) (bool, error) {
	h := l.Home()
	all, err := Snapshots(h)
	if err != nil {
		return false, err
	}
	newest := h.Created
	if len(all) > 0 {
		newest = all[0].At
	}
	age := l.Now().Sub(newest)
	return age >= snapshotEvery || age < -snapshotEvery, nil
}

// TakeSnapshot takes a snapshot now, checks it, and deletes the oldest ones. No process waits for it. A snapshot that fails its check is
// not kept, and then no old one is deleted.
func TakeSnapshot(ctx context.Context, l *store.Ledger) (Snapshot, error) {
	h := l.Home()
	dir := h.Path(store.SnapshotsDir)
	if err := h.Machine.Mkdir(dir); err != nil {
		return Snapshot{}, err
	}
	s, err := copyFile(ctx, l, dir, func(s Snapshot) string {
		return filepath.Join(dir, fmt.Sprintf("%s-%012d%s", s.At.Format(store.FileTime), s.Revision, snapshotEnd))
	}, nil)
	if err != nil {
		return s, store.Explain(store.NoSpaceToCopy(fmt.Errorf("snapshot: %w", err)))
	}
	return s, forgetSnapshots(h)
}

// copyFile copies the ledger into dir, adds to the copy, checks it, and renames it to its final name.
func copyFile(ctx context.Context, l *store.Ledger, dir string, name func(Snapshot) string,
	add func(path string, s *Snapshot) error) (Snapshot, error) {
	h := l.Home()
	scratch, err := h.Machine.Scratch(dir, ".copying-")
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{At: l.Now().UTC().Truncate(time.Second)}
	draft := filepath.Join(scratch.Dir, store.LedgerFile)
	err = transfer.CopyLedger(ctx, l, draft)
	if err == nil && add != nil {
		err = add(draft, &s)
	}
	if err == nil {
		var health store.Health
		health, err = store.Prove(ctx, kv.Copy{Path: draft}, h)
		s.Revision = health.Revision
	}
	if info, statErr := os.Stat(draft); statErr == nil {
		s.Bytes = info.Size()
	}
	if err == nil {
		s.Path = name(s)
		err = h.Machine.Rename(draft, s.Path)
	}
	if err = errors.Join(err, scratch.Close()); err != nil {
		return s, err
	}
	return s, h.Machine.SyncDir(dir)
}

// forgetSnapshots deletes all snapshots except the newest.
func forgetSnapshots(h store.Home) error {
	all, err := Snapshots(h)
	if err != nil || len(all) <= keepSnapshots {
		return err
	}
	for _, s := range all[keepSnapshots:] {
		err = errors.Join(err, h.Machine.Remove(s.Path))
	}
	return err
}

// SnapshotIfDue takes a snapshot if one is due and the ledger is small, and takes the reserve. A process that runs one command calls it.
func SnapshotIfDue(ctx context.Context, l *store.Ledger) error {
	if l.Can.File == nil {
		return nil
	}
	_ = l.Reserve() // a reserve that was given up is taken again when there is space
	if !l.IsSmall() {
		return nil
	}
	return SnapshotHourly(ctx, l)
}

// SnapshotHourly takes a snapshot if one is due, and no other process takes it.
func SnapshotHourly(ctx context.Context, l *store.Ledger) error {
	if due, err := snapshotDue(l); err != nil || !due {
		return err
	}
	lock, err := files.LockAtOnce(l.Home().Dir, "snapshot.lock")
	if errors.Is(err, files.ErrLocked) { // another process takes it
		return nil
	}
	if err != nil {
		return fmt.Errorf("hourly snapshot: %w", err)
	}
	defer lock.Close()
	if due, err := snapshotDue(l); err != nil || !due { // another process took it meanwhile
		return err
	}
	if _, err := TakeSnapshot(ctx, l); err != nil {
		return fmt.Errorf("hourly %w", err)
	}
	return l.Reserve()
}
