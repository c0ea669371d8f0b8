package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Scratch is a directory for a file in preparation, such as a copy of a ledger. Its process
// holds a lock on it, so that the next Scratch can delete the directory of a killed process.
type Scratch struct {
	Dir     string
	held    *os.File
	machine *Machine
}

// Scratch creates a directory in parent. Its name begins with prefix.
func (m *Machine) Scratch(parent, prefix string) (*Scratch, error) {
	m.sweep(parent, prefix)
	for range maxOpens {
		dir := filepath.Join(parent, fmt.Sprintf("%s%016x", prefix, rand.Uint64()))
		if err := m.do(Op{Kind: Mkdir, Path: dir}, func() error { return os.Mkdir(dir, dirMode) }); err != nil {
			return nil, err
		}
		// If directories cannot be locked, sweep removes nothing either.
		held, err := lockedDir(dir)
		if err == nil || !errors.Is(err, ErrLocked) && !IsGone(err) {
			return &Scratch{dir, held, m}, nil
		}
	}
	return nil, fmt.Errorf("%s: files that are made there are removed", parent)
}

// sweep deletes the directories whose process has ended.
func (m *Machine) sweep(parent, prefix string) {
	list, _ := ReadDir(parent)
	for _, e := range list {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		if held, err := lockedDir(dir); err == nil {
			_ = (&Scratch{dir, held, m}).Close() // the next sweep tries again
		}
	}
}

// lockedDir opens and locks a directory. It fails if the lock is held, or if the directory was
// deleted meanwhile.
func lockedDir(dir string) (*os.File, error) {
	f, err := OpenDir(dir)
	if err != nil {
		return nil, err
	}
	err = Flock(f, Exclusive|AtOnce)
	if err == nil {
		var held, there fs.FileInfo
		if held, err = f.Stat(); err == nil {
			there, err = os.Lstat(dir)
		}
		if err == nil && !os.SameFile(held, there) {
			err = fs.ErrNotExist
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close deletes the directory with its content.
func (s *Scratch) Close() error {
	if s.held != nil {
		s.held.Close() // before: to remove a directory takes descriptors, and there may be none left
	}
	return s.machine.do(Op{Kind: Remove, Path: s.Dir}, func() error { return os.RemoveAll(s.Dir) })
}
