//go:build unix

package store

import (
	"os"
	"syscall"
)

// noFollow opens no symbolic link, and hands no descriptor to programs that are started.
const noFollow = syscall.O_NOFOLLOW | syscall.O_CLOEXEC

// giveUpLock frees bbolt's lock on a file that stays mapped.
func giveUpLock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// noSpace are a full disk, a full quota and a limit on the size of files; the first
// diskSpace of them are of the disk.
const diskSpace = 2

var noSpace = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// keepOpen holds the file at path open until the returned function is called.
func keepOpen(path string) (letGo func()) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return func() {}
	}
	return func() { f.Close() }
}
