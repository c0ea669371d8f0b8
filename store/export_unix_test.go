//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// Held reports whether anybody holds the lock of a ledger on bbolt.
func Held(l *Ledger) bool {
	f, err := os.OpenFile(l.home.Path(LockFile), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
