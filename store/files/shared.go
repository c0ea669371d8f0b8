package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"vise/model"
)

// Directories that vise shares with other programs and with editors: nothing in them is
// trusted to be what its name says, no link is followed, no pipe is waited for.

// Below opens a directory below root and makes it if create says so and it is missing. It
// must be a directory itself; between looking and opening it could be replaced, so the two
// are compared.
func Below(root *os.Root, name string, create bool) (*os.Root, error) {
	entry, err := root.Lstat(name)
	if create && errors.Is(err, fs.ErrNotExist) {
		if err := root.Mkdir(name, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		entry, err = root.Lstat(name)
	}
	if err != nil {
		return nil, err
	}
	if !entry.IsDir() {
		return nil, NotPlain(name)
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(entry, opened) {
		next.Close()
		return nil, NotPlain(name)
	}
	return next, nil
}

// NotPlain refuses what is neither a regular file nor a directory.
func NotPlain(name string) error {
	return model.Refuse(model.CodeRefused, "%s is not a plain file or directory", model.Text(name)).
		WithHint("links are not followed; replace it by the real thing")
}

// maxOpens bounds how often a file is opened again because it was replaced just then.
const maxOpens = 100

// OpenPlain opens a regular file, never through a link: what the name stands for before
// and what was opened are the same file.
func OpenPlain(dir *os.Root, name string, flag int) (*os.File, error) {
	for range maxOpens {
		f, replaced, err := openOnce(dir, name, flag)
		if !replaced {
			return f, err
		}
	}
	return nil, NotPlain(name)
}

func openOnce(dir *os.Root, name string, flag int) (f *os.File, replaced bool, err error) {
	before, err := dir.Lstat(name)
	absent := errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0
	switch {
	case absent:
		flag |= os.O_EXCL
	case err != nil:
		return nil, false, err
	case !before.Mode().IsRegular():
		return nil, false, NotPlain(name)
	}
	f, err = dir.OpenFile(name, flag|syscall.O_NONBLOCK, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	opened, err := f.Stat()
	if err != nil || !absent && !os.SameFile(before, opened) {
		f.Close()
		return nil, err == nil, err
	}
	return f, false, nil
}

// LockBy takes the lock that the file called name stands for; closing the file gives it back,
// and so does the death of the process. It waits in the kernel's queue, so that nobody
// starves, until ctx ends; then the error has code busy and names the holder. The lock file
// is never replaced or deleted by vise; if somebody else did meanwhile, the lock is taken
// again. What is locked is said in the error.
func LockBy(ctx context.Context, dir *os.Root, name, what string) (*os.File, error) {
	for {
		f, err := lockOnce(ctx, dir, name, what)
		if err != nil {
			return nil, err
		}
		held, err1 := f.Stat()
		there, err2 := dir.Lstat(name)
		if err1 == nil && err2 == nil && os.SameFile(held, there) {
			sign(f)
			return f, nil
		}
		f.Close()
		if err := ctx.Err(); err != nil {
			return nil, model.Refuse(model.CodeBusy, "the lock of %s keeps being replaced", what).Because(err)
		}
	}
}

func lockOnce(ctx context.Context, dir *os.Root, name, what string) (*os.File, error) {
	f, err := OpenPlain(dir, name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	got := make(chan error, 1)
	go func() { got <- Flock(f, Exclusive) }()
	select {
	case err := <-got:
		if err != nil {
			f.Close()
			return nil, err
		}
		return f, nil
	case <-ctx.Done():
		who := heldBy(dir, name)
		// The kernel still has the waiter in its queue; it lets go as soon as it is served.
		go func() { <-got; f.Close() }()
		return nil, model.Refuse(model.CodeBusy, "%s is locked%s", what, who).Because(ctx.Err()).
			WithHint("try again; the files are as before")
	}
}

// holder is who holds a lock, written into its file for those who wait.
type holder struct {
	PID   int    `json:"pid"`
	Since string `json:"since"`
}

// sign says who holds the lock; that it cannot is no reason not to work.
func sign(f *os.File) {
	raw, _ := json.Marshal(holder{PID: os.Getpid(), Since: time.Now().UTC().Format(time.RFC3339)})
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(append(raw, '\n'), 0)
	}
}

// heldBy opens the file again: on Windows, an open file on which somebody waits can do nothing else.
func heldBy(dir *os.Root, name string) string {
	f, err := OpenPlain(dir, name, os.O_RDONLY)
	if err != nil {
		return ""
	}
	defer f.Close()
	buf := make([]byte, 256)
	n, _ := f.ReadAt(buf, 0)
	var h holder
	if json.Unmarshal(buf[:n], &h) != nil || h.PID == 0 {
		return ""
	}
	return fmt.Sprintf(" by process %d since %v", h.PID, model.Text(h.Since))
}
