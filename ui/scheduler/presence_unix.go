//go:build unix

package scheduler

import (
	"os"
	"path/filepath"
	"syscall"
)

// Attend says in a home that a process runs the scheduler there, until leave is called or
// the process ends. It is for the sentence that a console ends with, and nothing depends on
// it: any number of schedulers is harmless. Where it cannot be said, leave does nothing.
func Attend(home string) (leave func()) {
	f, err := presence(home)
	if err != nil {
		return func() {}
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) // refused only while somebody asks
	return func() { f.Close() }
}

// Attended reports whether any process runs the scheduler of a home; when in doubt, that
// none does.
func Attended(home string) bool {
	f, err := presence(home)
	if err != nil {
		return false
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == syscall.EWOULDBLOCK
}

func presence(home string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Join(home, "state"), 0o700); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(home, "state", "scheduler.lock"), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0o600)
}
