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

// Scratch is a directory for a file that is being made, such as a copy of a ledger. Its process
// holds a lock on it, so that whoever makes the next one takes away what a killed one left.
type Scratch struct {
	Dir     string
	held    *os.File
	machine *Machine
}

// Scratch makes a directory in parent, whose name begins with prefix.
func (m *Machine) Scratch(parent, prefix string) (*Scratch, error) {
	m.sweep(parent, prefix)
	for range maxOpens {
		dir := filepath.Join(parent, fmt.Sprintf("%s%016x", prefix, rand.Uint64()))
		if err := m.do(Op{Kind: Mkdir, Path: dir}, func() error { return os.Mkdir(dir, dirMode) }); err != nil {
			return nil, err
		}
		// Where directories cannot be locked, nothing is swept either.
		held, err := lockedDir(dir)
		if err == nil || !errors.Is(err, ErrLocked) && !errors.Is(err, fs.ErrNotExist) {
			return &Scratch{dir, held, m}, nil
		}
	}
	return nil, fmt.Errorf("%s: what is made there is taken away", parent)
}

// sweep takes away the directories whose process is gone.
func (m *Machine) sweep(parent, prefix string) {
	list, _ := ReadDir(parent)
	for _, e := range list {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		if held, err := lockedDir(dir); err == nil {
			_ = (&Scratch{dir, held, m}).Close() // the next one tries again
		}
	}
}

// lockedDir opens and locks a directory that nobody holds, and that is still there then.
func lockedDir(dir string) (*os.File, error) {
	f, err := OpenDir(dir)
	if err != nil {
		return nil, err
	}
	err = lockDir(f)
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

// Close takes the directory away, with what is in it.
func (s *Scratch) Close() error {
	err := s.machine.do(Op{Kind: Remove, Path: s.Dir}, func() error { return os.RemoveAll(s.Dir) })
	if s.held != nil {
		s.held.Close()
	}
	return err
}
