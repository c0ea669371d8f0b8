package watcher

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// mapAndWrite changes the beginning of a file through mapped memory.
func mapAndWrite(t *testing.T, path string, begin []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	b, err := unix.Mmap(int(f.Fd()), 0, len(begin), unix.PROT_WRITE, unix.MAP_SHARED)
	must(t, err)
	copy(b, begin)
	must(t, unix.Msync(b, unix.MS_SYNC))
	must(t, unix.Munmap(b))
}
