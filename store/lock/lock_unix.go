//go:build unix

package lock

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// stops are the signals by which a terminal stops a process.
var stops = []os.Signal{syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU}

// orphaned reports whether no shell could resume this process with job control. The
// system then ignores a Ctrl-Z, as in a terminal whose only program this is.
func orphaned() bool {
	parent := os.Getppid()
	if group, err := unix.Getpgid(parent); err == nil && group == unix.Getpgrp() {
		return false // the parent started the group, and its own parent is a shell
	}
	theirs, err := unix.Getsid(parent)
	ours, err2 := unix.Getsid(0)
	return err != nil || err2 != nil || theirs != ours
}

// sameFile reports whether f is the file at path and was not deleted.
func sameFile(f *os.File, path string) bool {
	var held, there syscall.Stat_t
	if syscall.Fstat(int(f.Fd()), &held) != nil || syscall.Lstat(path, &there) != nil {
		return false
	}
	return held.Nlink > 0 && held.Dev == there.Dev && held.Ino == there.Ino
}
