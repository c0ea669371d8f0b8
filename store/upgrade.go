package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"vise/store/files"
)

// Before firstSchema a ledger had no parts: one chain of commits for all agents, each event under a key of its own, and records under their
// ids alone. Such a ledger is made anew in a file beside it: its history is written in the new layout, and with the last change of each
// record that record and what derives from it. What the new file has is compared with what was written. The old file is kept aside.

// firstSchema is the oldest schema that this program can change in place.
const firstSchema = 8

const aboutUpgrade = "a history and a head for each agent: the ledger is made anew, and the old file is kept aside"

// upgradeFile gives a file of an older ledger this program's layout. Nobody else uses the file.
func upgradeFile(ctx context.Context, m *files.Machine, path string) error {
	draft := path + ".upgraded"
	if done, err := remake(ctx, m, path, draft); err != nil || !done {
		return err
	}
	return m.Rename(draft, path)
}

// Older reports whether the home says that its ledger is to be made anew. It reads nothing.
func (l *Ledger) Older() bool { return l.home.Format == 1 }

// makeAnew makes an older ledger anew, under its lock. An upgrade that ends early leaves the ledger as it was.
func (l *Ledger) makeAnew(ctx context.Context) error {
	b, ok := l.backend.(*Bolt)
	if !ok {
		return nil
	}
	if err := b.lock.Acquire(ctx); err != nil {
		return err
	}
	defer b.lock.Release()
	scratch, err := l.home.machine.Scratch(l.home.Dir, ".reading-") // the next copy for a long read takes away what a killed upgrade left
	if err != nil {
		return err
	}
	draft := filepath.Join(scratch.Dir, ledgerFile)
	done, err := remake(ctx, l.home.machine, b.path, draft)
	if err == nil && done { // otherwise another process made it
		err = l.takeUpgraded(draft)
	}
	return errors.Join(err, scratch.Close())
}

// takeUpgraded puts the upgraded ledger in the place of the older one. Its copy of the history is made anew, too.
func (l *Ledger) takeUpgraded(draft string) error {
	h, err := openHome(l.home.machine, l.home.Dir)
	if err != nil {
		return err
	}
	h.Format = homeFormat // an older program now refuses the home
	path, aside := h.path(ledgerFile), h.asidePath("ledger-before-upgrade", snapshotEnd)
	for _, step := range []func() error{
		h.save,
		func() error { return h.machine.Mkdir(filepath.Dir(aside), dirMode) },
		func() error { return os.Link(path, aside) },
		func() error { return l.journal.setAside(h.asidePath("journal-before-upgrade", "")) },
		func() error { return h.machine.Rename(draft, path) },
		func() error { return h.machine.SyncDir(h.Dir) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
