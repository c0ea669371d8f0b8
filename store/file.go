package store

import (
	"errors"
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

// guard refuses a home that others could have written to, or that lies where locks do not
// hold, and makes what others can only read private.
func (h Home) guard() error {
	if os.Getenv("VISE_ALLOW_NETWORK_FS") != "1" {
		if name := h.network(); name != "" {
			return refuse("choose a local directory, or set VISE_ALLOW_NETWORK_FS=1",
				"the home %s lies on %s, where locks and memory maps do not keep several processes apart", h.Dir, name)
		}
	}
	for name, mode := range map[string]fs.FileMode{".": dirMode, homeFile: fileMode, ledgerFile: fileMode, lockFile: fileMode} {
		if err := h.private(h.path(name), mode); err != nil {
			return err
		}
	}
	return nil
}

func (h Home) private(path string, mode fs.FileMode) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() && os.Geteuid() != 0 {
		return refuse("use a home of your own", "%s belongs to user %d", path, st.Uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return refuse("look at what changed there, then chmod go-rwx it", "others can write to %s", path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return h.machine.Chmod(path, mode)
	}
	return nil
}
