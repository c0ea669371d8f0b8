//go:build darwin || freebsd

package files

import (
	"io/fs"
	"os"
	"syscall"
)

func identity(info fs.FileInfo) (changed int64, inode, device uint64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, 0
	}
	return s.Ctimespec.Nano(), s.Ino, uint64(s.Dev)
}

// flushesAll: there is no flush for a whole file system here; each file has its own.
const flushesAll = false

func flushAll(*os.File) error { return nil }

// processOf knows a process by its number alone.
func processOf(pid int) Process { return Process{PID: pid} }

func allocate(f *os.File, size int64) error {
	_, err := f.Write(make([]byte, size))
	return err
}
