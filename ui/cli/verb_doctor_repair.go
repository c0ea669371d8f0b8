package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vise/model"
	"vise/store/home"
)

// repair mends what can be mended without asking: nothing of it loses anything.
func (a *app) repair(ctx context.Context, d *home.Home, out *checkup) {
	out.mended("repair index", func() (string, error) {
		h, err := d.Ledger().Rebuild(ctx)
		return fmt.Sprintf("%d derived rows were made anew", h.Derived), err
	})
	out.mended("repair journal", func() (string, error) {
		h, err := d.Ledger().CheckCopy(ctx)
		if err != nil || len(h.Problems) == 0 && h.Behind == 0 {
			return "the copy of the history needed nothing", err
		}
		if len(h.Problems) == 0 {
			return fmt.Sprintf("%d changes were copied", h.Behind), d.Ledger().CatchUp(ctx)
		}
		return "the copy of the history was written anew, the old one kept aside", d.Ledger().MendCopy(ctx)
	})
	out.mended("repair leases", func() (string, error) { return a.repairLeases(ctx, d) })
	out.mended("repair spool", func() (string, error) {
		n, err := d.TakeQueue(ctx)
		return fmt.Sprintf("%d entries were taken in", n), err
	})
	out.mended("repair left-overs", func() (string, error) {
		n, err := clearLeftOvers(d.Dir(), a.now())
		return fmt.Sprintf("%d unfinished files were removed", n), err
	})
}

// mended does one repair and tells what came of it.
func (c *checkup) mended(name string, do func() (string, error)) {
	said, err := do()
	c.note(name, err, said)
}

// repairModes takes away what others may do in a home. Links are not followed.
func repairModes(dir string) (string, error) {
	n := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 || info.Mode().Perm()&0o077 == 0 {
			return err
		}
		n++
		return os.Chmod(path, info.Mode().Perm()&^0o077)
	})
	return fmt.Sprintf("%d files and directories were made private", n), err
}

// repairLeases has the scheduler's own sweep end the turns whose lease ran out.
func (a *app) repairLeases(ctx context.Context, d *home.Home) (string, error) {
	var stale []model.AgentID
	err := d.View(ctx, func(r model.Reader) error {
		for _, x := range r.Agents("", maxAgents) {
			if x.Turn != nil && !x.Turn.Runs(a.now()) {
				stale = append(stale, x.ID)
			}
		}
		return nil
	})
	for _, id := range stale {
		_, tickErr := d.Apply(ctx, model.Envelope{Key: newKey(), Actor: model.Scheduler, Agent: id, Command: model.Tick{AgentID: id}})
		err = errors.Join(err, tickErr)
	}
	return fmt.Sprintf("%d turns whose lease ran out were ended", len(stale)), err
}

// leftOverAge is how old an unfinished file must be before nobody can be at work on it.
const leftOverAge = time.Hour

// leftOvers are the files and drafts that a process left which ended in the middle.
func leftOvers(dir string, now time.Time) []string {
	var out []string
	for _, pattern := range []string{".restoring-*", ".reading-*", "ledger.db.compact", "ledger.db.changed", "ledger.db.new", "home.json.*", "snapshots/.copying-*", "journal/*.new"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, path := range found {
			if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) > leftOverAge {
				out = append(out, path)
			}
		}
	}
	return out
}

func clearLeftOvers(dir string, now time.Time) (int, error) {
	all := leftOvers(dir, now)
	var errs []error
	for _, path := range all {
		errs = append(errs, os.RemoveAll(path))
	}
	return len(all), errors.Join(errs...)
}

// recoverable checks what a restore would have to begin with, and the free space.
func (c *checkup) recoverable(ctx context.Context, a *app, d *home.Home) {
	if all, err := d.Ledger().Home().Snapshots(); err != nil || len(all) == 0 {
		c.note("snapshots", err, "none yet; the journal has all")
	} else {
		c.add("snapshots", true, fmt.Sprintf("%d, the newest of %s at revision %d", len(all), when(all[0].At), all[0].Revision), "")
	}
	if s, err := d.Ledger().Space(); err != nil {
		c.note("space", err, "")
	} else {
		c.add("space", !s.Wasteful(), fmt.Sprintf("the ledger has %s, %s of them free", sizeOf(s.Bytes), sizeOf(s.Free)),
			"vise compact gives them back to the disk")
	}
	for _, x := range conditions(d, d.Conditions(ctx)) {
		c.add(string(x.Code), false, x.Message, x.Hint)
	}
	c.waiting(d.Dir(), a.now())
}

// waiting looks for what somebody left to be done.
func (c *checkup) waiting(dir string, now time.Time) {
	entries, _ := filepath.Glob(filepath.Join(dir, "spool", "*.json"))
	refused, _ := filepath.Glob(filepath.Join(dir, "spool", "refused", "*.json"))
	c.add("spool", len(entries) == 0, fmt.Sprintf("%d entries wait, %d were refused", len(entries), len(refused)),
		"vise doctor --repair takes them in")
	if left := leftOvers(dir, now); len(left) > 0 {
		c.add("left-overs", false, "unfinished: "+model.Text(strings.Join(left, ", ")).String(), "vise doctor --repair removes them")
	}
}
