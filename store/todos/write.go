package todos

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// tempPrefix marks files on their way; readers do not see them, the next writer removes
// what a crash left.
const tempPrefix = ".vise-new-"

// ErrChanged says that a file was written by someone else since it was read.
var ErrChanged = errors.New("the file was changed meanwhile")

// Steps of a write, in order. A crash at any of them leaves the old file or the new.
const (
	stepCreated = "created"
	stepWritten = "written"
	stepSynced  = "synced"
	stepRenamed = "renamed"
	stepDone    = "done"
)

// replace puts new bytes in the place of a file that was read as was. An editor's own
// write between the two is noticed and wins.
func (s *Session) replace(dir *os.Root, name string, was fs.FileInfo, raw []byte) error {
	temp := tempPrefix + name
	if err := s.stage(dir, temp, raw, was.Mode().Perm()); err != nil {
		return err
	}
	now, err := dir.Lstat(name)
	if err != nil || !same(was, now) {
		_ = dir.Remove(temp)
		return fmt.Errorf("%s: %w", name, ErrChanged)
	}
	if err := dir.Rename(temp, name); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return s.settle(dir)
}

// create writes a file that must not exist yet.
func (s *Session) create(dir *os.Root, name string, raw []byte) error {
	temp := tempPrefix + name
	if err := s.stage(dir, temp, raw, 0o644); err != nil {
		return err
	}
	err := dir.Link(temp, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		// A file system without hard links: the lock is what keeps the name free.
		if _, look := dir.Lstat(name); errors.Is(look, fs.ErrNotExist) {
			err = dir.Rename(temp, name)
		}
	}
	_ = dir.Remove(temp)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return s.settle(dir)
}

// overwrite puts a file in place whatever was there: for caches.
func (s *Session) overwrite(dir *os.Root, name string, raw []byte) error {
	temp := tempPrefix + name
	if err := s.stage(dir, temp, raw, 0o644); err != nil {
		return err
	}
	if err := dir.Rename(temp, name); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return s.settle(dir)
}

func (s *Session) stage(dir *os.Root, temp string, raw []byte, mode fs.FileMode) (err error) {
	_ = dir.Remove(temp)
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return s.gone(err)
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = dir.Remove(temp)
			err = fmt.Errorf("writing %s: %w", strings.TrimPrefix(temp, tempPrefix), err)
		}
	}()
	s.at(stepCreated)
	if _, err = f.Write(raw); err != nil {
		return err
	}
	s.at(stepWritten)
	if err = s.sync(f); err != nil {
		return err
	}
	s.at(stepSynced)
	return nil
}

// settle makes the renaming itself durable.
func (s *Session) settle(dir *os.Root) error {
	s.at(stepRenamed)
	d, err := dir.Open(".")
	if err != nil {
		return s.gone(err)
	}
	defer d.Close()
	if err := s.sync(d); err != nil {
		return fmt.Errorf("session %s: %w", s.Rel, err)
	}
	s.at(stepDone)
	return nil
}

// sweepTemps removes what a crashed writer left. Only the lock's holder may.
func sweepTemps(dir *os.Root) {
	names, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return
	}
	for _, n := range names {
		if strings.HasPrefix(n.Name(), tempPrefix) {
			_ = dir.Remove(n.Name())
		}
	}
}
