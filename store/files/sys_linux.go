package files

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func identity(info fs.FileInfo) (changed int64, inode, device uint64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return s.Ctim.Nano(), s.Ino, uint64(s.Dev)
}

// renameNew renames a file in dir, and fails if to exists.
func renameNew(dir *os.File, from, to string) error {
	at := int(dir.Fd())
	return unix.Renameat2(at, from, at, to, unix.RENAME_NOREPLACE)
}

// flushesAll: flushAll writes what is dirty on dir's file system to the disk.
const flushesAll = true

func flushAll(dir *os.File) error { return unix.Syncfs(int(dir.Fd())) }
