//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// NoFollow opens no symbolic link, and hands no descriptor to programs that are started.
const NoFollow = syscall.O_NOFOLLOW | syscall.O_CLOEXEC

// How a lock is asked for. ErrLocked is the error where it is not free and AtOnce was asked.
const (
	Exclusive = unix.LOCK_EX
	Shared    = unix.LOCK_SH
	AtOnce    = unix.LOCK_NB
	Unlock    = unix.LOCK_UN

	ErrLocked = unix.EWOULDBLOCK
)

// Flock is flock(2), again when a signal interrupts it.
func Flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}

// OpenDir opens a directory and nothing else, so that it waits for no pipe in its place.
func OpenDir(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
}

func openNoFollow(path string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag|NoFollow|syscall.O_NONBLOCK, mode)
}

// syncNames puts the entries of an open directory on the disk.
func syncNames(dir *os.File) error { return dir.Sync() }

// lockDir locks an open directory that nobody holds.
func lockDir(dir *os.File) error { return Flock(dir, Exclusive|AtOnce) }

// Writable asks, without opening it, whether a file can be written.
func Writable(path string) error {
	if err := unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS); err != nil {
		return &fs.PathError{Op: "write", Path: path, Err: err}
	}
	return nil
}

// FreeBytes is the space that a user has on dir's file system, where the system tells.
func FreeBytes(dir string) (uint64, bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return uint64(st.Bavail) * uint64(st.Bsize), true
}

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(s.Nlink)
}

// Others names the other user whom a file belongs to, and the bits by which others can use it.
func Others(info fs.FileInfo) (owner uint32, foreign bool, open fs.FileMode) {
	open = info.Mode().Perm() & 0o077
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && os.Geteuid() != 0 {
		return st.Uid, true, open
	}
	return 0, false, open
}

// OwnGroup has a program lead a process group, which EndGroup kills.
func OwnGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// EndGroup kills a program and all that it started and that did not leave its group.
func EndGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// Running reports whether a process exists.
func Running(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
