package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// NoFollow: no flag refuses links here; openNoFollow looks.
const NoFollow = windows.O_CLOEXEC

// How a lock is asked for. ErrLocked is the error where it is not free and AtOnce was asked.
const (
	Exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK
	Shared    = 0
	AtOnce    = windows.LOCKFILE_FAIL_IMMEDIATELY
	Unlock    = 1 << 8

	ErrLocked = windows.ERROR_LOCK_VIOLATION
)

// Flock locks the last byte that a file can have: locks keep others from reading here, and nobody reads that one. It is
// also the byte that bbolt locks.
func Flock(f *os.File, how int) error {
	last := &windows.Overlapped{Offset: 1<<32 - 1, OffsetHigh: 1<<32 - 1}
	if how == Unlock {
		return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, last)
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), uint32(how), 0, 1, 0, last)
}

// OpenDir opens a directory. No pipe can lie in its place here.
func OpenDir(path string) (*os.File, error) { return os.Open(path) }

func openNoFollow(path string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag, mode)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	var named fs.FileInfo
	if err == nil {
		named, err = os.Lstat(path)
	}
	if err == nil && !os.SameFile(opened, named) {
		err = NotRegular(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// syncNames: NTFS keeps a journal of its names, and no call flushes a directory.
func syncNames(*os.File) error { return nil }

// lockDir: directories cannot be locked.
func lockDir(*os.File) error { return errors.ErrUnsupported }

// Writable opens a file to see whether it can be written.
func Writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// FreeBytes is the space that a user has on dir's file system, where the system tells.
func FreeBytes(dir string) (free uint64, known bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	return free, windows.GetDiskFreeSpaceEx(name, &free, nil, nil) == nil
}

// links and identity: what a FileInfo holds does not tell.
func links(fs.FileInfo) uint64                                   { return 1 }
func identity(fs.FileInfo) (changed int64, inode, device uint64) { return 0, 0, 0 }

// Others: a file's access list, not its mode, says who can use it; it is inherited from the user's own directory.
func Others(fs.FileInfo) (owner uint32, foreign bool, open fs.FileMode) { return 0, false, 0 }

// flushesAll: there is no flush for a whole file system here; each file has its own.
const flushesAll = false

func flushAll(*os.File) error { return nil }

// renameNew renames a file in dir, and fails if to exists.
func renameNew(dir *os.File, from, to string) error {
	old, err := windows.UTF16PtrFromString(filepath.Join(dir.Name(), from))
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(filepath.Join(dir.Name(), to))
	if err != nil {
		return err
	}
	return windows.MoveFileEx(old, name, windows.MOVEFILE_WRITE_THROUGH)
}

// Exchange: two files cannot change names at once here.
func Exchange(*os.File, string, string) error { return errors.ErrUnsupported }

// started: no start of the machine has a name here.
func started() string { return "" }

func allocate(f *os.File, size int64) error {
	_, err := f.Write(make([]byte, size))
	return err
}

// processOf knows a process by its number alone.
func processOf(pid int) Process { return Process{PID: pid} }

// OwnGroup keeps the console's Ctrl-C away from a program.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// EndGroup kills a program; what it started goes on.
func EndGroup(p *os.Process) error { return p.Kill() }

// Running reports whether a process exists.
func Running(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(h)
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event == uint32(windows.WAIT_TIMEOUT)
}
