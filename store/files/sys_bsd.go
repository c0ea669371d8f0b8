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

// flushesAll is false: this system cannot flush a whole file system, only single files.
const flushesAll = false

func flushAll(*os.File) error { return nil }

// processOf returns only the number of a process.
func processOf(pid int) Process { return Process{PID: pid} }

func allocate(f *os.File, size int64) error {
	_, err := f.Write(make([]byte, size))
	return err
}
