package threads

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"

	"vise/model"
	"vise/model/thread"
	"vise/store/files"
)

// maxTries bounds how often a command is planned again because a program that does not take the lock changed a file meanwhile.
const maxTries = 20

// Apply judges a command and writes its changes, under the lock. It returns the command's Receipt. An error that is no refusal of the rules
// leaves the threads unchanged, but the log can contain the attempt.
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
	return thread.Receipt{}, model.Busy("another program keeps changing Work State").
		WithHint("try again; the files are as before")
}

// wouldChange judges without the lock. Most refusals, and questions to git, need no lock, and a repository without a Work State must not
// get one.
func (r Repo) wouldChange(c thread.Command, s thread.Stamp) (thread.Change, error) {
	snap, err := r.Read()
	if err != nil {
		return thread.Change{}, err
	}
	defer snap.Close()
	return c.Do(snap, s)
}

// attempt judges c and writes its change. It returns true if a file changed meanwhile and only the log was written. Lines in logged are not
// logged again.
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

// Hooks for tests: after the log is written, and before each swap.
var (
	afterLog   = func() {}
	beforeSwap = func(name string) {}
)

// file is one file to write.
type file struct {
	name string
	raw  []byte
}

// tmp is the temporary name of the file.
func (f file) tmp() string { return f.name + ".tmp" }

// spell turns a change into files before anything is written, so that a thread that cannot be encoded stops the whole change.
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

// moved reports whether a file that the judgement used has changed since.
func (s *Snapshot) moved() bool {
	for name, was := range s.seen {
		now, err := readPlain(s.dir, name)
		gone := files.IsGone(err)
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

// appendLine adds a line to a log in one write. If a crash left an incomplete last line, it is ended first.
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
		// An incomplete line must go: the next line would be joined to it.
		return errors.Join(err, f.Truncate(info.Size()))
	}
	return f.Sync()
}

func torn(f io.ReaderAt, size int64) bool {
	last := make([]byte, 1)
	n, _ := f.ReadAt(last, size-1)
	return size > 0 && n == 1 && last[0] != '\n'
}

// stage writes a file beside its target, to the disk and with the target's permissions. It removes a file that a crash left there: under
// the lock no other process writes it.
func stage(dir *os.Root, f file) error {
	var keep *fs.FileMode
	if info, err := dir.Lstat(f.name); err == nil {
		if !info.Mode().IsRegular() {
			return files.NotPlain(f.name)
		}
		mode := info.Mode().Perm()
		keep = &mode
	}
	if err := files.UnlessGone(dir.Remove(f.tmp())); err != nil {
		return err
	}
	return writeSynced(dir, f.tmp(), f.raw, keep)
}

// swap exchanges the staged file and the target, so that the old target can still be read. If the file system cannot exchange files, it
// renames.
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

// settle makes a swap durable and reads the file that was swapped out. If it is not the file that was judged, another program saved between
// comparison and swap. That file is kept beside the target, complete even if its writer has not finished, and settle returns its name.
func settle(dir *os.Root, f file, was []byte) (kept string, err error) {
	if err := syncDirs(dir, f.name); err != nil {
		return "", err
	}
	out, err := readPlain(dir, f.tmp())
	if files.IsGone(err) || err == nil && bytes.Equal(out, was) {
		return "", files.UnlessGone(dir.Remove(f.tmp()))
	}
	kept, err = freeName(dir, f.name, conflictSuffix)
	if err != nil {
		return "", err
	}
	return kept, errors.Join(dir.Rename(f.tmp(), kept), syncDirs(dir, f.name))
}

// writeSynced creates a file with the permissions keep, or, if keep is nil, with those that the umask leaves.
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

// SetAside renames a thread's files, under the lock. It deletes nothing.
func (r Repo) SetAside(ctx context.Context, id thread.ID) error {
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
	for _, name := range []string{threadFile(id), logFile(id)} {
		if err := setAside(dir, name); err != nil {
			return r.explain("set "+name+" aside", err)
		}
	}
	return nil
}

func setAside(dir *os.Root, name string) error {
	if _, err := dir.Lstat(name); files.IsGone(err) {
		return nil
	}
	to, err := freeName(dir, name, asideSuffix)
	if err != nil {
		return err
	}
	return errors.Join(dir.Rename(name, to), syncDirs(dir, name))
}

// freeName returns a free name for a copy of a file: the file's name, as, and a number if that name is taken.
func freeName(dir *os.Root, name, as string) (string, error) {
	to := name + "." + as
	for n := 1; ; n++ {
		if _, err := dir.Lstat(to); files.IsGone(err) {
			return to, nil
		} else if err != nil {
			return "", err
		}
		to = fmt.Sprintf("%s.%s-%d", name, as, n)
	}
}
