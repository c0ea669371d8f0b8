package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// WriteAtomic replaces the content of the file at path, so that any reader and any crash
// sees the old content or the new, whole. The file keeps its permissions; a new one has
// 0600. The directory must exist. What is there and is not a regular file, a symbolic
// link included, is refused: replacing a link would cut it, following it might lead out.
func WriteAtomic(path string, data []byte) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer dir.Close()
	return WriteAtomicIn(dir, filepath.Base(path), data)
}

// WriteAtomicIn is WriteAtomic for a file below root, which no part of name can lead out of.
func WriteAtomicIn(root *os.Root, name string, data []byte) error {
	dir, err := root.OpenRoot(filepath.Dir(name) + "/.")
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	defer dir.Close()
	if err := replace(dir, filepath.Base(name), data); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

func replace(dir *os.Root, name string, data []byte) error {
	mode := fileMode
	old, err := dir.Lstat(name)
	switch {
	case err == nil && !old.Mode().IsRegular():
		return fmt.Errorf("%w: not a regular file", fs.ErrInvalid)
	case err == nil:
		mode = old.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temp, err := writeTemp(nil, dir, data, mode, true)
	if err != nil {
		return err
	}
	if err := dir.Rename(temp, name); err != nil {
		dir.Remove(temp)
		return err
	}
	return syncDir(dir)
}

// writeTemp writes data to a new file in dir, on the disk if sync, and returns its name.
// After an error nothing is left of it.
func writeTemp(m *Machine, dir *os.Root, data []byte, mode fs.FileMode, sync bool) (string, error) {
	name := fmt.Sprintf(".vise-%016x.tmp", rand.Uint64())
	if err := m.Before(Op{Kind: Create, Path: name}); err != nil {
		return "", err
	}
	file, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return "", err
	}
	f := m.File(file)
	_, err = f.Write(data)
	if err == nil && mode != fileMode {
		err = f.Chmod(mode)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		if m.Before(Op{Kind: Remove, Path: name}) == nil {
			dir.Remove(name)
		}
		return "", err
	}
	return name, nil
}

// syncDir puts the entries of dir on the disk: without it a new name may not outlive a
// power cut, although its file would.
func syncDir(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
