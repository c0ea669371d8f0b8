package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/windows"
)

// NoFollow has no flag that refuses links, because this system has none. openNoFollow checks for them.
const NoFollow = windows.O_CLOEXEC

// The ways to ask for a lock. ErrLocked is the error of AtOnce when the lock is held.
const (
	Exclusive = windows.LOCKFILE_EXCLUSIVE_LOCK
	Shared    = 0
	AtOnce    = windows.LOCKFILE_FAIL_IMMEDIATELY
	Unlock    = 1 << 8

	ErrLocked = windows.ERROR_LOCK_VIOLATION
)

// Flock locks the last byte that a file can have. A lock on Windows keeps other processes from reading the locked bytes, and no program
// reads that one. bbolt locks the same byte.
func Flock(f *os.File, how int) error {
	last := &windows.Overlapped{Offset: 1<<32 - 1, OffsetHigh: 1<<32 - 1}
	if how == Unlock {
		return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, last)
	}
	return windows.LockFileEx(windows.Handle(f.Fd()), uint32(how), 0, 1, 0, last)
}

// OpenDir opens a directory. On Windows, no pipe can be in its place.
func OpenDir(path string) (*os.File, error) { return os.Open(path) }

func openNoFollow(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag, fileMode)
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

// syncNames does nothing: NTFS keeps a journal of its names, and no call flushes a directory.
func syncNames(*os.File) error { return nil }

// lockDir fails: directories cannot be locked.
func lockDir(*os.File) error { return errors.ErrUnsupported }

// Writable opens a file to find out whether it can be written.
func Writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// FreeFiles is not known here.
func FreeFiles(string) (uint64, bool) { return 0, false }

// FreeBytes is the free space for the user on dir's file system, if the system reports it.
func FreeBytes(dir string) (free uint64, known bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	return free, windows.GetDiskFreeSpaceEx(name, &free, nil, nil) == nil
}

// A FileInfo on Windows contains neither the number of links nor the identity.
func links(fs.FileInfo) uint64                                   { return 1 }
func identity(fs.FileInfo) (changed int64, inode, device uint64) { return 0, 0, 0 }

// Others reports no other user. On Windows an access list decides who can use a file, not its mode; the list is inherited from the user's
// own directory.
func Others(fs.FileInfo) (owner uint32, foreign bool, open fs.FileMode) { return 0, false, 0 }

// flushesAll is false: this system cannot flush a whole file system, only single files.
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

// Exchange fails: this system cannot swap the names of two files atomically.
func Exchange(*os.File, string, string) error { return errors.ErrUnsupported }

// started is empty: this system does not identify its starts.
func started() string { return "" }

func allocate(f *os.File, size int64) error {
	_, err := f.Write(make([]byte, size))
	return err
}

// processOf returns only the number of a process.
func processOf(pid int) Process { return Process{PID: pid} }

// OwnGroup keeps the console's Ctrl-C away from a program.
func OwnGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// EndGroup kills a program. The processes that it started continue.
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
