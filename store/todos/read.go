package todos

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"vise/model/todo"
)

// maxTodoBytes bounds what is read of one todo file.
const maxTodoBytes = 1 << 20

// content is a file as it was read, and what the file system said of it then.
type content struct {
	raw  []byte
	info fs.FileInfo
}

// readFile reads a regular file of a directory, once and whole. It follows no link, waits
// for no pipe, and notices a file that is replaced or written while it is read.
func readFile(dir *os.Root, name string, limit int64) (content, error) {
	for range 3 {
		c, err := readOnce(dir, name, limit)
		var d *Damage
		if !errors.As(err, &d) || d.Rule != todo.RuleChanging {
			return c, err
		}
	}
	return content{}, damaged(todo.RuleChanging, "the file changes while it is read")
}

func readOnce(dir *os.Root, name string, limit int64) (content, error) {
	before, err := dir.Lstat(name)
	if err != nil {
		return content{}, unreadable(err)
	}
	switch {
	case before.Mode()&fs.ModeSymlink != 0:
		return content{}, damaged(todo.RuleSymlink, "the file is a symbolic link, which is not followed")
	case !before.Mode().IsRegular():
		return content{}, damaged(todo.RuleNotRegular, "it is not a regular file")
	case before.Size() > limit:
		return content{}, damaged(todo.RuleTooLarge, "the file has %d bytes; up to %d are read", before.Size(), limit)
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return content{}, unreadable(err)
	}
	defer f.Close()
	raw := make([]byte, before.Size()+1)
	n, err := io.ReadFull(f, raw)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return content{}, unreadable(err)
	}
	after, err := f.Stat()
	if err != nil {
		return content{}, unreadable(err)
	}
	if int64(n) != before.Size() || !same(before, after) {
		return content{}, damaged(todo.RuleChanging, "the file changed while it was read")
	}
	return content{raw[:n], after}, nil
}

// same reports whether two looks saw one file in one state.
func same(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func unreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return damaged(todo.RuleUnreadable, "the file cannot be read: %s", err.Error())
}
