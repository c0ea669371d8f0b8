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

// The functions below are for directories that vise shares with other programs and with editors. They trust no name, follow no link and
// wait for no pipe.

// Below opens a directory below root. With create, it creates a missing one. The name must belong to a directory itself, not to a link.
// Because another program could replace it between the check and the open, the two are compared. With "/.", the kernel opens name with
// O_DIRECTORY, so that it refuses a named pipe at once and does not wait for it.
func Below(root *os.Root, name string, create bool) (*os.Root, error) {
	entry, err := root.Lstat(name)
	if create && IsGone(err) {
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
	next, err := root.OpenRoot(name + "/.")
	if err != nil {
		return nil, err
	}
	if opened, err := next.Stat("."); err != nil || !os.SameFile(entry, opened) {
		next.Close()
		return nil, NotPlain(name)
	}
	return next, nil
}

// NotPlain is the error for a name that is neither a regular file nor a directory.
func NotPlain(name string) error {
	return model.Refused("%s is not a plain file or directory", model.Text(name)).
		WithHint("links are not followed; replace it by the file or directory itself")
}

// maxOpens is how often a file is opened again because it was replaced at that moment.
const maxOpens = 100

// OpenPlain opens a regular file, never through a link: it compares the file behind the name with the opened file.
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
	absent := IsGone(err) && flag&os.O_CREATE != 0
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

// LockBy takes the lock on the file name. Closing the file releases it, and so does the end of the process. LockBy waits in the kernel's
// queue, so that no process starves, until ctx ends; then the error has code busy and names the holder. vise never replaces or deletes the
// lock file; if another program did meanwhile, LockBy takes the lock again. what describes the locked thing in the error.
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
			return nil, model.Busy("the lock of %s keeps being replaced", what).Because(err)
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
		who := heldBy(f)
		// The waiter is still in the kernel's queue. It closes the file as soon as it has the lock.
		go func() { <-got; f.Close() }()
		return nil, model.Busy("%s is locked%s", what, who).Because(ctx.Err()).
			WithHint("try again; the files are as before")
	}
}

// holder describes the holder of a lock. The holder writes it into the lock's file for processes that wait.
type holder struct {
	PID   int    `json:"pid"`
	Since string `json:"since"`
}

// sign writes the holder into the file. It ignores a failure.
func sign(f *os.File) {
	raw, _ := json.Marshal(holder{PID: os.Getpid(), Since: time.Now().UTC().Format(time.RFC3339)})
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(append(raw, '\n'), 0)
	}
}

// heldBy reads the holder.
func heldBy(f *os.File) string {
	buf := make([]byte, 256)
	n, _ := f.ReadAt(buf, 0)
	var h holder
	if json.Unmarshal(buf[:n], &h) != nil || h.PID == 0 {
		return ""
	}
	return fmt.Sprintf(" by process %d since %v", h.PID, model.Text(h.Since))
}
