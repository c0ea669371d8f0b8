package files

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
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

// Exchange swaps the names of two files in dir atomically.
func Exchange(dir *os.File, a, b string) error {
	at := int(dir.Fd())
	return unix.Renameat2(at, a, at, b, unix.RENAME_EXCHANGE)
}

// flushesAll is true: flushAll writes all changed data of dir's file system to the disk.
const flushesAll = true

func flushAll(dir *os.File) error { return unix.Syncfs(int(dir.Fd())) }

func started() string {
	raw, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(raw))
}

// allocate reserves the space without writing it, where the file system can do that.
func allocate(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if err == unix.EOPNOTSUPP || err == unix.ENOSYS {
		_, err = f.Write(make([]byte, size))
	}
	return err
}

// processOf reads /proc. For a process that has ended, Start is empty.
func processOf(pid int) Process {
	const start = 22 - 3 // field 22 of stat; the fields are counted from field 3
	p := Process{PID: pid}
	f := ProcessStat(pid)
	if len(f) <= start {
		return p
	}
	p.Start, p.Stopped = f[start], f[0] == "T" || f[0] == "t"
	p.Args = args(pid)
	return p
}

func args(pid int) []string {
	if pid == os.Getpid() {
		return os.Args
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil || len(raw) == 0 {
		return nil
	}
	return strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
}
