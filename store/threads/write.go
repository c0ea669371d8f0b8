package threads

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"vise/model"
	"vise/model/thread"
	"vise/store/files"
)

// maxTries bounds how often a command is planned again because somebody who does not take
// the lock changed a file meanwhile.
const maxTries = 20

// Apply judges a command and writes what it changes, under the lock. The Receipt is the
// command's; an error that is no refusal of the rules leaves the threads as they were,
// though the log may tell of the attempt.
func (r Repo) Apply(ctx context.Context, c thread.Command, s thread.Stamp) (thread.Receipt, error) {
	ready, err := r.wouldChange(c, s)
	if err != nil {
		return thread.Receipt{}, err
	}
	if ready.Empty() {
		return ready.Receipt, nil
	}
	dir, err := r.make()
	if err != nil {
		return thread.Receipt{}, err
	}
	defer dir.Close()
	lock, err := r.lock(ctx, dir)
	if err != nil {
		return thread.Receipt{}, err
	}
	defer lock.Close()
	logged := map[string]bool{}
	for range maxTries {
		answer, again, err := r.attempt(dir, c, s, logged)
		if err != nil || !again {
			return answer, err
		}
	}
	return thread.Receipt{}, model.Refuse(model.CodeBusy, "another program keeps changing Work State").
		WithHint("try again; the files are as before")
}

// wouldChange judges without the lock: most refusals, and what must be asked of git
// first, need none, and a repository without Work State stays without.
func (r Repo) wouldChange(c thread.Command, s thread.Stamp) (thread.Change, error) {
	snap, err := r.Read()
	if err != nil {
		return thread.Change{}, err
	}
	defer snap.Close()
	return c.Do(snap, s)
}

// attempt judges c and writes its change; again says that a file moved under it and
// nothing was written but the log. What is in logged already is not logged again.
func (r Repo) attempt(dir *os.Root, c thread.Command, s thread.Stamp, logged map[string]bool) (thread.Receipt, bool, error) {
	snap, err := r.snapshot(dir)
	if err != nil {
		return thread.Receipt{}, false, err
	}
	change, err := c.Do(snap, s)
	if err != nil {
		return thread.Receipt{}, false, err
	}
	spelled, err := spell(change)
	if err != nil {
		return thread.Receipt{}, false, err
	}
	if snap.moved() {
		return thread.Receipt{}, true, nil
	}
	for _, f := range spelled {
		defer dir.Remove(f.tmp())
		if err := stage(dir, f); err != nil {
			return thread.Receipt{}, false, r.explain("write "+f.name, err)
		}
	}
	if err := r.log(dir, change.Events, logged); err != nil {
		return thread.Receipt{}, false, err
	}
	afterLog()
	if snap.moved() {
		return thread.Receipt{}, true, nil
	}
	for _, f := range spelled {
		beforeSwap(f.name)
		if err := swap(dir, f); err != nil {
			return thread.Receipt{}, false, r.explain("write "+f.name, err)
		}
	}
	for _, f := range spelled {
		kept, err := settle(dir, f, snap.seen[f.name])
		if err != nil {
			return thread.Receipt{}, false, r.explain("write "+f.name, err)
		}
		if kept != "" {
			change.Receipt.Kept = append(change.Receipt.Kept, model.Text(kept))
		}
	}
	return change.Receipt, false, nil
}

// A test's ways in: between the log and the last comparison, between that and the swap.
var (
	afterLog   = func() {}
	beforeSwap = func(name string) {}
)

// file is one file to write.
type file struct {
	name string
	raw  []byte
}

// tmp is where the file is made ready.
func (f file) tmp() string { return f.name + ".tmp" }

// spell turns a change into files before anything is written, so that a thread that
// cannot be spelled stops the whole change.
func spell(c thread.Change) ([]file, error) {
	var out []file
	for _, t := range c.Threads {
		raw, err := t.Write()
		if err != nil {
			return nil, err
		}
		out = append(out, file{threadFile(t.ID), raw})
	}
	if c.Point != nil {
		out = append(out, file{pointer, c.Point.Write()})
	}
	return out, nil
}

// moved reports whether a file that the command was judged by differs by now.
func (s *Snapshot) moved() bool {
	for name, was := range s.seen {
		now, err := readPlain(s.dir, name)
		gone := errors.Is(err, fs.ErrNotExist)
		if err != nil && !gone || gone != (was == nil) || !bytes.Equal(now, was) {
			return true
		}
	}
	return false
}

