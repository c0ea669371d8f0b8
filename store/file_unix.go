//go:build unix

package store

import (
	"os"
	"path/filepath"
	"syscall"
)

// noFollow opens no symbolic link, and hands no descriptor to programs that are started.
const noFollow = syscall.O_NOFOLLOW | syscall.O_CLOEXEC

// giveUpLock frees bbolt's lock on a file that stays mapped.
func giveUpLock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// errNoSpace is a full disk.
const errNoSpace = syscall.ENOSPC

// syncParent makes the name of a file durable.
func syncParent(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
