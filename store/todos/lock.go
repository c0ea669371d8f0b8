package todos

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"vise/model"

	"golang.org/x/sys/unix"
)

// lockName is the session's lock. It is never replaced and never deleted while the session
// stands; the name differs from the ".lock" that other tools make by hard link.
const lockName = ".vise.lock"

// lockLimit is how long a change waits for its turn. Holding takes milliseconds.
const lockLimit = 5 * time.Second

// Busy says that the session's lock was not free in time, and who holds it.
type Busy struct{ Holder string }

func (b *Busy) Error() string {
	if b.Holder == "" {
		return "the session is busy"
	}
	return "the session is busy: " + b.Holder
}

// Unwrap gives it in the words of every door.
func (b *Busy) Unwrap() error {
	return &model.Error{Code: model.CodeBusy, Message: b.Error(), Hint: "try again"}
}

// holder is what the lock file tells of who has it.
type holder struct {
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// locked runs do while this process alone may change the session.
func (s *Session) locked(do func() error) error {
	f, err := s.lock()
	if err != nil {
		return err
	}
	defer f.Close()
	return do()
}

// lock takes the lock, fairly: the kernel queues who blocks. The lock is the open file's,
// so closing frees it, and so does the death of the process.
func (s *Session) lock() (*os.File, error) {
	f, err := s.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, s.gone(err)
	}
	if err := flock(f); err != nil {
		return nil, err
	}
	if err := s.stillThere(f); err != nil {
		f.Close()
		return nil, err
	}
	name := fmt.Sprintf(`{"pid":%d,"since":%q}`, os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	if err := f.Truncate(0); err == nil {
		// Who holds it is a courtesy to those who wait; the lock holds without it.
		_, _ = f.WriteAt([]byte(name), 0)
	}
	return f, nil
}

func flock(f *os.File) error {
	if err := tryFlock(f, unix.LOCK_EX|unix.LOCK_NB); err == nil {
		return nil
	}
	got := make(chan error, 1)
	go func() { got <- tryFlock(f, unix.LOCK_EX) }()
	limit := time.NewTimer(lockLimit)
	defer limit.Stop()
	select {
	case err := <-got:
		if err != nil {
			f.Close()
			return fmt.Errorf("locking the session: %w", err)
		}
		return nil
	case <-limit.C:
		busy := &Busy{Holder: heldBy(f)}
		// The kernel still has the waiter in its queue; it lets go as soon as it is served.
		go func() { <-got; f.Close() }()
		return busy
	}
}

func tryFlock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func heldBy(f *os.File) string {
	raw, err := io.ReadAll(io.NewSectionReader(f, 0, 200))
	var h holder
	if err != nil || json.Unmarshal(raw, &h) != nil || h.PID == 0 {
		return ""
	}
	return fmt.Sprintf("process %d holds it since %s", h.PID, h.Since.Format(time.TimeOnly))
}

// stillThere compares the locked file with the one of that name: a session that was
// removed, or made anew, since it was opened must not be changed under an old lock.
func (s *Session) stillThere(f *os.File) error {
	mine, err := f.Stat()
	if err != nil {
		return s.gone(err)
	}
	named, err := s.root.Lstat(lockName)
	if err != nil || !os.SameFile(mine, named) || !mine.Mode().IsRegular() {
		return fmt.Errorf("session %s: %w", s.Rel, ErrGone)
	}
	return nil
}
