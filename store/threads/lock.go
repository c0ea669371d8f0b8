package threads

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"vise/model"
)

// holder is who holds the lock, written into the lock file for those who wait.
type holder struct {
	PID   int    `json:"pid"`
	Since string `json:"since"`
}

// lock takes the repository's write lock. It waits in the kernel's queue, so that nobody
// starves, until ctx ends; then the error has code busy and names the holder. The lock
// file is never replaced or deleted by vise, and the kernel frees the lock of a dead
// process; if somebody else deleted the file meanwhile, the lock is taken again.
func (r Repo) lock(ctx context.Context, dir *os.Root) (*os.File, error) {
	for {
		f, err := r.lockOnce(ctx, dir)
		if err != nil {
			return nil, err
		}
		held, err1 := f.Stat()
		there, err2 := dir.Lstat(lockFile)
		if err1 == nil && err2 == nil && os.SameFile(held, there) {
			return signed(f), nil
		}
		f.Close()
		if err := ctx.Err(); err != nil {
			return nil, model.Refuse(model.CodeBusy, "the lock of Work State keeps being replaced").Because(err)
		}
	}
}

func (r Repo) lockOnce(ctx context.Context, dir *os.Root) (*os.File, error) {
	f, err := openPlain(dir, lockFile, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, r.explain("open the lock", err)
	}
	got := make(chan error, 1)
	go func() { got <- flock(f) }()
	select {
	case err := <-got:
		if err != nil {
			f.Close()
			return nil, r.explain("lock Work State", err)
		}
		return f, nil
	case <-ctx.Done():
		who := readHolder(f)
		go abandon(f, got)
		return nil, model.Refuse(model.CodeBusy, "Work State is locked%s", who).Because(ctx.Err()).
			WithHint("try again; the files are as before")
	}
}

func flock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != unix.EINTR {
			return err
		}
	}
}

// abandon gives back a lock that arrives after its caller left. It ends with the wait.
func abandon(f *os.File, got <-chan error) {
	<-got
	f.Close()
}

// signed writes the holder into the lock file; that it cannot is no reason not to work.
func signed(f *os.File) *os.File {
	raw, _ := json.Marshal(holder{PID: os.Getpid(), Since: time.Now().UTC().Format(time.RFC3339)})
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt(append(raw, '\n'), 0)
	}
	return f
}

func readHolder(f *os.File) string {
	buf := make([]byte, 256)
	n, _ := f.ReadAt(buf, 0)
	var h holder
	if json.Unmarshal(buf[:n], &h) != nil || h.PID == 0 {
		return ""
	}
	return fmt.Sprintf(" by process %d since %v", h.PID, model.Text(h.Since))
}