func (r Repo) log(dir *os.Root, events []thread.Event, logged map[string]bool) error {
	for _, e := range events {
		line := e.Line()
		if logged[string(line)] {
			continue
		}
		if err := appendLine(dir, logFile(e.Thread), line); err != nil {
			return r.explain("write the log of "+string(e.Thread), err)
		}
		logged[string(line)] = true
	}
	return nil
}

// appendLine adds a line to a log in one write. A line that a crash tore is ended first.
func appendLine(dir *os.Root, name string, line []byte) error {
	f, err := files.OpenPlain(dir, name, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if torn(f, info.Size()) {
		line = append([]byte{'\n'}, line...)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		// Half a line is worse than none: the next one would be joined to it.
		return errors.Join(err, f.Truncate(info.Size()))
	}
	return f.Sync()
}

func torn(f io.ReaderAt, size int64) bool {
	last := make([]byte, 1)
	n, _ := f.ReadAt(last, size-1)
	return size > 0 && n == 1 && last[0] != '\n'
}

// replace puts a file in the place of what held was.
func replace(dir *os.Root, f file, was []byte) error {
	defer dir.Remove(f.tmp())
	if err := stage(dir, f); err != nil {
		return err
	}
	if err := swap(dir, f); err != nil {
		return err
	}
	_, err := settle(dir, f, was)
	return err
}

// stage makes a file ready beside its place, on the disk and with the permissions of what
// it replaces. What a crash left of an earlier one goes: the lock is held, so nobody is
// writing it.
func stage(dir *os.Root, f file) error {
	var keep *fs.FileMode
	if info, err := dir.Lstat(f.name); err == nil {
		if !info.Mode().IsRegular() {
			return files.NotPlain(f.name)
		}
		mode := info.Mode().Perm()
		keep = &mode
	}
	if err := ignoreMissing(dir.Remove(f.tmp())); err != nil {
		return err
	}
	return writeSynced(dir, f.tmp(), f.raw, keep)
}

// swap lets the staged file and the one in its place change names, so that what was there
// can still be looked at. A file system that cannot do it renames.
func swap(dir *os.Root, f file) error {
	d, err := dir.Open(path.Dir(f.name))
	if err != nil {
		return err
	}
	defer d.Close()
	if files.Exchange(d, path.Base(f.tmp()), path.Base(f.name)) != nil {
		return dir.Rename(f.tmp(), f.name)
	}
	return nil
}

// settle makes a swap last and looks at what was swapped out. If that is not what the
// command was judged by, somebody saved between comparison and swap: it is kept beside the
// file, whole even if its writer is not done, under the name that settle returns.
func settle(dir *os.Root, f file, was []byte) (kept string, err error) {
	if err := syncDirs(dir, f.name); err != nil {
		return "", err
	}
	out, err := readPlain(dir, f.tmp())
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Equal(out, was) {
		return "", ignoreMissing(dir.Remove(f.tmp()))
	}
	kept, err = freeName(dir, f.name, conflictSuffix)
	if err != nil {
		return "", err
	}
	return kept, errors.Join(dir.Rename(f.tmp(), kept), syncDirs(dir, f.name))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// writeSynced makes a file with exactly the permissions of keep, or with those that the
// user's mask leaves.
func writeSynced(dir *os.Root, name string, raw []byte, keep *fs.FileMode) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if keep != nil {
		err = f.Chmod(*keep)
	}
	if err == nil {
		_, err = f.Write(raw)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

func syncDirs(dir *os.Root, name string) error {
	d, err := dir.Open(path.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// SetAside renames a thread's files out of the way, under the lock; nothing is deleted.
func (r Repo) SetAside(ctx context.Context, id thread.ID) error {
	return r.locked(ctx, func(dir *os.Root) error {
		for _, name := range []string{threadFile(id), logFile(id)} {
			if err := setAside(dir, name); err != nil {
				return r.explain("set "+name+" aside", err)
			}
		}
		return nil
	})
}

func (r Repo) locked(ctx context.Context, do func(*os.Root) error) error {
	dir, err := r.open()
	if err != nil {
		return err
	}
	defer dir.Close()
	lock, err := r.lock(ctx, dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	return do(dir)
}

func setAside(dir *os.Root, name string) error {
	if _, err := dir.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	to, err := freeName(dir, name, asideSuffix)
	if err != nil {
		return err
	}
	return errors.Join(dir.Rename(name, to), syncDirs(dir, name))
}
