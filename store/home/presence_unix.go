//go:build unix

package home

import (
	"os"
	"path/filepath"
	"syscall"
)

// Attend says in the home that a process runs the scheduler there, until leave is called or
// the process ends. It is for the sentence that a console ends with, and nothing depends on
// it: any number of schedulers is harmless. Where it cannot be said, leave does nothing.
func (h *Home) Attend() (leave func()) {
	f, err := presence(h.Dir())
	if err != nil {
		return func() {}
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) // refused only while somebody asks
	return func() { f.Close() }
}

// Attended reports whether any process runs the scheduler of the home; when in doubt, that
// none does.
func (h *Home) Attended() bool {
	f, err := presence(h.Dir())
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}

func presence(home string) (*os.File, error) {
	state := filepath.Join(home, "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, err
	}
	flags := os.O_RDWR | os.O_CREATE | syscall.O_NOFOLLOW | syscall.O_NONBLOCK | syscall.O_CLOEXEC
	return os.OpenFile(filepath.Join(state, "scheduler.lock"), flags, 0o600)
}
