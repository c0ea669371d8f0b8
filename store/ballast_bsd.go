//go:build unix && !linux

package store

import (
	"os"
	"syscall"
)

func occupy(f *os.File, size int64) error { return fill(f, size) }

func freeBytes(dir string) (uint64, bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return uint64(st.Bavail) * uint64(st.Bsize), true
}
