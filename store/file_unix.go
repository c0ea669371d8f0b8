//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeBytes is the room that a user has on dir's file system.
func freeBytes(dir string) (uint64, bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return uint64(st.Bavail) * uint64(st.Bsize), true
}

// giveUpLock frees bbolt's lock on a file that stays mapped.
func giveUpLock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }

// noSpace are a full disk, a full quota and a limit on the size of files; the first
// diskSpace of them are of the disk.
const diskSpace = 2

var noSpace = []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG}

// inode is the file's number in its file system.
func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}
