package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Irregular is the error for a file that is not usable in its place: a pipe, a socket, a device,
// a directory, a link, or a file with far too many bytes.
type Irregular struct{ Path, Why string }

func (i *Irregular) Error() string { return i.Path + " " + i.Why }

// OpenRegular opens a file of a home, where any program of the user may have put anything. It
// does not wait for a pipe, does not follow a link at the file's own name, and accepts only a
// regular file. A file that it creates is for its owner alone.
func OpenRegular(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|NoFollow|syscall.O_NONBLOCK, fileMode)
	if err != nil {
		if info, statErr := os.Lstat(path); statErr == nil && !info.Mode().IsRegular() {
			err = NotRegular(path)
		}
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errors.Join(err, NotRegular(path))
	}
	return f, nil
}

// NotRegular is the error for a file that is not regular.
func NotRegular(path string) error { return &Irregular{path, "is not a regular file"} }

// ReadSmall reads a file of a home. It opens the file with OpenRegular. A file of more than
// most bytes is an error.
func ReadSmall(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	raw := bytes.NewBuffer(make([]byte, 0, min(info.Size(), most)+bytes.MinRead)) // large enough that it never grows and copies
	_, err = raw.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && int64(raw.Len()) > most {
		err = &Irregular{path, fmt.Sprintf("has more than %d bytes", most)}
	}
	if err != nil {
		return nil, err
	}
	return raw.Bytes(), nil
}

// ReadLinked is ReadSmall, but follows links: it is for files that are not in a home. real is the
// file that path leads to, or path if there is none.
func ReadLinked(path string, most int64) (real string, raw []byte, err error) {
	if real, err = filepath.EvalSymlinks(path); err != nil {
		return path, nil, err
	}
	raw, err = ReadSmall(real, most)
	return real, raw, err
}

// ReadOnly reports whether an error means that a file cannot be written, because permission is
// missing or the file system is read-only.
func ReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// ReadDir is os.ReadDir, except that it does not wait for a pipe in place of the directory.
func ReadDir(path string) ([]fs.DirEntry, error) {
	d, err := OpenDir(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	list, err := d.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}
