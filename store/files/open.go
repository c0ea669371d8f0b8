package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Irregular is the error of what cannot be the file that belongs there: a pipe, a socket, a
// device, a directory, a link, or far too many bytes.
type Irregular struct{ Path, Why string }

func (i *Irregular) Error() string { return i.Path + " " + i.Why }

// OpenRegular opens a file of a home, where anybody may have put anything: it waits for no pipe,
// follows no link at the file's own name, and takes a regular file alone.
func OpenRegular(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := openNoFollow(path, flag, mode)
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

// NotRegular is the error of a file that is none.
func NotRegular(path string) error { return &Irregular{path, "is not a regular file"} }

// ReadSmall reads a file of a home, as OpenRegular opens it, of at most so many bytes.
func ReadSmall(path string, most int64) ([]byte, error) {
	f, err := OpenRegular(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	raw := bytes.NewBuffer(make([]byte, 0, min(info.Size(), most)+bytes.MinRead)) // of a long one no copies while it grows
	_, err = raw.ReadFrom(io.LimitReader(f, most+1))
	if err == nil && int64(raw.Len()) > most {
		err = &Irregular{path, fmt.Sprintf("has more than %d bytes", most)}
	}
	if err != nil {
		return nil, err
	}
	return raw.Bytes(), nil
}

// ReadOnly reports whether an error says that something cannot be written, for want of
// permission or because its file system is only read.
func ReadOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// ReadDir is os.ReadDir, which does not wait for a pipe in the directory's place.
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
