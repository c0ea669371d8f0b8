//go:build unix

package lock

import (
	"os"
	"syscall"
)

func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_CLOEXEC, 0o600)
}

// tryLock takes the flock if nobody has it.
func tryLock(f *os.File) (bool, error) {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// blockLock waits for the flock as long as it takes. The kernel serves waiters in turn.
func blockLock(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func unlock(f *os.File) { flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err == nil {
			return nil
		}
		if err != syscall.EINTR {
			return err
		}
	}
}

// sameFile reports whether f is what lies at path, and not a file since deleted.
func sameFile(f *os.File, path string) bool {
	var held, there syscall.Stat_t
	if syscall.Fstat(int(f.Fd()), &held) != nil || syscall.Lstat(path, &there) != nil {
		return false
	}
	return held.Nlink > 0 && held.Dev == there.Dev && held.Ino == there.Ino
}
