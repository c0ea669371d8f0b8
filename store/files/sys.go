package files

import (
	"io/fs"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// NoFollow are flags that open no symbolic link, and pass no descriptor to started programs.
const NoFollow = syscall.O_NOFOLLOW | syscall.O_CLOEXEC

// The ways to ask for a lock. ErrLocked is the error of AtOnce when the lock is held.
const (
	Exclusive = unix.LOCK_EX
	Shared    = unix.LOCK_SH
	AtOnce    = unix.LOCK_NB
	Unlock    = unix.LOCK_UN

	ErrLocked = unix.EWOULDBLOCK
)

// Flock is flock(2). It tries again when a signal interrupts it.
func Flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// OpenDir opens only a directory, so that it does not wait for a pipe in its place.
func OpenDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
}

// Writable checks whether a file can be written, without opening it.
func Writable(path string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// Free is the free space for the user on dir's file system in bytes, and how many more files it can have (its free inodes). What the system
// does not report is without a limit.
func Free(dir string) (space, inodes uint64) {
	space, inodes = math.MaxUint64, math.MaxUint64
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) == nil {
		space = uint64(st.Bavail) * uint64(st.Bsize)
		if st.Files > 0 {
			inodes = uint64(st.Ffree)
		}
	}
	return space, inodes
}

// links is the number of names of a file.
func links(info fs.FileInfo) uint64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(s.Nlink)
}

// Others returns the owner of a file if that is another user, and the permission bits for
// group and others.
func Others(info fs.FileInfo) (owner uint32, foreign bool, open fs.FileMode) {
	open = info.Mode().Perm() & 0o077
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && os.Geteuid() != 0 {
		return st.Uid, true, open
	}
	return 0, false, open
}

// OwnGroup makes a program lead a process group, which EndGroup kills.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// EndGroup kills a program and all processes that it started, except those that left its
// group.
func EndGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// Running reports whether a process exists.
func Running(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
